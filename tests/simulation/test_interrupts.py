"""Ctrl-C while a run file is written waits until the write is done; a request to end is heard as it is."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from small_systems import pendulum

from polycontact.simulation.recording.interrupts import uninterrupted
from polycontact.simulation.recording.trajectory import Trajectory
from polycontact.simulation.simulate import simulate


@pytest.mark.skipif(os.name == "nt", reason="Windows has no signal that a process can send to itself this way")
def test_the_call_is_finished_first() -> None:
    done: list[str] = []

    @uninterrupted
    def write() -> None:
        os.kill(os.getpid(), signal.SIGINT)
        done.append("all of it")

    before = signal.getsignal(signal.SIGINT)
    with pytest.raises(KeyboardInterrupt):
        write()
    assert done == ["all of it"]
    assert signal.getsignal(signal.SIGINT) is before


def test_other_threads_and_errors_pass() -> None:
    @uninterrupted
    def fail(number: int) -> int:
        if number > 1:
            raise ValueError("too large")
        return number

    found: list[int] = []
    thread = threading.Thread(target=lambda: found.append(fail(1)))
    thread.start()
    thread.join()
    assert found == [1]
    with pytest.raises(ValueError, match="too large"):
        fail(2)


@pytest.mark.skipif(os.name == "nt", reason="Windows has no signal that a process can send to itself this way")
def test_a_request_to_end_stops_a_run(tmp_path: Path) -> None:
    """What was recorded is closed, and can be continued; then the program ends."""

    def ask(_: object) -> None:
        os.kill(os.getpid(), signal.SIGTERM)

    with pytest.raises(SystemExit) as caught:
        simulate(pendulum(), end_time=10.0, output_step=0.1, record=tmp_path / "run.h5", progress=ask)
    assert caught.value.code == 143
    recorded = Trajectory.open(tmp_path / "run.h5")
    assert recorded.status == "stopped"
    assert "stopped by a request to end (SIGTERM) at t = " in recorded.message
    assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGTERM")
@pytest.mark.parametrize(("number", "status", "goes_on"), [(signal.SIGTERM, 143, False), (signal.SIGINT, 0, True)])
def test_a_script_ends_on_request(number: int, status: int, goes_on: bool) -> None:
    """Its next line does not take half a run for a whole one."""
    program = f"""
import os, sys
sys.path.insert(0, {str(Path(__file__).parent)!r})
from small_systems import pendulum
import polycontact as pc
run = pc.simulate(pendulum(), end_time=10.0, output_step=0.1, progress=lambda _: os.kill(os.getpid(), {int(number)}))
print("goes on", run.status)
"""
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert ended.returncode == status, ended.stderr
    assert ended.stdout == ("goes on stopped\n" if goes_on else "")


@pytest.mark.skipif(os.name == "nt", reason="Windows has no signal that a process can send to itself this way")
def test_whoever_listens_to_requests_still_does() -> None:
    heard: list[int] = []
    before = signal.signal(signal.SIGTERM, lambda number, _: heard.append(number))
    try:
        run = simulate(
            pendulum(), end_time=0.2, output_step=0.1, progress=lambda _: os.kill(os.getpid(), signal.SIGTERM)
        )
        assert run.status == "finished"
        assert heard
    finally:
        signal.signal(signal.SIGTERM, before)
