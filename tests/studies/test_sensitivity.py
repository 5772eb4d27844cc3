"""Sobol' indices against closed forms and scipy, tornadoes, and what failed runs and bad input do."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from polycontact.errors import StudyError
from polycontact.studies.index_estimates import sobol_indices
from polycontact.studies.sensitivity_runs import SensitivityDesign, sensitivity_design, tornado_design
from polycontact.studies.tornado_bars import tornado

A, B = 7.0, 0.1
ISHIGAMI = {"x": (-math.pi, math.pi), "y": (-math.pi, math.pi), "z": (-math.pi, math.pi)}
WEIGHTS = np.array([0.0, 1.0, 4.5, 9.0])


def ishigami(values: np.ndarray) -> np.ndarray:
    """Ishigami and Homma 1990."""
    x, y, z = values.T
    return np.asarray(np.sin(x) + A * np.sin(y) ** 2 + B * z**4 * np.sin(x))


def ishigami_indices() -> tuple[np.ndarray, np.ndarray]:
    """Their closed forms (Saltelli, Chan and Scott, Sensitivity Analysis, 2000)."""
    v1, v2 = 0.5 * (1.0 + B * math.pi**4 / 5.0) ** 2, A**2 / 8.0
    v13 = B**2 * math.pi**8 * (1.0 / 18.0 - 1.0 / 50.0)
    whole = v1 + v2 + v13
    return np.array([v1, v2, 0.0]) / whole, np.array([v1 + v13, v2, v13]) / whole


def g_function(values: np.ndarray) -> np.ndarray:
    """The g-function of Sobol'."""
    return np.asarray(np.prod((np.abs(4.0 * values - 2.0) + WEIGHTS) / (1.0 + WEIGHTS), axis=1))


def g_indices() -> tuple[np.ndarray, np.ndarray]:
    parts = 1.0 / (3.0 * (1.0 + WEIGHTS) ** 2)
    whole = np.prod(1.0 + parts) - 1.0
    others = np.array([np.prod(1.0 + np.delete(parts, i)) for i in range(len(parts))])
    return parts / whole, parts * others / whole


@pytest.mark.parametrize(
    ("function", "ranges", "exact"),
    [
        (ishigami, ISHIGAMI, ishigami_indices()),
        (g_function, {f"x{i}": (0.0, 1.0) for i in range(4)}, g_indices()),
    ],
)
def test_closed_forms(function: object, ranges: dict, exact: tuple[np.ndarray, np.ndarray]) -> None:
    design = sensitivity_design(ranges, 4096, seed=1)
    found = sobol_indices(design, function(design.values))  # type: ignore[operator]
    for value, interval, truth in (
        (found.first, found.first_interval, exact[0]),
        (found.total, found.total_interval, exact[1]),
    ):
        # Scrambled Sobol' points err less than the random ones of which the interval speaks, but it is 95 % only.
        width = interval[:, 1] - interval[:, 0]
        assert np.all(np.abs(value - truth) <= width)
        assert np.all(np.abs(value - truth) < 0.02)
        assert np.all((interval[:, 0] <= value) & (value <= interval[:, 1]))


def test_intervals_cover_the_truth_with_random_points() -> None:
    """With independent random rows, of which the bootstrap speaks, about 95 of 100 intervals hold the truth."""
    exact = np.concatenate(ishigami_indices())
    inside = np.zeros(6)
    for i in range(100):
        rng = np.random.default_rng(i)
        a, b = rng.uniform(-math.pi, math.pi, (2, 256, 3))
        mixed = [np.where(np.arange(3) == k, b, a) for k in range(3)]
        design = SensitivityDesign(("x", "y", "z"), 256, np.concatenate([a, b, *mixed]))
        found = sobol_indices(design, ishigami(design.values), seed=i)
        intervals = np.concatenate([found.first_interval, found.total_interval])
        inside += (intervals[:, 0] <= exact) & (exact <= intervals[:, 1])
    assert np.all(inside >= 88)  # binomial with 95 %: 88 or less has a probability of 0.4 %


def test_same_as_scipy() -> None:
    design = sensitivity_design(ISHIGAMI, 512, seed=3)
    blocks = ishigami(design.values).reshape(5, 512)
    functions = {"f_A": blocks[:1], "f_B": blocks[1:2], "f_AB": blocks[2:, None]}
    other = stats.sobol_indices(func=functions, n=512)
    found = sobol_indices(design, blocks.ravel())
    assert found.first == pytest.approx(other.first_order, abs=1e-12)
    assert found.total == pytest.approx(other.total_order, abs=1e-12)


def test_the_design_mixes_one_column_at_a_time() -> None:
    design = sensitivity_design({"a": (0.0, 1.0), "k": (1e2, 1e6, "log")}, 100, seed=5)
    a, b, *mixed = design.values.reshape(4, 128, 2)  # 100 is rounded up to a power of two
    assert len(design) == 512
    assert np.array_equal(mixed[0], np.stack([b[:, 0], a[:, 1]], axis=1))
    assert np.array_equal(mixed[1], np.stack([a[:, 0], b[:, 1]], axis=1))
    # of 128 Sobol' points one lies in each of 128 equal parts, here of the logarithm
    parts = np.floor(128 * np.log(a[:, 1] / 1e2) / np.log(1e4))
    assert sorted(parts) == list(range(128))
    assert np.array_equal(design.values, sensitivity_design({"a": (0, 1), "k": (1e2, 1e6, "log")}, 100, seed=5).values)
    assert design.rows[0] == {"a": a[0, 0], "k": a[0, 1]}


def test_failed_runs_take_their_rows_with_them() -> None:
    design = sensitivity_design(ISHIGAMI, 1024, seed=2)
    outputs = ishigami(design.values)
    spoilt = outputs.copy()
    spoilt[[5, 1024 + 70, 2048 + 5, 4096 + 9]] = [np.nan, np.inf, np.nan, np.nan]  # rows 5, 70 and 9
    found = sobol_indices(design, spoilt)
    assert (found.n, found.n_dropped) == (1021, 3)
    kept = np.delete(outputs.reshape(5, 1024), [5, 70, 9], axis=1)
    smaller = sobol_indices(SensitivityDesign(design.keys, 1021, np.zeros((5 * 1021, 3))), kept.ravel())
    assert np.array_equal(found.first, smaller.first)
    assert "3 of 1024 left out as runs had failed" in repr(found)
    assert json.loads(json.dumps(found.to_dict()))["rows_left_out"] == 3


def test_a_large_mean_does_not_spoil_the_indices() -> None:
    design = sensitivity_design(ISHIGAMI, 1024, seed=2)
    plain = sobol_indices(design, ishigami(design.values))
    lifted = sobol_indices(design, ishigami(design.values) + 1e6)
    assert lifted.first == pytest.approx(plain.first, abs=1e-6)


@pytest.mark.parametrize(
    ("outputs", "words"),
    [
        (np.zeros(80), "is 0 in all runs"),
        (np.full(80, np.nan), "0 of 16 rows"),
        (np.zeros(79), "the design has 80 runs"),
        (["a"] * 80, "must be numbers"),
    ],
)
def test_bad_results(outputs: object, words: str) -> None:
    with pytest.raises(StudyError, match=words):
        sobol_indices(sensitivity_design(ISHIGAMI, 16), outputs)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("ranges", "n", "words"),
    [
        ({}, 64, "no parameters"),
        ({"a": (1.0, 0.0)}, 64, "a: lower 1 is not below upper 0"),
        ({"a": (0.0, 1.0, "log")}, 64, "a: lower 0 with a logarithmic range"),
        ({"a": (0.0, math.nan)}, 64, "a: nan is no end"),
        ({"a": (0.0,)}, 64, "a: .* a range is"),
        ({"a": (0.0, 1.0, "cubic")}, 64, "a: .* a range is"),
        ({"a": (0.0, 1.0)}, 4, "n = 4"),
        ({"a": (0.0, 1.0)}, 10**8, "allowed are 10000000"),
    ],
)
def test_bad_designs(ranges: dict, n: int, words: str) -> None:
    with pytest.raises(StudyError, match=words):
        sensitivity_design(ranges, n)


def test_tornado() -> None:
    design = tornado_design({"small": (0.0, 2.0), "great": (1.0, 3.0)}, {"small": 0.5})
    assert design.values.tolist() == [[0.5, 2.0], [0.0, 2.0], [2.0, 2.0], [0.5, 1.0], [0.5, 3.0]]
    found = tornado(design, design.values @ [1.0, 10.0])
    assert found.keys == ("great", "small")
    assert found.base == 20.5
    assert found.at_lower.tolist() == [10.5, 20.0]
    assert found.at_upper.tolist() == [30.5, 22.0]
    assert (found.lower_values.tolist(), found.upper_values.tolist()) == ([1.0, 0.0], [3.0, 2.0])
    failed = tornado(design, [20.5, np.nan, 22.0, 10.5, 30.5])
    assert failed.to_dict()["parameters"][1]["at_lower"] is None


def test_bad_tornado() -> None:
    design = tornado_design({"a": (0.0, 1.0)})
    with pytest.raises(StudyError, match="the design has 3 runs"):
        tornado(design, [1.0])
    with pytest.raises(StudyError, match="the first run"):
        tornado(design, [np.nan, 1.0, 2.0])
    with pytest.raises(StudyError, match="no parameter 'b'"):
        tornado_design({"a": (0.0, 1.0)}, {"b": 1.0})


def test_plots(tmp_path: Path) -> None:
    design = sensitivity_design(ISHIGAMI, 64)
    figure = sobol_indices(design, ishigami(design.values)).plot(tmp_path / "indices.html")
    assert [bar.name for bar in figure.data] == ["total", "first order"]
    assert (figure.data[0].error_x.array >= 0.0).all()
    single = tornado_design(ISHIGAMI)
    bars = tornado(single, ishigami(single.values)).plot(tmp_path / "tornado.html", "Ishigami")
    assert len(bars.data) == 2
    assert "Plotly" in (tmp_path / "tornado.html").read_text(encoding="utf-8")
