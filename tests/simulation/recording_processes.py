"""Other processes that record runs, and are killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def child(program: str, *arguments: object) -> subprocess.Popen[str]:
    """Another process that runs ``program`` with the names of `recorded_runs` in reach."""
    path = os.pathsep.join([str(ROOT / "src"), str(Path(__file__).parent)])
    return subprocess.Popen(
        [sys.executable, "-c", "from recorded_runs import *\n" + program, *map(str, arguments)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": path},
    )


KILLED = """
import os, sys
from polycontact.simulation.recording import run_layout, run_writer
from polycontact.simulation.recording.hdf5_recorder import Hdf5Recorder
run_layout.FIRST_BYTES, run_layout.FEWEST_ROWS, run_writer.FLUSH_SECONDS = 20000, 64, 0.0
recorder = Hdf5Recorder(sys.argv[1])
about = description()
recorder.begin(about)
for t in times(int(sys.argv[2])):
    recorder.add(sample(about, t, elements=True))
    print(t, flush=True)
recorder.add_event(EVENTS[0])
print("ready", flush=True)
sys.stdin.read() if sys.argv[3:] else os.kill(os.getpid(), 9)
"""


def killed_run(path: Path, n: int = 100) -> None:
    process = child(KILLED, path, n)
    out, err = process.communicate(timeout=600)
    assert out.endswith("ready\n"), err
    assert process.returncode == -signal.SIGKILL
