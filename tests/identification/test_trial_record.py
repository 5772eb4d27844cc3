"""Trials that are kept in a file: a search that was broken off goes on, with the same bits, and damage is told."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import polycontact as pc
from polycontact.errors import IdentificationError
from polycontact.identification.trial_pool import Outcome, TrialPool
from polycontact.identification.trial_record import TrialRecord, subject_of

TIME = np.linspace(0.0, 5.0, 40)
SOUGHT = (pc.identification.FitParameter("a", 0.1, 10.0), pc.identification.FitParameter("k", 1e-2, 1e2, "log"))
CURVE = pc.identification.MeasuredCurve(TIME, 2.0 * np.exp(-0.7 * TIME) + 0.01 * np.sin(40.0 * TIME), "x", "m")
CALLS: list[dict[str, float]] = []
STOP_AT: list[int] = []


def decay(values: Mapping[str, float]) -> list[np.ndarray]:
    CALLS.append(dict(values))
    if len(CALLS) in STOP_AT:
        raise KeyboardInterrupt
    return [values["a"] * np.exp(-values["k"] * TIME)]


@pytest.fixture(autouse=True)
def _fresh() -> None:
    CALLS.clear()
    STOP_AT.clear()


def test_a_search_that_was_broken_off_goes_on_with_the_same_bits(tmp_path: Path) -> None:
    whole = pc.identify(decay, SOUGHT, CURVE)
    n = len(CALLS)
    for stop in (12, 30):  # in the start design and in the search
        path = tmp_path / f"fit{stop}.trials"
        CALLS.clear()
        STOP_AT[:] = [stop]
        assert pc.identify(decay, SOUGHT, CURVE, record=path).status == "stopped"
        with path.open("ab") as stream:
            stream.write(b"0123abcd {half a li")  # as a kill leaves it
        STOP_AT.clear()
        CALLS.clear()
        found = pc.identify(decay, SOUGHT, CURVE, record=path)
        assert len(CALLS) <= n - (stop - 1)  # fewer where a point is asked for twice
        assert found.runs == whole.runs
        assert found.values == whole.values
        np.testing.assert_array_equal(found.covariance, whole.covariance)
        CALLS.clear()
        assert pc.identify(decay, SOUGHT, CURVE, record=path).values == whole.values
        assert not CALLS
    assert not list(tmp_path.glob("*.lock"))


def test_failed_trials_are_kept_and_lost_ones_are_not(tmp_path: Path) -> None:
    path = tmp_path / "a.trials"
    values = [{"x": float(n)} for n in range(3)]
    with TrialRecord(path, "it") as record:
        record.add(values[0], Outcome((np.array([1.0, -0.0, 1e-320]), np.array([0.1]))))
        record.add(values[1], Outcome(None, "too stiff: ü"))
        pool = TrialPool(lambda _: [np.zeros(1)], 1, lambda _: None, record)
        pool._kept(values[2], Outcome(None, "its worker died, twice", lost=True))
    with TrialRecord(path, "it") as record:
        first, second = record.find(values[0]), record.find(values[1])
        assert first is not None
        assert first.curves is not None
        assert [each.tobytes() for each in first.curves] == [
            np.array([1.0, -0.0, 1e-320]).tobytes(),
            np.array([0.1]).tobytes(),
        ]
        assert second == Outcome(None, "too stiff: ü")
        assert record.find(values[2]) is None
        assert record.find({"x": float(np.nextafter(0.0, 1.0))}) is None


def test_files_of_something_else_and_damage_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "fit.trials"
    pc.identify(decay, SOUGHT, CURVE, record=path, starts=4)
    good = path.read_bytes()

    def refused(content: bytes, trial: Any = decay) -> str:
        path.write_bytes(content)
        with pytest.raises(IdentificationError) as caught:
            pc.identify(trial, SOUGHT, CURVE, record=path, starts=4)
        assert path.read_bytes() == content
        return str(caught.value)

    assert "there is another file, or a damaged one; give another name" in refused(b"my notes\n")
    lines = good.splitlines(keepends=True)
    spoilt = [*lines[:2], lines[2].replace(b"A", b"B", 1), *lines[3:]]
    assert "line 3 is damaged; delete the file" in refused(b"".join(spoilt))
    told = refused(good, lambda values: [values["a"] * TIME])
    assert "trials of another scenario, other quantities or times, or another version" in told
    with (
        TrialRecord(tmp_path / "b.trials", "it"),
        pytest.raises(IdentificationError, match="another identification is"),
    ):
        TrialRecord(tmp_path / "b.trials", "it").__enter__()
    with pytest.raises(IdentificationError, match="give the name of a file"):
        pc.identify(decay, SOUGHT, CURVE, record=tmp_path)


def test_another_scenario_is_another_subject() -> None:
    def other(values: Mapping[str, float]) -> list[np.ndarray]:
        return [values["a"] + TIME]

    assert subject_of(decay) == subject_of(decay)
    assert subject_of(decay) != subject_of(other)


SCENARIO = """
[scenario]
name = "drop"
[simulation]
end_time = 0.2
output_step = 0.01
[[bodies]]
name = "ball"
shape = { kind = "box", size = 0.1 }
density = 1000.0
velocity = [1.0, 0.0, 0.0]
"""

IDENTIFY = """
scenario = "drop.toml"
[[parameters]]
key = "bodies.ball.velocity[0]"
lower = 0.1
upper = 10.0
[[curves]]
file = "drop.csv"
column = 2
quantity = "ball position x"
unit = "m"
time_unit = "s"
"""


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="signals of this kind are those of POSIX")
def test_the_command_goes_on_after_ctrl_c_and_ends_with_130(tmp_path: Path) -> None:
    (tmp_path / "drop.toml").write_text(SCENARIO)
    (tmp_path / "fit.toml").write_text(IDENTIFY)
    rows = "".join(f"{t:.3f},{3.0 * t!r}\n" for t in np.linspace(0.01, 0.19, 12).tolist())
    (tmp_path / "drop.csv").write_text("t,x\n" + rows)
    program = """
import os, signal, sys
from polycontact.cli import main
from polycontact.identification import trial_pool
n, attempt = [0], trial_pool.attempt
def counted(*arguments):
    n[0] += 1
    if n[0] == int(sys.argv[1]):
        os.kill(os.getpid(), signal.SIGINT)
    return attempt(*arguments)
trial_pool.attempt = counted
status = main(["identify", "fit.toml", "--workers", "1", "--record", "fit.trials"])
print("made", n[0])
sys.exit(status)
"""

    def run(stop_at: int) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-c", program, str(stop_at)]
        return subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=False)

    first = run(1)
    assert first.returncode == 130, first.stderr
    assert "stopped" in first.stderr
    assert run(6).returncode == 130
    last = run(-1)
    assert last.returncode == 0, last.stdout + last.stderr
    made = int(last.stdout.rsplit("made", 1)[1])
    assert run(-1).stdout.endswith("made 0\n")
    assert made > 0
    assert int(signal.SIGINT) == 2  # 130 is 128 and this
