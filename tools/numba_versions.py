"""Try polycontact with several versions of Numba: ``python -m tools.numba_versions [VERSION …]``.

Without versions: the lowest that is allowed, the pinned one and the newest. Each gets an environment and a cache of
kernels of its own under ``--folder``, which are used again, with the packages of the lock files but those that hang on
Numba. Printed: which checks passed, the CPU time of all kernels from nothing, and whether results are the same bits as
with the pinned version. What went wrong stands in a file for each version in the folder.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

from polycontact.kernels.numba_internals.versions import SWITCH, TESTED

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ("scipy", "scikit-sundae", "h5py", "pydantic", "cyclopts", "rich", "pytest", "hypothesis")
"""What runs and the tests below need."""
FOLLOW_NUMBA = ("numba", "llvmlite", "numpy")
"""Packages whose pinned versions may not fit another Numba."""

RESULTS = """
import hashlib, sys
sys.path[:0] = ["tests", "tests/golden"]
from golden_cases import cases, evaluate_case
total = hashlib.sha256()
for seed, (label, scene, options) in enumerate(cases()):
    if seed % 9 == 4:
        found = evaluate_case(scene, options, seed)
        total.update(found.digest + found.wrenches.tobytes() + found.counters.tobytes())
print(total.hexdigest()[:12])
"""
"""One of nine of the evaluations that `tests/golden` keeps, as a digest."""
INTERNALS = ("numba_internals", "linking", "views", "lane_twins", "addresses", "hyper_dual", "kernel_cache")
CHECKS = {
    "kernels": ["-m", "tools.compile_kernels"],
    "internals": ["-m", "pytest", "-q", "--tier=all", *(f"tests/kernels/test_{name}.py" for name in INTERNALS)],
    "golden": ["-m", "pytest", "-q", "--tier=all", "tests/golden/test_golden.py"],
    "run": ["-m", "polycontact", "run", "bubbles"],
}
"""Arguments of Python for each check, in which entries are linked even where the version is not known yet."""
CONTACT = """
import polycontact as pc
ring, floor = pc.shapes.torus(0.10, 0.02), pc.shapes.box(size=(1.0, 1.0, 0.1))
pairing = pc.ContactPairing(ring, floor, law=pc.LayerLaw(stiffness=1e8), depth="base_normal")
pose = pc.RelativeKinematics(rotation=[[1, 0, 0], [0, 1, 0], [0, 0, 1]], position=(0.0, 0.0, -0.069))
result = pairing.evaluate(pose)
print(result.force.tobytes().hex())
"""


@dataclass
class Outcome:
    """What one version made of the checks."""

    version: str
    packages: str = ""
    passed: dict[str, bool] = field(default_factory=dict)
    compile_time: float = 0.0
    results: str = ""

    def row(self, pinned: str) -> str:
        """A line of the table; ``pinned``: results of the pinned version, empty where it was not tried."""
        checks = "".join(f"{'ok' if self.passed.get(name) else 'FAILED':>11}" for name in (*CHECKS, "alone"))
        same = "-" if not pinned or not self.results else "same" if self.results == pinned else "others"
        return f"{self.version:9}{self.packages:18}{self.compile_time:12.0f}{checks}{same:>9}"


def main() -> int:
    """Try the versions named and print the table; the exit status is 1 where a check failed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("versions", nargs="*", help="of Numba: 0.68.1, or 0.68 for the newest of its kind")
    parser.add_argument("--folder", type=Path, default=ROOT / "build" / "numba_versions")
    given = parser.parse_args()
    versions = given.versions or [f"{TESTED[0]}.0", pinned_version(), newest_version()]
    outcomes = []
    for version in dict.fromkeys(versions):
        outcomes.append(try_version(version, given.folder.resolve()))
        print(f"{version}: {outcomes[-1].passed}", file=sys.stderr, flush=True)
    print(table(outcomes, pinned_version()))
    return 0 if all(each.passed and all(each.passed.values()) for each in outcomes) else 1


def table(outcomes: list[Outcome], pinned: str) -> str:
    """What was found, a line for each version."""
    reference = next((each.results for each in outcomes if each.version == pinned), "")
    heads = "".join(f"{name:>11}" for name in (*CHECKS, "alone"))
    title = f"{'Numba':9}{'NumPy, llvmlite':18}{'compile, s':>12}{heads}{'bits':>9}"
    return "\n".join([title, *(each.row(reference) for each in outcomes)])


def pinned_version(lock: str | None = None) -> str:
    """Version of Numba in the lock file."""
    text = (ROOT / "requirements.lock").read_text(encoding="utf-8") if lock is None else lock
    found = re.search(r"^numba==(\S+)", text, re.MULTILINE)
    if found is None:
        raise SystemExit("requirements.lock pins no numba")
    return found[1]


def newest_version() -> str:
    """The newest Numba that pip finds for this Python."""
    command = [sys.executable, "-m", "pip", "index", "versions", "numba", "--disable-pip-version-check"]
    told = subprocess.run(command, capture_output=True, text=True, check=False)
    found = re.match(r"numba \((\S+)\)", told.stdout)
    if found is None:
        raise SystemExit(f"pip cannot tell the newest Numba; name versions instead.\n{told.stderr.strip()}")
    return found[1]


def constraints(*locks: str) -> str:
    """Pins of lock files without those that another Numba may not fit."""
    pins = [line for lock in locks for line in lock.splitlines() if re.match(r"[a-z0-9._-]+==", line)]
    return "\n".join(sorted({each for each in pins if each.partition("==")[0] not in FOLLOW_NUMBA})) + "\n"


def try_version(version: str, folder: Path) -> Outcome:
    """Make the environment of a version where there is none, and run all checks in it."""
    outcome = Outcome(version)
    folder.mkdir(parents=True, exist_ok=True)
    log = folder / f"{version}.log"
    log.write_text("", encoding="utf-8")
    python = environment(version, folder, log)
    if python is None:
        return outcome
    facts = "import numpy, llvmlite; print(numpy.__version__ + ', ' + llvmlite.__version__)"
    outcome.packages = run([python, "-c", facts], {}, log)[1].strip()
    linked = {"NUMBA_CACHE_DIR": str(folder / f"{version}-linked"), SWITCH: "yes"}
    alone = {"NUMBA_CACHE_DIR": str(folder / f"{version}-alone"), SWITCH: "no"}
    for name, arguments in CHECKS.items():
        before = os.times()
        outcome.passed[name] = run([python, *arguments], linked, log)[0] == 0
        if name == "kernels":
            after = os.times()
            outcome.compile_time = (
                after.children_user + after.children_system - before.children_user - before.children_system
            )
    outcome.results = run([python, "-c", RESULTS], linked, log)[1].strip()
    one, other = (run([python, "-c", CONTACT], variables, log) for variables in (linked, alone))
    outcome.passed["alone"] = one == other and one[0] == 0
    return outcome


def environment(version: str, folder: Path, log: Path) -> str | None:
    """Python of an environment with a version of Numba; None where it cannot be made."""
    place = folder / version
    python = str(place / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python"))
    pins = folder / "constraints.txt"
    locks = [(ROOT / name).read_text(encoding="utf-8") for name in ("requirements.lock", "requirements-dev.lock")]
    pins.write_text(constraints(*locks), encoding="utf-8")
    wanted = f"numba=={version}" if version.count(".") > 1 else f"numba=={version}.*"
    pip = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-c", str(pins), wanted, *PACKAGES]
    made = Path(python).exists() or run([sys.executable, "-m", "venv", str(place)], {}, log)[0] == 0
    return python if made and run(pip, {}, log)[0] == 0 else None


def run(command: list[str], variables: dict[str, str], log: Path) -> tuple[int, str]:
    """Exit status and output of a command in the repository; both outputs go to the log."""
    paths = os.pathsep.join([str(ROOT / "src"), str(ROOT)])
    done = subprocess.run(
        command,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": paths, **variables},
        capture_output=True,
        text=True,
        encoding="utf-8",
        errors="replace",
        check=False,
    )
    with log.open("a", encoding="utf-8") as file:
        file.write(f"$ {' '.join(command)}\n{done.stdout}{done.stderr}\nexit status {done.returncode}\n")
    return done.returncode, done.stdout


if __name__ == "__main__":
    sys.exit(main())
