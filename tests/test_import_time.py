"""What has to be there at once stays quick: it loads none of the slow packages, whatever the machine's speed."""

from __future__ import annotations

import subprocess
import sys

import pytest

SLOW = ("numba", "llvmlite", "scipy", "rich", "cyclopts")

PROGRAM = """
import sys
import MODULE
assert MODULE.__file__, "MODULE has no __init__.py"
print(*sorted({name.partition(".")[0] for name in sys.modules}))
"""


@pytest.mark.parametrize(
    "module", ["polycontact", "polycontact.report.view.live.serving", "polycontact.workers.worker"]
)
def test_import_loads_no_slow_package(module: str) -> None:
    """The package, the process of a live page, which tells its address before it reads the run, and workers."""
    program = PROGRAM.replace("MODULE", module)
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    loaded = done.stdout.split()
    assert "polycontact" in loaded
    assert [name for name in SLOW if name in loaded] == []
