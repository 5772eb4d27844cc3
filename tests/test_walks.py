"""The walks of docs/architecture.md name files that exist, in the order in which traced runs first enter them."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "architecture.md"
PACKAGE = ROOT / "src" / "polycontact"
FILE = re.compile(r"`([\w./]+(?:\.(?:py|md|yml|toml)|/))`")

Walk = list[list[str]]
"""Files of each row of a table."""


def resolved(name: str, before: str) -> str | None:
    """Path, relative to the package or else to the repository, of a file or folder that the page names; ``before`` is
    the one named before it, in whose folder it may be. None where there is no such file."""
    beside = f"{Path(before).parent.as_posix()}/{name}" if before else name
    for path in (name, beside):
        if (PACKAGE / path).exists():
            return path
    if (ROOT / name).exists():
        return name
    return None


def unique(name: str) -> str | None:
    """The only file of the package whose path ends so."""
    found = [file.relative_to(PACKAGE).as_posix() for file in PACKAGE.rglob(name)]
    return found[0] if len(found) == 1 else None


def files_of(text: str) -> list[tuple[str, str | None]]:
    """Each file that a part of the page names, and where it is; None where there is no such file."""
    found: list[tuple[str, str | None]] = []
    before = ""
    for name in FILE.findall(text):
        path = resolved(name, before) or unique(name)
        found.append((name, path))
        before = path or before
    return found


def walks(text: str) -> dict[str, Walk]:
    """Files in the second column of the table below each heading of the third level."""
    found: dict[str, Walk] = {}
    for part in re.split(r"^### ", text, flags=re.MULTILINE)[1:]:
        section = re.split(r"^## ", part, flags=re.MULTILINE)[0]
        rows = re.findall(r"^\| \d+ \|([^|]+)\|", section, flags=re.MULTILINE)
        found[section.partition("\n")[0]] = [[path or name for name, path in files_of(row)] for row in rows]
    return found


def complaints(walk: Walk, traces: Walk) -> list[str]:
    """Files of a walk that no trace enters, and rows that a trace enters before the row above."""
    entered = {file for trace in traces for file in trace}
    found = [f"{file} is not entered" for row in walk for file in row if file not in entered]
    for trace in traces:
        place = {file: k for k, file in enumerate(trace)}
        rows = [row[0] for row in walk if row[0] in place]
        found += [
            f"{after} is entered before {before}" for before, after in pairwise(rows) if place[after] < place[before]
        ]
    return found


def test_every_file_on_the_page_exists() -> None:
    named = [pair for line in PAGE.read_text(encoding="utf-8").splitlines() for pair in files_of(line)]
    assert len(named) > 150
    missing = [name for name, path in named if path is None]
    assert not missing, f"not in the repository: {', '.join(missing)}"


@pytest.mark.slow
def test_work_passes_through_files_as_the_walks_say(tmp_path: Path) -> None:
    variables = {**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONPATH": str(PACKAGE.parent)}
    file = tmp_path / "traces.json"
    subprocess.run([sys.executable, "tests/trace_walks.py", str(file)], cwd=ROOT, env=variables, check=True)
    traces = json.loads(file.read_text(encoding="utf-8"))
    found = walks(PAGE.read_text(encoding="utf-8"))
    assert found.keys() == traces.keys()
    assert all(len(walk) > 5 for walk in found.values())
    told = [f"{name}: {each}" for name, walk in found.items() for each in complaints(walk, traces[name])]
    assert not told, "\n".join(told)


EXAMPLE = """
### One thing

| | file | what |
|---|---|---|
| 1 | `contact/pairing.py` | first, then `contact/nowhere.py` |
| 2 | `kernels/contact/evaluate.py`, `beginning.py` | then |

## Others
| 3 | `contact/result.py` | no row of the walk |
"""


def test_a_walk_is_read_from_its_table() -> None:
    expected = [["contact/pairing.py"], ["kernels/contact/evaluate.py", "kernels/contact/beginning.py"]]
    assert walks(EXAMPLE) == {"One thing": expected}
    assert files_of("`contact/pairing.py`, `nowhere.py`") == [
        ("contact/pairing.py", "contact/pairing.py"),
        ("nowhere.py", None),
    ]


def test_what_is_missing_or_out_of_order_is_named() -> None:
    walk = [["a.py"], ["b.py", "c.py"], ["d.py"]]
    assert complaints(walk, [["a.py", "b.py", "x.py", "c.py", "d.py"]]) == []
    assert complaints(walk, [["a.py", "c.py", "b.py"], ["a.py", "d.py"]]) == []
    assert complaints(walk, [["a.py", "b.py", "d.py"]]) == ["c.py is not entered"]
    assert complaints(walk, [["d.py", "a.py", "b.py", "c.py"]]) == ["d.py is entered before b.py"]
    assert complaints(walk, [["a.py", "b.py", "c.py", "d.py"], ["b.py", "a.py"]]) == ["b.py is entered before a.py"]
