"""What a use of the package imports: few modules of its own and no slow package that it does not need.

Modules are counted, not seconds: their number does not depend on the machine.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Collection
from typing import Final, NamedTuple

import pytest

ONE_BALL: Final = """
[scenario]
name = "ball"

[simulation]
end_time = 1.0

[[bodies]]
name = "ball"
shape = { kind = "sphere", radius = 0.05 }
density = 300.0
"""

CONVEX_BALL: Final = ONE_BALL.replace("radius = 0.05", 'radius = 0.05, geometry = "convex"')

COMPILED: Final = ("numba", "llvmlite", "scipy")
"""Numba alone takes longer to import than a scenario takes to read; only evaluations need it."""

CONSOLE: Final = ("cyclopts", "rich")
"""What the command line is written with; nothing else needs it."""


class Use(NamedTuple):
    """A use of the package: a program, the most modules of polycontact that it may import, and what it must not."""

    program: str
    most: int
    without: Collection[str]


USES: Final = {
    "import": Use("import polycontact", 6, ("numpy", *COMPILED, *CONSOLE, "pydantic", "h5py")),
    "live page": Use(  # its process tells the address before it reads the run
        "import polycontact.report.view.live.serving", 16, (*COMPILED, *CONSOLE)
    ),
    "worker": Use("import polycontact.workers.worker", 10, (*COMPILED, *CONSOLE)),  # there before it gets its first run
    "load_scenario": Use(  # schema and checks of all tables, options of contacts, shapes: no evaluation, no command
        f"from polycontact.scenario.loading import parse_scenario\nassert parse_scenario({ONE_BALL!r}).name == 'ball'",
        119,
        (*COMPILED, *CONSOLE, "h5py", "polycontact.robots.mjcf", "polycontact.surfaces.reading"),
    ),
    "load_scenario, convex": Use(  # an exact geometry brings its own folder, not the kernels
        f"from polycontact.scenario.loading import parse_scenario\nparse_scenario({CONVEX_BALL!r})",
        150,
        (*COMPILED, *CONSOLE, "h5py"),
    ),
    "run, from compiled kernels": Use(  # what Numba needs to compile is not imported where nothing is compiled
        "import polycontact.studies.one_run",
        332,
        (*CONSOLE, "h5py", "scipy.linalg", "scipy.spatial", "numba.np.arraymath", "numba.np.linalg"),
    ),
    "run": Use(  # SUNDIALS is called by address, a sound mesh needs no tree of points
        "from polycontact.cli import main\n"
        "assert main(['run', 'bubbles', '--end-time', '0.001', '--json']) == 0\n"
        "print()",
        429,
        (
            "h5py",
            "scipy.sparse",
            "scipy.spatial",
            "scipy.optimize",
            "sksundae",
            "rich.markdown",
            "numba.np.arraymath",
            "numba.np.linalg",
        ),
    ),
    "--help": Use(  # first lines of commands and options of runs; Markdown, with all it brings, is for single commands
        "from polycontact.cli import main\nassert main(['--help']) == 0",
        51,
        ("numpy", *COMPILED, "pydantic", "h5py", "rich.markdown", "pygments"),
    ),
    "list": Use(
        "from polycontact.cli import main\nassert main(['list']) == 0",
        54,
        ("numpy", *COMPILED, "pydantic", "h5py", "rich.markdown", "pygments"),
    ),
}


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=() if "numba" in use.without else pytest.mark.slow) for name, use in USES.items()]
)
def test_a_use_imports_what_it_needs(name: str) -> None:
    if "numba" not in USES[name].without:
        modules_after(USES[name].program)  # its kernels are compiled now, if they were not
    use, loaded = USES[name], modules_after(USES[name].program)
    own = [module for module in loaded if module.partition(".")[0] == "polycontact"]
    assert [module for module in use.without if module in loaded] == []
    assert len(own) <= use.most, f"{len(own)} modules of polycontact, more than {use.most}: {', '.join(own)}"


def modules_after(program: str) -> list[str]:
    """Names of all modules that a Python of its own has loaded after a program."""
    tell = "\nimport json, sys\nprint(json.dumps(sorted(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", program + tell], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    loaded: list[str] = json.loads(done.stdout.splitlines()[-1])
    return loaded
