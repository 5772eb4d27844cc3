"""Which way contacts are evaluated, in one thread or several: the quicker one, with trials that become rare."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from polycontact.multibody import thread_choice
from polycontact.multibody.thread_choice import ThreadChoice


class Machine:
    """Two ways to do something, with times (s) on a clock that only they move."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now, self.cost, self.calls = 0.0, {"alone": 1.0, "threaded": 1.0}, {"alone": 0, "threaded": 0}
        monkeypatch.setattr(thread_choice, "perf_counter", lambda: self.now)

    def work(self, way: str) -> str:
        self.now += self.cost[way]
        self.calls[way] += 1
        return way

    def run(self, choice: ThreadChoice, n: int) -> list[str]:
        return [choice.run(lambda: self.work("alone"), lambda: self.work("threaded")) for _ in range(n)]


def test_quicker_threads_are_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    machine, choice = Machine(monkeypatch), ThreadChoice()
    machine.cost["threaded"] = 0.6
    machine.run(choice, 5000)
    assert machine.calls["threaded"] > 0.95 * 5000
    assert machine.now < 0.65 * 5000


@pytest.mark.parametrize("cost", [0.95, 1.0, 3.0, 50.0])
def test_threads_that_do_not_pay_cost_next_to_nothing(monkeypatch: pytest.MonkeyPatch, cost: float) -> None:
    """Also where each of their calls takes fifty times as long, as where a thread spins for one that has no processor.

    A trial has 4 such calls, and there are 6 trials in 20,000 calls (after 0, 512, 1024, … calls): at most 24 of them.
    """
    machine, choice = Machine(monkeypatch), ThreadChoice()
    machine.cost["threaded"] = cost
    machine.run(choice, 20000)
    assert machine.calls["threaded"] <= 24
    assert machine.now <= 20000 + 24 * cost


def test_machine_that_becomes_busy(monkeypatch: pytest.MonkeyPatch) -> None:
    """One thread takes over before the next trial, and several again when the machine is free."""
    machine, choice = Machine(monkeypatch), ThreadChoice()
    machine.cost["threaded"] = 0.5
    machine.run(choice, 40)
    machine.cost["threaded"] = 10.0
    before = machine.calls["threaded"]
    machine.run(choice, 200)
    assert machine.calls["threaded"] - before <= 2 * thread_choice._WATCHED_CALLS
    machine.cost["threaded"] = 0.5
    machine.run(choice, 3000)
    assert set(machine.run(choice, 100)) == {"threaded"}


def test_one_slow_call_decides_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    machine, choice = Machine(monkeypatch), ThreadChoice()
    machine.cost["threaded"] = 0.5
    machine.run(choice, 1)
    machine.cost["threaded"] = 30.0  # something else had the processor
    machine.run(choice, 1)
    machine.cost["threaded"] = 0.5
    machine.run(choice, 6)
    assert set(machine.run(choice, 100)) == {"threaded"}


SHOWN = "import os, polycontact.kernels.dynamics.right_hand_side, numba; print(os.environ.get('OMP_WAIT_POLICY'))"


@pytest.mark.slow
@pytest.mark.parametrize("given", [None, "active"])
def test_environment_is_as_the_user_left_it(given: str | None) -> None:
    """Threads are told to sleep while OpenMP is loaded; what the user says stands, and nothing is left behind."""
    environment = {name: value for name, value in os.environ.items() if name != "OMP_WAIT_POLICY"}
    if given is not None:
        environment["OMP_WAIT_POLICY"] = given
    shown = subprocess.run([sys.executable, "-c", SHOWN], env=environment, capture_output=True, text=True, check=True)
    assert shown.stdout.strip() == str(given)
