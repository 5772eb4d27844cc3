"""`import polycontact` stays quick: it loads none of the slow packages, whatever the machine's speed."""

from __future__ import annotations

import subprocess
import sys

SLOW = ("numba", "llvmlite", "scipy", "rich", "cyclopts")

PROGRAM = """
import sys
import polycontact
assert polycontact.__file__, "polycontact has no __init__.py"
print(*sorted({name.partition(".")[0] for name in sys.modules}))
"""


def test_import_loads_no_slow_package() -> None:
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    loaded = done.stdout.split()
    assert "polycontact" in loaded
    assert [name for name in SLOW if name in loaded] == []
