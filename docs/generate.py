"""The pages of the site that nobody types, and the store of the benchmark's figures.

    python docs/generate.py                              list the generated files with their sizes
    python docs/generate.py --store contact.json …       put figures of `python3 dev.py bench --json` into
                                                         benchmark.json and the README

When the site is built, `docs/hooks/generated.py` asks for `generated_files`: closed forms as `polycontact verify` finds
them now, the figures of the last stored benchmark, the commands' help, the keys of scenario files, the public
names.
"""

from __future__ import annotations

import json
import platform
import sys
from importlib.metadata import version
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # proof, which knows what the gallery shows

from pages import api, benchmark, commands, gallery, run_options, scenario_file, sources, validation, verification

DOCS = Path(__file__).resolve().parent
BENCHMARK = DOCS / "benchmark.json"
VALIDATION = DOCS / "validation.json"
README = DOCS.parent / "README.md"
MEASURED = (
    "<!-- measured: made by docs/generate.py from docs/benchmark.json -->\n",
    "<!-- end of measured -->\n",
)
"""What the README says of speed stands between these lines."""
PARTS = ("cases", "calls", "imports", "large_surface", "threads", "simulations", "rest", "far_body", "culling")
"""Figures of a benchmark, each of which belongs to one of its parts."""

STATIC = {
    "changelog.md": sources.changelog,
    "decisions/list.md": sources.decisions,
    "examples/list.md": sources.examples,
    "gallery.md": gallery.page,
    "reference/api/index.md": api.overview,
    "reference/commands.md": commands.page,
    "reference/run_options.md": run_options.page,
    "reference/scenario_file.md": scenario_file.page,
    "reference/scenario.schema.json": scenario_file.schema,
    "reference/verification.md": verification.page,
}


def generated_names() -> list[str]:
    """Names of all generated files, relative to docs/, without making them."""
    listed = [f"reference/api/{group}.md" for group in api.GROUPS]
    listed += [f"examples/{name}.md" for name in sources.example_names()]
    return sorted([*STATIC, "reference/benchmark.md", "reference/validation.md", *listed])


def generated_files() -> dict[str, str]:
    """Content of each generated file by its name relative to docs/."""
    files = {name: make() for name, make in STATIC.items()}
    files["reference/benchmark.md"] = benchmark.page(json.loads(BENCHMARK.read_text(encoding="utf-8")))
    files["reference/validation.md"] = validation.page(json.loads(VALIDATION.read_text(encoding="utf-8")))
    files |= {f"reference/api/{group}.md": api.page(group) for group in api.GROUPS}
    files |= {f"examples/{name}.md": sources.example(name) for name in sources.example_names()}
    return files


def store(paths: list[Path]) -> None:
    """Merge JSON of `python3 dev.py bench --json` into the store: the last file that measured a part gives it."""
    stored: dict[str, Any] = json.loads(BENCHMARK.read_text(encoding="utf-8")) if BENCHMARK.exists() else {}
    for path in paths:
        found = json.loads(path.read_text(encoding="utf-8"))
        measured = {key: found[key] for key in PARTS if found.get(key)}
        targets = {each["name"]: each for each in [*stored.get("targets", []), *found["targets"]]}
        peers = stored.get("peers", {}) | found["peers"]
        stored |= {"note": found["note"], **measured, "peers": peers, "targets": list(targets.values())}
    stored["machine"] = machine()
    BENCHMARK.write_text(json.dumps(stored, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    README.write_text(readme_with(stored, README.read_text(encoding="utf-8")), encoding="utf-8")


def readme_with(stored: dict[str, Any], text: str) -> str:
    """The README with the stored figures."""
    before, rest = text.split(MEASURED[0])
    after = rest.split(MEASURED[1])[1]
    return f"{before}{MEASURED[0]}\n{benchmark.for_readme(stored)}\n{MEASURED[1]}{after}"


def machine() -> dict[str, str]:
    """What the figures were measured on."""
    return {
        "processor": _processor(),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        **{name: version(name) for name in ("numpy", "numba", "scikit-sundae")},
    }


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor() or "unknown"
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return f"{names[0]}, {len(names)} cores" if names else "unknown"


def main(words: list[str]) -> int:
    """Store figures, or list what is generated."""
    if words[:1] == ["--store"] and len(words) > 1:
        store([Path(word) for word in words[1:]])
        return 0
    if words:
        print(__doc__, file=sys.stderr)
        return 2
    for name, content in generated_files().items():
        print(f"{len(content):8} {name}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
