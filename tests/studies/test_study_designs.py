"""Designs: which points they have, and what cannot be one."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.stats import qmc
from small_study import RESULTS, drop

import polycontact as pc
from polycontact.studies.designs import values_of
from polycontact.studies.study_plan import plan_study

Speed = pc.StudyParameter("bodies.ball.velocity[2]", range=(-2.0, 2.0), name="speed")
Mass = pc.StudyParameter("bodies.ball.density", range=(1.0, 1e4), scale="log")


def test_a_grid_has_every_combination() -> None:
    design = pc.studies.StudyDesign(
        (
            pc.StudyParameter("a.b", range=(1.0, 100.0), scale="log", steps=3),
            pc.StudyParameter("c.d", values=("x", "y")),
        ),
        "grid",
    )
    points = [values_of(design.parameters, row) for row in design.levels()]
    assert [(pytest.approx(p["a.b"]), p["c.d"]) for p in points] == [(a, c) for a in (1, 10, 100) for c in "xy"]


def test_a_latin_hypercube_has_one_point_in_each_slice() -> None:
    levels = pc.studies.StudyDesign((Speed, Mass), "latin_hypercube", 50, seed=3).levels()
    shares = np.column_stack([(levels[:, 0] + 2.0) / 4.0, np.log10(levels[:, 1]) / 4.0])
    assert (np.sort(np.floor(50 * shares), axis=0) == np.arange(50)[:, None]).all()


def test_sobol_points_are_those_of_scipy() -> None:
    levels = pc.studies.StudyDesign((Speed, Mass), "sobol", 16, seed=5).levels()
    expected = qmc.Sobol(2, rng=np.random.default_rng(5)).random(16)
    np.testing.assert_allclose(levels[:, 0], -2.0 + 4.0 * expected[:, 0], rtol=1e-15)


@pytest.mark.parametrize("kind", ["latin_hypercube", "sobol", "random"])
def test_the_seed_decides(kind: str) -> None:
    first, again, other = (pc.studies.StudyDesign((Speed, Mass), kind, 10, seed=s).levels() for s in (1, 1, 2))
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)
    assert (first[:, 0] >= -2.0).all()
    assert (first[:, 0] <= 2.0).all()
    assert (first[:, 1] >= 1.0).all()
    assert (first[:, 1] <= 1e4).all()


def test_whole_numbers_are_equally_likely() -> None:
    parameter = pc.StudyParameter("a", range=(3, 5), integer=True)
    levels = parameter.from_share(np.linspace(0.0, 1.0, 301))
    assert [(levels == n).sum() for n in (3, 4, 5)] == [100, 100, 101]
    assert isinstance(parameter.value(4.0), int)


def test_points_of_a_file_and_of_a_list(tmp_path: Path) -> None:
    file = tmp_path / "points.csv"
    file.write_text('bodies.ball.velocity[2],bodies.ball.position\n1.5,"[0, 0, 2]"\n20 mm/s,"[0, 0, 3]"\n')
    from_file = plan_study(drop(), pc.studies.StudyDesign.from_csv(file), RESULTS)
    listed = [
        {"bodies.ball.velocity[2]": 1.5, "bodies.ball.position": [0, 0, 2]},
        {"bodies.ball.velocity[2]": 0.02, "bodies.ball.position": [0, 0, 3]},
    ]
    from_list = plan_study(drop(), pc.studies.StudyDesign.points(listed), RESULTS)
    for plan in (from_file, from_list):
        assert [plan.task(i).values for i in range(2)] == listed


def test_several_keys_get_the_same_value() -> None:
    parameter = pc.StudyParameter("simulation.rtol", range=(1e-6, 1e-3), scale="log", also=("simulation.atol",))
    plan = plan_study(drop(), pc.studies.StudyDesign((parameter,), "random", 2), RESULTS)
    values = plan.task(1).values
    assert values["simulation.rtol"] == values["simulation.atol"]


def test_units_are_those_of_the_key() -> None:
    parameter = pc.StudyParameter("bodies.ball.velocity[2]", range=("-20 mm/s", "1 km/h"))
    found = plan_study(drop(), pc.studies.StudyDesign((parameter,), "random", 3), RESULTS).parameters[0]
    assert found.unit == "m/s"
    assert found.range == pytest.approx((-0.02, 1 / 3.6))


@pytest.mark.parametrize(
    ("parameter", "told"),
    [
        ({"key": "bodies.ball.velocity[3]", "range": (0.0, 1.0)}, "there is no entry [3]"),
        ({"key": "bodies.bal.density", "range": (1.0, 2.0)}, 'did you mean "ball"'),
        ({"key": "bodies.ball.densty", "range": (1.0, 2.0)}, 'did you mean "density"'),
        ({"key": "bodies.ball.density", "range": (-1.0, 2.0)}, "-1.0; allowed is a number greater than 0"),
        ({"key": "simulation.rtol", "range": (1e-3, 0.5)}, "0.5; allowed is a number"),
        ({"key": "bodies.ball.density", "range": (2.0, 1.0)}, "give the smaller end first"),
        ({"key": "bodies.ball.density", "range": (2.0, 2.0)}, "two different ends"),
        ({"key": "bodies.ball.density", "range": (0.0, 2.0), "scale": "log"}, "must lie above 0"),
        ({"key": "bodies.ball.density", "range": (1.0, float("nan"))}, "finite"),
        ({"key": "bodies.ball.density", "range": ("1 m", "2 m")}, '"1 m" is a length; expected is a density'),
        ({"key": "bodies.ball.density", "values": (1.0, float("nan"), 3.0)}, "nan is not finite"),
        ({"key": "simulation.integrator", "values": ("lsoda", "eulr")}, "eulr"),
    ],
)
def test_bad_parameters_are_refused_before_the_first_run(parameter: dict[str, Any], told: str) -> None:
    design = pc.studies.StudyDesign((pc.StudyParameter(**parameter),), "latin_hypercube", 4)
    with pytest.raises(pc.errors.StudyError) as error:
        plan_study(drop(), design, RESULTS)
    assert told in str(error.value)


@pytest.mark.parametrize(
    ("make", "told"),
    [
        (lambda: pc.StudyParameter("a"), "either a range"),
        (lambda: pc.StudyParameter("a", range=(0, 1), values=(1,)), "either a range"),
        (lambda: pc.StudyParameter("a", values=()), "no values"),
        (lambda: pc.StudyParameter("a", values=(1, 2, 1)), "is there 2 times"),
        (lambda: pc.StudyParameter("a", range=(0, 1), scale="cubic"), "cubic"),
        (lambda: pc.studies.StudyDesign((), "random", 3), "no parameter"),
        (lambda: pc.studies.StudyDesign((Speed,), "random"), "of kind random needs a number of points"),
        (lambda: pc.studies.StudyDesign((Speed, Speed), "random", 3), "two parameters"),
        (lambda: pc.studies.StudyDesign((Speed,), "random"), "number of points"),
        (lambda: pc.studies.StudyDesign((Speed,), "random", 0), "number of points"),
        (lambda: pc.studies.StudyDesign((Speed,), "lottery", 3), "lottery"),
        (lambda: pc.studies.StudyDesign((Speed,), "grid").levels(), "number of steps"),
        (lambda: pc.studies.StudyDesign((Speed,), "random", 3, seed=-1), "seed"),
        (lambda: pc.studies.StudyDesign.points([]), "no points"),
        (lambda: pc.studies.StudyDesign.points([{"a": 1}, {"b": 1}]), "other keys"),
        (
            lambda: plan_study(drop(), pc.studies.StudyDesign.points([{"simulation.rtol": 1e-4}] * 2), RESULTS),
            "points 0 and 1 are the same",
        ),
        (
            lambda: plan_study(
                drop(),
                pc.studies.StudyDesign(
                    (Speed, pc.StudyParameter("bodies[0].velocity", values=([0, 0, 1],))), "random", 2
                ),
                RESULTS,
            ),
            "changes what parameter",
        ),
    ],
)
def test_bad_designs_are_refused(make: Any, told: str) -> None:
    with pytest.raises(pc.errors.StudyError) as error:
        make()
    assert told in str(error.value)


@pytest.mark.parametrize(
    ("design", "said"),
    [
        (
            lambda: pc.studies.StudyDesign((pc.StudyParameter("a", range=(0, 1), steps=10**9),), "grid"),
            "parameter .a.: it has 1000000000 steps; allowed are 10000000: take fewer, or a sample",
        ),
        (
            lambda: pc.studies.StudyDesign(
                tuple(pc.StudyParameter(name, range=(0, 1), steps=10**6) for name in "abc"), "grid"
            ).levels(),
            "the grid has 1000000000000000000 points; allowed are 10000000",
        ),
        (
            lambda: pc.studies.StudyDesign(
                tuple(pc.StudyParameter(f"p{i}", range=(0, 1)) for i in range(50)), "random", 10**7
            ).levels(),
            "10000000 points of 50 parameters are 5e\\+08 numbers; allowed are 1e\\+08: take fewer points",
        ),
    ],
)
def test_too_many_points_are_refused_before_they_take_memory(
    monkeypatch: pytest.MonkeyPatch, design: Callable[[], object], said: str
) -> None:
    monkeypatch.setattr(np, "linspace", lambda *_, **__: pytest.fail("levels were made"))
    with pytest.raises(pc.errors.StudyError, match=said):
        design()
