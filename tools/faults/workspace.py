"""A copy of the tree in which a fault is planted and tests run; the tree itself is never touched."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from tools.faults.planting import Fault
from tools.faults.selecting_plugin import LEAST_TIME, PATIENCE, Selection

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = Path("src/polycontact")
LARGEST_MEMORY = 6 * 2**30
"""Data that a run of tests may have, bytes: a fault may ask for any amount."""


def copy_of_tree(place: Path) -> Path:
    """Copy what git knows of the tree, and what is new in it, to a folder."""
    words = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(words, cwd=ROOT, capture_output=True, check=True).stdout.decode().split("\0")
    for name in listed:
        if name and (ROOT / name).is_file():
            (place / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, place / name)
    return place


def compiled_kernels(tree: Path) -> Path:
    """The folder in which the user's compiled kernels are kept."""
    words = "from polycontact.kernels.first_use import kernel_cache; print(kernel_cache.cache_folder())"
    environment = {**os.environ, "PYTHONPATH": str(tree / "src")}
    done = subprocess.run([sys.executable, "-c", words], env=environment, capture_output=True, check=True, text=True)
    return Path(done.stdout.strip())


@dataclass(frozen=True)
class Verdict:
    """What a run of tests said of a fault."""

    found_by: str | None
    """The first test that failed, with what became of it; None where all passed."""

    ran: int
    """Tests that ran."""


class Workspace:
    """A copy of the tree, its run of tests, if one is under way, and where that is noted."""

    def __init__(self, place: Path) -> None:
        self.tree = copy_of_tree(place / "tree")
        self.notes = place / "notes.json"
        self.log = place / "log.txt"
        self.kernels = place / "kernels"  # a copy too: what is compiled of faults is of no use to anybody
        with contextlib.suppress(shutil.Error):  # another process has just removed some of them
            shutil.copytree(compiled_kernels(self.tree), self.kernels / "polycontact-kernels")
        self.process = 0
        self._deadline = 0.0
        self._planted: tuple[Path, str, int] | None = None
        self._n_planted = 0

    def plant(self, fault: Fault) -> None:
        """Put a fault into the copy."""
        file = self.tree / PACKAGE / fault.file
        source = file.read_text(encoding="utf-8")
        made = file.stat().st_mtime_ns
        self._planted = (file, source, made)
        file.write_text(fault.planted(source), encoding="utf-8")
        # A time that it never had: what Python keeps compiled goes by time and size, and must not be of another fault.
        self._n_planted += 1
        os.utime(file, ns=(made, made + (3600 + self._n_planted) * 1_000_000_000))

    def heal(self) -> None:
        """Take the fault out of the copy."""
        if self._planted is not None:
            file, source, made = self._planted
            file.write_text(source, encoding="utf-8")
            os.utime(file, ns=(made, made))
            self._planted = None

    def start(self, seconds: dict[str, float], *, jit: bool) -> None:
        """Start the tests of ``seconds``, in that order and up to the first that fails, in a process of its own."""
        self.notes.unlink(missing_ok=True)
        self._deadline = time.monotonic() + 60.0 + 10.0 * sum(LEAST_TIME / 10 + PATIENCE * s for s in seconds.values())
        sys.stdout.flush()
        self.process = os.fork()
        if self.process == 0:
            self._run(seconds, jit)

    def _run(self, seconds: dict[str, float], jit: bool) -> None:
        """Run tests, as the child of a fork that has the large packages already; never returns."""
        import resource  # not on Windows, nor is fork

        status = 70
        try:
            os.setpgid(0, 0)
            with self.log.open("wb") as stream:
                os.dup2(stream.fileno(), 1)
                os.dup2(stream.fileno(), 2)
            os.chdir(self.tree)
            paths = [str(self.tree / "src"), str(self.tree)]
            sys.path[:] = [*paths, *(path for path in sys.path if path and not Path(path).is_relative_to(ROOT))]
            os.environ["PYTHONPATH"] = os.pathsep.join(paths)
            os.environ["NUMBA_DISABLE_JIT"] = "0" if jit else "1"
            if jit:
                os.environ["NUMBA_CACHE_DIR"] = str(self.kernels)
            resource.setrlimit(resource.RLIMIT_DATA, (LARGEST_MEMORY, LARGEST_MEMORY))
            status = run_tests(seconds, self.notes)
        finally:
            sys.stdout.flush()
            os._exit(status)

    def is_over(self) -> bool:
        """Whether the run has ended, if need be because it hangs."""
        ended, _ = os.waitpid(self.process, os.WNOHANG)
        if not ended and time.monotonic() < self._deadline:
            return False
        self.stop()
        return True

    def stop(self) -> None:
        """End the run and everything that it started."""
        if self.process:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.process, signal.SIGKILL)
            with contextlib.suppress(ChildProcessError):
                os.waitpid(self.process, 0)
            self.process = 0

    def verdict(self) -> Verdict:
        """What the run that has ended said."""
        try:
            noted = json.loads(self.notes.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return Verdict("import", 0)
        if noted["failed"]:
            return Verdict(noted["failed"], noted["ran"])
        if noted["current"]:
            return Verdict(f"{noted['current']} (hangs or crashes)", noted["ran"])
        return Verdict(None, noted["ran"])


def preload() -> None:
    """Import what tests need of other people's packages, once for all runs."""
    import h5py  # noqa: F401
    import hypothesis  # noqa: F401
    import numba  # noqa: F401
    import pydantic  # noqa: F401
    import pytest  # noqa: F401
    import scipy.integrate
    import scipy.optimize
    import scipy.spatial  # noqa: F401


def run_tests(seconds: dict[str, float], notes: Path) -> int:
    """Run tests in this process."""
    import numba
    import pytest

    numba.config.reload_config()
    files = list(dict.fromkeys(name.partition("::")[0] for name in seconds))
    options = ["-x", "-q", "--tb=short", "--tier=all", "-p", "no:cacheprovider", "-p", "no:randomly"]
    return int(pytest.main([*options, *files], plugins=[Selection(seconds, notes)]))
