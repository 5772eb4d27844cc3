"""Trials in worker processes: the same outcomes, and workers that die, functions that raise, Ctrl-C."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from polycontact.errors import IdentificationError
from polycontact.identification import trial_pool
from polycontact.identification.trial_pool import Outcome, TrialPool, TrialWork, attempt
from polycontact.workers.worker_process import WorkerLostError

POSIX = pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")
MARK = "POLYCONTACT_TEST_MARK"


def squares(values: Mapping[str, float]) -> list[np.ndarray]:
    return [np.array([values["x"] ** 2])]


def dies_once_at_two(values: Mapping[str, float]) -> list[np.ndarray]:
    mark = Path(os.environ[MARK])
    if values["x"] == 2.0 and not mark.exists():
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return squares(values)


def dies_at_two(values: Mapping[str, float]) -> list[np.ndarray]:
    if values["x"] == 2.0:
        os.kill(os.getpid(), signal.SIGKILL)
    return squares(values)


def raises_at_two(values: Mapping[str, float]) -> list[np.ndarray]:
    if values["x"] == 2.0:
        raise ZeroDivisionError("no square")
    return squares(values)


POINTS = [{"x": float(n)} for n in range(8)]


class Answers:
    """A worker process that is none: it makes trials here, after the errors that are listed for a value of x."""

    def __init__(self, work: TrialWork, errors: dict[float, list[Exception]]) -> None:
        self.closed = False
        self._answer = work.begin()
        self._errors = errors

    def answer(self, task: dict[str, float], limit: float | None, stepping: Callable[[], None]) -> Any:
        if self._errors.get(task["x"]):
            raise self._errors[task["x"]].pop(0)
        return self._answer(task, stepping)

    def close(self) -> None:
        self.closed = True


def pool_of(
    monkeypatch: pytest.MonkeyPatch, trial: trial_pool.Trial, errors: dict[float, list[Exception]]
) -> tuple[TrialPool, list[Answers], list[Outcome]]:
    made: list[Answers] = []
    noted: list[Outcome] = []

    def process(work: TrialWork, *_: object) -> Answers:
        made.append(Answers(work, errors))
        return made[-1]

    monkeypatch.setattr(trial_pool, "WorkerProcess", process)
    return TrialPool(trial, 3, noted.append), made, noted


def test_a_worker_that_dies_costs_its_trial_a_retry_and_twice_the_trial(monkeypatch: pytest.MonkeyPatch) -> None:
    fell, shot = WorkerLostError("its worker process fell over"), WorkerLostError("its worker process was shot")
    pool, made, noted = pool_of(monkeypatch, squares, {2.0: [fell], 5.0: [fell, shot]})
    with pool:
        for _ in range(2):  # the same processes answer the next points
            outcomes = pool(POINTS)
            assert [each.curves for each in outcomes] == [
                None if n == 5 and each.failed else (np.array([float(n * n)]),) for n, each in enumerate(outcomes)
            ]
    assert len(made) == 3
    assert all(process.closed for process in made)
    assert [each.failed for each in noted if each.failed] == ["with x = 5 its worker process was shot, twice"]
    assert [each.curves is None for each in noted] == [n == 5 for n in range(16)]  # noted in the order of the points


def test_an_error_of_the_function_reaches_the_caller(monkeypatch: pytest.MonkeyPatch) -> None:
    pool, made, noted = pool_of(monkeypatch, raises_at_two, {})
    with pytest.raises(ZeroDivisionError, match="no square"), pool:
        pool(POINTS)
    assert all(process.closed for process in made)
    assert len(noted) <= 2  # those before it


def test_an_error_that_cannot_be_sent_is_told() -> None:
    def raises(values: Mapping[str, float]) -> list[np.ndarray]:
        class OwnError(Exception):
            pass

        raise OwnError("so it is")

    answer = TrialWork(raises).begin()({"x": 1.0}, lambda: None)
    assert isinstance(answer, IdentificationError)
    assert str(answer) == "OwnError: so it is"


def test_what_interrupts_a_search_ends_its_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    pool, made, _ = pool_of(monkeypatch, squares, {})

    def interrupt(outcome: Outcome) -> None:
        raise KeyboardInterrupt

    pool._done = interrupt
    with pool:
        with pytest.raises(KeyboardInterrupt):
            pool(POINTS)
        assert all(process.closed for process in made)


def test_a_function_of_a_prompt_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "__main__", type(sys)("__main__"))
    monkeypatch.setattr(squares, "__module__", "__main__")
    with pytest.raises(IdentificationError, match="in a notebook or at a prompt"), TrialPool(squares, 2, print):
        pass


@pytest.mark.slow
@POSIX
def test_trials_survive_workers_that_are_killed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(MARK, str(tmp_path / "mark"))
    with TrialPool(dies_once_at_two, 2, lambda outcome: None) as pool:
        again = pool(POINTS)
    with TrialPool(dies_at_two, 2, lambda outcome: None) as pool:
        lost = pool(POINTS)
    here = [attempt(squares, values) for values in POINTS]
    assert [each.curves for each in again] == [each.curves for each in here]
    assert [n for n, each in enumerate(lost) if each.failed] == [2]
    assert lost[2].failed == "with x = 2 its worker process was killed by signal 9, twice"


SCRIPT = """
import sys
import numpy as np
import polycontact as pc

def line(values):
    return [values["a"] * np.linspace(0.0, 1.0, 5)]

def fit():
    curve = pc.identification.MeasuredCurve(np.linspace(0.0, 1.0, 5), 2.0 * np.linspace(0.0, 1.0, 5), "x", "m")
    found = pc.identify(line, pc.identification.FitParameter("a", 0.0, 5.0), curve, starts=3, workers=2)
    print(f"a = {found['a'].value:.6f}")

"""


@pytest.mark.slow
@pytest.mark.parametrize("guarded", [True, False])
def test_a_script_sends_its_own_functions_and_is_told_of_the_guard(tmp_path: Path, guarded: bool) -> None:
    script = tmp_path / "fit.py"
    call = 'if __name__ == "__main__":\n    fit()\n' if guarded else "fit()\n"
    script.write_text(SCRIPT + call, encoding="utf-8")
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, check=False, timeout=300)
    if guarded:
        assert (done.stdout, done.returncode) == ("a = 2.000000\n", 0), done.stderr
    else:
        assert done.returncode == 1
        assert "a worker process could not be started" in done.stderr
        assert "make the call below 'if __name__ == \"__main__\":'" in done.stderr
