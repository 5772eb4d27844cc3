"""Windows, percentiles and turns: by hand on short histories, and in runs."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import polycontact as pc
from polycontact.errors import StudyError
from polycontact.studies import result_of, turns_of
from polycontact.studies.result_windows import Span, Window, cut, percentile, split_window


def test_windows_are_read_off_the_end_of_a_text() -> None:
    cases = {
        "max force of a-b after 0.04": Window(start=0.04),
        "max force of a-b before 0.1": Window(end=0.1),
        "max force of a-b from 0.1 to 0.2": Window(0.1, 0.2),
        "max force of a-b in the last 0.5": Window(last=0.5),
        "max force of a-b in the last turn of main shaft": Window(joint="main shaft"),
        "max force of a-b": None,
    }
    for text, window in cases.items():
        assert split_window(text, float) == ("max force of a-b", window)


def test_a_window_has_its_ends() -> None:
    time = np.array([0.0, 1.0, 2.0, 3.0])
    cut_time, values = cut(time, 10.0 * time, Span(0.5, 2.25), "r")
    assert cut_time.tolist() == [0.5, 1.0, 2.0, 2.25]
    assert values.tolist() == [5.0, 10.0, 20.0, 22.5]
    with pytest.raises(StudyError, match=r"r: there is no sample from 1\.2 s to 1\.8 s; .* up to 1 s apart"):
        cut(time, time, Span(1.2, 1.8), "r")
    with pytest.raises(StudyError, match="no sample from 4 s"):
        cut(time, time, Span(4.0, 5.0), "r")


def test_percentiles_count_time_not_samples() -> None:
    time = np.concatenate([np.linspace(0.0, 1.0, 1001), np.linspace(1.0, 10.0, 91)[1:]])
    assert percentile(time, time, 50.0) == pytest.approx(5.0, abs=0.01)
    assert percentile(time, time, 95.0) == pytest.approx(9.5, abs=0.06)  # of steps of 0.1
    assert percentile(time[:1], np.array([3.0]), 95.0) == 3.0


class TestInARun:
    @pytest.fixture(scope="class")
    @classmethod
    def run(cls, tmp_path_factory: pytest.TempPathFactory) -> tuple[pc.Run, Path]:
        """A shaft that is driven at 10 rad/s, and swings a mass on a slide that a spring holds."""
        system = pc.MultibodySystem("shaft", gravity=(0.0, 0.0, 0.0))
        for name in ("rotor", "mass"):
            system.add_body(name, mass=1.0, inertia=(0.1, 0.1, 0.1))
        system.add_joint("shaft", "revolute", "world", "rotor", motion=pc.multibody.ConstantVelocity(10.0))
        system.add_joint("slide", "prismatic", "world", "mass", axis=(1, 0, 0), speeds=[1.0])
        system.add_force(
            pc.multibody.SpringDamper("spring", "world", (1, 0, 0), "mass", (0, 0, 0), stiffness=100.0, length=1.0)
        )
        path = tmp_path_factory.mktemp("window") / "run.h5"
        made = pc.simulate(system, end_time=2.0, output_step=0.002, rtol=1e-8, atol=1e-9, record=path)
        return made, path

    def test_numbers_are_those_of_the_window(self, run: tuple[pc.Run, Path]) -> None:
        made, path = run
        # the mass swings as 0.1 m sin(10/s t): its speed is cos(10/s t)
        expected = {
            "max coordinate of slide after 1.9 s": 0.1 * math.sin(20.0),
            "min coordinate of slide before 100 ms": 0.0,
            "mean speed of slide from 0.1 s to 0.2 s": (math.sin(2.0) - math.sin(1.0)) / 1.0,
            "rms speed of slide in the last turn of shaft": math.sqrt(0.5),
            "p50 coordinate of slide in the last turn of shaft": 0.0,
            "range coordinate of slide in the last 0.7 s": 0.2,
        }
        for text, value in expected.items():
            # 1e-3: trapezoids between samples 2 ms apart
            assert result_of(made, text) == pytest.approx(value, abs=1e-3), text
            assert result_of(path, text) == result_of(made.trajectory, text) == result_of(made, text)
        assert result_of(made, "mean speed of slide", window=(0.1, 0.2)) == pytest.approx(
            expected["mean speed of slide from 0.1 s to 0.2 s"], abs=1e-3
        )

    def test_turns_end_with_the_run(self, run: tuple[pc.Run, Path]) -> None:
        turns = turns_of(run[0].trajectory, "shaft")
        assert len(turns) == 3  # 20 rad
        assert turns[-1].end == 2.0
        assert [each.end - each.start for each in turns] == pytest.approx([0.2 * math.pi] * 3, rel=1e-6)

    @pytest.mark.parametrize(
        ("text", "told"),
        [
            ("max speed of slide after 3 s", "there is no sample from 3 s to 2 s"),
            ("max speed of slide from 0.2 s to 0.1 s", "its window has no length"),
            ("max speed of slide in the last 0 s", "its window has no length"),
            ("max speed of slide in the last turn of shift", "did you mean 'shaft'"),
            ("max speed of slide in the last turn of slide", "joint 'slide' has no angle"),
            ("max speed of slide after 3 kg", "the time cannot be read"),
            ("speed of slide at 0.1 s after 0.2 s", "leave the window out"),
            ("steps after 0.2 s", "leave the window out"),
            ("time of mean speed of slide", "mean is there at no one time"),
            ("time of p95 speed of slide", "p95 is there at no one time"),
        ],
    )
    def test_windows_without_samples_and_other_mistakes_are_told(
        self, run: tuple[pc.Run, Path], text: str, told: str
    ) -> None:
        with pytest.raises(StudyError) as error:
            result_of(run[0], text)
        assert told in str(error.value)

    def test_two_windows_and_things_that_are_no_run_are_refused(self, run: tuple[pc.Run, Path]) -> None:
        with pytest.raises(StudyError, match="leave one out"):
            result_of(run[0], "max speed of slide after 0.1 s", window=(0.1, 0.2))
        anything: Any = 3
        with pytest.raises(StudyError, match="this is a int"):
            result_of(anything, "steps")
