"""Ctrl-C while a run file is written waits until the write is done."""

from __future__ import annotations

import os
import signal
import threading

import pytest

from polycontact.simulation.recording.interrupts import uninterrupted


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
