"""What is reached by its address is the same in compiled code and in plain Python."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import by_address

import polycontact as pc

EXPECTED = {"answer": 654, "numbers": [3.0, 4.5, 6.0]}


def test_compiled_code_reaches_memory_and_functions() -> None:
    assert by_address.found() == EXPECTED


def test_plain_python_reaches_them_too() -> None:
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONPATH": str(Path(pc.__file__).parents[1])}
    command = [sys.executable, by_address.__file__]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == EXPECTED
