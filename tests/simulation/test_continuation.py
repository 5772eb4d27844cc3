"""Runs that go on where an earlier one has ended, in the same file or in another."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from small_systems import (
    bouncing_ball,
    box_over_plane,
    latched,
    oscillator,
    pendulum,
    pendulum_angle,
)

import polycontact as pc
from polycontact.scenario.loading import load_scenario
from polycontact.simulation.integrators import INTEGRATORS

every_integrator = pytest.mark.parametrize("integrator", INTEGRATORS)
TIGHT = {"rtol": 1e-8, "atol": 1e-8}


@every_integrator
def test_continued_run_follows_the_closed_form(integrator: str, tmp_path: Path) -> None:
    """The restart costs accuracy at most like a step; the file holds both parts once, and one ledger."""
    path = tmp_path / "run.h5"
    options = {"integrator": integrator, "output_step": 0.05, **TIGHT}
    pc.simulate(pendulum(), end_time=1.0, record=path, **options)
    run = pc.simulate(pendulum(), end_time=2.0, continue_from=path, **options)
    trajectory = pc.Trajectory.open(path)
    np.testing.assert_allclose(trajectory.time, 0.05 * np.arange(41), atol=1e-12)
    assert (np.diff(trajectory.time) > 0.0).all()
    angle = trajectory.joint("hinge").coordinates[:, 0]
    np.testing.assert_allclose(angle, pendulum_angle(trajectory.time), atol=1e-5)
    assert trajectory.status == "finished"
    assert trajectory.energies["balance"][-1] == run.ledger["balance"][-1]
    assert run.ledger.worst_balance < 1e-5 * run.ledger.turnover
    assert run.statistics.simulated_time == pytest.approx(2.0)  # of both parts
    assert trajectory.settings["end_time"] == 2.0


def test_one_step_method_is_close_to_the_run_in_one_go(tmp_path: Path) -> None:
    """DOPRI5 has no history: after the stop it differs by the choice of one step only."""
    path = tmp_path / "run.h5"
    options = {"integrator": "dopri5", "output_step": 0.1, "rtol": 1e-10, "atol": 1e-10}
    pc.simulate(bouncing_ball(damping=300.0), end_time=1.0, record=path, **options)
    pc.simulate(bouncing_ball(damping=300.0), end_time=2.0, continue_from=path, **options)
    both = pc.Trajectory.open(path)
    once = pc.simulate(bouncing_ball(damping=300.0), end_time=2.0, **options).trajectory
    np.testing.assert_allclose(both.time, once.time, atol=1e-12)
    # Each bounce has two kinks, in which a step errs by about a hundred tolerances, and enlarges what was before.
    np.testing.assert_allclose(both.body("ball").position, once.body("ball").position, atol=1e-5)
    for name in ("contact_damping", "elastic", "kinetic"):
        np.testing.assert_allclose(both.energies[name], once.energies[name], atol=1e-4)


def test_chaotic_run_continued_agrees_in_its_invariants(tmp_path: Path) -> None:
    scenario = load_scenario("bubbles")
    path = tmp_path / "run.h5"
    options = {key: value for key, value in scenario.settings.items() if key != "end_time"}
    options |= {"contact_events": True}
    pc.simulate(scenario.build(), end_time=1.0, record=path, **options)
    first = len(pc.Trajectory.open(path).events)
    pc.simulate(scenario.build(), end_time=2.0, continue_from=path, **options)
    both = pc.Trajectory.open(path)
    once = pc.simulate(scenario.build(), end_time=2.0, **options)
    np.testing.assert_allclose(both.time, once.trajectory.time, atol=1e-12)
    assert len(both.events) > first > 0
    times = [event.time for event in both.events]
    assert times == sorted(times)
    balance = np.abs(both.energies["balance"]).max()
    # As for one run (see test_bubbles): tolerances of 2e-4 leave a balance of about half a per cent.
    assert balance < 0.02 * once.ledger.turnover
    lost = [each["contact_damping"][-1] + each["friction"][-1] for each in (both.energies, once.trajectory.energies)]
    # The paths differ after some impacts; that most of the energy is lost by then does not.
    assert lost[0] == pytest.approx(lost[1], rel=0.1)


def test_another_file_takes_the_continuation_alone(tmp_path: Path) -> None:
    first, second = tmp_path / "first.h5", tmp_path / "second.h5"
    pc.simulate(pendulum(), end_time=1.0, record=first, output_step=0.1)
    before = first.read_bytes()
    pc.simulate(pendulum(), end_time=2.0, continue_from=first, record=second, output_step=0.1)
    assert first.read_bytes() == before
    time = pc.Trajectory.open(second).time
    assert (time[0], time[-1], len(time)) == (1.0, 2.0, 11)


def test_same_file_named_twice_is_extended(tmp_path: Path) -> None:
    path = tmp_path / "run.h5"
    pc.simulate(pendulum(), end_time=1.0, record=path, output_step=0.1)
    pc.simulate(pendulum(), end_time=2.0, continue_from=path, record=path, output_step=0.1)
    assert len(pc.Trajectory.open(path)) == 21


def test_discrete_states_go_on(tmp_path: Path) -> None:
    """The latch has turned at sqrt(0.8) s: after that it must stay turned."""
    path = tmp_path / "run.h5"
    pc.simulate(latched(), end_time=1.0, record=path, **TIGHT)
    run = pc.simulate(latched(), end_time=2.0, continue_from=path, **TIGHT)
    tau = 2.0 - math.sqrt(0.8)
    expected = 0.2 + 0.5 * math.sqrt(0.8) * tau - 0.25 * tau**2
    assert run.trajectory.joint("slide").coordinates[-1, 0] == pytest.approx(expected, abs=1e-6)
    assert run.trajectory.array("discrete")[-1, 0] == 1.0


def test_system_of_another_kind_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "run.h5"
    pc.simulate(pendulum(), end_time=0.5, record=path)
    before = path.read_bytes()
    with pytest.raises(pc.SimulationError, match="states are not those of this system"):
        pc.simulate(bouncing_ball(), end_time=1.0, continue_from=path)
    other = pendulum()
    other.add_body("post", surface=pc.shapes.plane((1.0, 1.0)), fixed=True)
    with pytest.raises(pc.SimulationError, match="its bodies are bob"):
        pc.simulate(other, end_time=1.0, continue_from=path)
    assert path.read_bytes() == before


LAW = pc.LayerLaw(stiffness=1e6, damping=1e4)
LAYER, OTHER_LAYER = (
    pc.ElasticLayer(youngs_modulus=modulus, poissons_ratio=0.3, thickness=0.01) for modulus in (1e6, 2e6)
)
FRICTION = pc.RegularisedCoulomb(coefficient=0.3)


@pc.laws.contact_law("test: spring alone")
def spring_alone(elements, parameters):  # type: ignore[no-untyped-def]
    """A pressure in proportion to the depth; parameter: N/m³."""
    for k in range(elements.n):
        elements.normal_force[k] += parameters[0] * elements.depth[k] * elements.area[k]


def box_on_floor(
    name: str = "landing", e: str = "box", f: str = "floor", shape: int = 0, **options: Any
) -> pc.MultibodySystem:
    """A box of two shapes, of which one, number ``shape``, touches a floor."""
    system = pc.MultibodySystem("box on floor")
    shapes = [pc.Shape(pc.shapes.box(0.1), contact=i == shape) for i in range(2)]
    system.add_body("box", shapes=shapes, mass=1.0, position=(0.0, 0.0, 0.0499))
    system.add_body("floor", surface=pc.shapes.plane((1.0, 1.0)), fixed=True)
    system.add_contact(e, f, name=name, **{"law": LAW, **options})
    return system


@pytest.mark.parametrize(
    ("was", "now", "said"),
    [
        (
            {},
            {"law": pc.LayerLaw(stiffness=2e6, damping=1e4)},
            "law.stiffness = 1000000 N/m³, that of the continuation 2000000 N/m³",
        ),
        ({}, {"law": pc.LayerLaw(stiffness=1e6)}, "law.damping = 10000 N s/m³, that of the continuation 0 N s/m³"),
        ({}, {"law": spring_alone(1e6)}, "law.kind = 'layer', that of the continuation 'user_law'"),
        (
            {},
            {"method": pc.contact.PenetrationLines()},
            "method.kind = 'polygonal', that of the continuation 'penetration_lines'",
        ),
        ({}, {"shape": 1}, "shape_e = 0, that of the continuation 1"),
        ({}, {"base": "F"}, "method.base = 'E', that of the continuation 'F'"),
        ({}, {"friction": FRICTION}, "friction = None, that of the continuation {'kind': 'regularised_coulomb'"),
        ({"friction": FRICTION}, {}, "'coefficient': 0.3, 'velocity': 0.001}, that of the continuation None"),
        (
            {"law": pc.LayerLaw(), "layers": (LAYER, LAYER)},
            {"law": pc.LayerLaw(), "layers": (LAYER, OTHER_LAYER)},
            "layers[1].youngs_modulus = 1000000 Pa, that of the continuation 2000000 Pa",
        ),
    ],
)
def test_changed_contact_is_refused(tmp_path: Path, was: dict[str, Any], now: dict[str, Any], said: str) -> None:
    """The message names the contact, the option and both values; the file stays as it is."""
    path = tmp_path / "run.h5"
    pc.simulate(box_on_floor(**was), end_time=0.01, record=path)
    before = path.read_bytes()
    with pytest.raises(pc.SimulationError) as caught:
        pc.simulate(box_on_floor(**now), end_time=0.02, continue_from=path)
    assert str(caught.value).startswith(f"{path}: the run cannot be continued, its contact 'landing' has ")
    assert said in str(caught.value)
    assert "continue with the same system, or record to another file" in str(caught.value)
    assert path.read_bytes() == before
    pc.simulate(box_on_floor(**was), end_time=0.02, continue_from=path)  # the same contact again is none


def test_contact_of_another_name_or_the_other_way_round_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "run.h5"
    pc.simulate(box_on_floor(), end_time=0.01, record=path)
    with pytest.raises(pc.SimulationError, match=r"its pairings are landing \(1\), .* continuation touch \(1\)"):
        pc.simulate(box_on_floor("touch"), end_time=0.02, continue_from=path)
    with pytest.raises(pc.SimulationError, match=r"pairings is .*'box', 'floor'\), .* \('landing', 'floor', 'box'\)"):
        pc.simulate(box_on_floor(e="floor", f="box"), end_time=0.02, continue_from=path)


def test_contact_may_change_in_another_file(tmp_path: Path) -> None:
    """As the message says."""
    first, second = tmp_path / "first.h5", tmp_path / "second.h5"
    pc.simulate(box_on_floor(), end_time=0.01, record=first)
    softer = box_on_floor(law=pc.LayerLaw(stiffness=5e5))
    assert pc.simulate(softer, end_time=0.02, continue_from=first, record=second).status == "finished"


def test_other_discrete_states_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "run.h5"
    pc.simulate(oscillator(), end_time=0.5, record=path)
    system = latched()
    with pytest.raises(pc.SimulationError, match="0 discrete states, this system 1"):
        pc.simulate(system, end_time=1.0, continue_from=path)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"end_time": 0.5}, "end_time 0.5 s is not after the start at 0.5 s"),
        ({"rtol": 1e-16}, "rtol is 1e-16"),
    ],
)
def test_bad_settings_leave_the_file_alone(tmp_path: Path, change: dict[str, float], said: str) -> None:
    path = tmp_path / "run.h5"
    pc.simulate(pendulum(), end_time=0.5, record=path)
    before = path.read_bytes()
    with pytest.raises(pc.SimulationError, match=said):
        pc.simulate(pendulum(), **{"end_time": 1.0, "continue_from": path, **change})
    assert path.read_bytes() == before


def test_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(pc.SimulationError, match=r"nowhere\.h5"):
        pc.simulate(pendulum(), end_time=1.0, continue_from=tmp_path / "nowhere.h5")


def test_stopped_run_can_go_on(tmp_path: Path) -> None:
    """After Ctrl-C the rest follows from the last sample."""
    path = tmp_path / "run.h5"
    stop_at = [0.4]

    def stop(view: pc.multibody.ForceView) -> None:
        if view.time > stop_at[0]:
            raise KeyboardInterrupt

    system = box_over_plane()
    system.add_force(pc.multibody.PythonForce("stop", stop))
    assert pc.simulate(system, end_time=1.0, record=path, **TIGHT).status == "stopped"
    stop_at[0] = math.inf
    pc.simulate(system, end_time=1.0, continue_from=path, **TIGHT)
    both, once = pc.Trajectory.open(path), pc.simulate(box_over_plane(), end_time=1.0, **TIGHT).trajectory
    assert both.status == "finished"
    np.testing.assert_allclose(both.body("box").position[-1], once.body("box").position[-1], atol=1e-5)


def test_a_continued_ledger_goes_on_from_the_first_start(tmp_path: Path) -> None:
    """Stored, lost and residual energies add up to the start of the first run, not to that of the second."""
    path = tmp_path / "run.h5"
    scenario = pc.load_scenario("ball_on_table")
    options = scenario.settings | {"output_step": 0.01}
    pc.simulate(scenario.build(), record=path, **(options | {"end_time": 0.6}))
    before = pc.Trajectory.open(path).energies
    pc.simulate(scenario.build(), continue_from=path, **(options | {"end_time": 0.9}))
    energies = pc.Trajectory.open(path).energies
    k = len(before["kinetic"]) - 1
    # The step across the joint is one output step: nothing starts from zero again.
    for column in ("residual", "balance"):
        assert energies[column][k] == before[column][-1]
    stored = sum(energies[name] for name in ("kinetic", "gravity", "springs", "elastic"))
    lost = sum(energies[name] for name in ("contact_damping", "friction", "damping"))
    closed = stored + lost - energies["input"] + energies["residual"] - energies["balance"]
    np.testing.assert_allclose(closed, closed[0], rtol=1e-12)


def test_statistics_are_of_all_parts(tmp_path: Path) -> None:
    """Counters and times add up, and those of samples go on."""
    path = tmp_path / "run.h5"
    first = pc.simulate(pendulum(), end_time=0.5, output_step=0.1, record=path).statistics
    run = pc.simulate(pendulum(), end_time=1.0, output_step=0.1, continue_from=path, integrator="dopri5")
    both, trajectory = run.statistics, pc.Trajectory.open(path)
    assert trajectory.statistics == {**trajectory.statistics, **both.to_dict()}
    assert both.simulated_time == pytest.approx(1.0)
    assert both.samples == len(trajectory) == 11
    assert both.steps > first.steps
    assert both.evaluations > first.evaluations
    assert both.cpu_seconds > first.cpu_seconds
    assert both.mean_step == pytest.approx(1.0 / both.steps)
    assert both.integrator == "cvode-bdf, dopri5"
    assert np.all(np.diff(trajectory.array("evaluations")) >= 0)
    elsewhere = pc.simulate(
        pendulum(), end_time=1.1, output_step=0.1, continue_from=path, record=tmp_path / "other.h5"
    ).statistics
    assert elsewhere.simulated_time == pytest.approx(0.1)


def test_all_that_a_run_tells_is_of_both_parts(tmp_path: Path) -> None:
    """Ledger, events, loads and where it was continued; at the seam nothing is counted twice."""
    path = tmp_path / "run.h5"
    options: dict[str, Any] = {"output_step": 0.05, "contact_events": True, **TIGHT}
    first = pc.simulate(bouncing_ball(damping=300.0), end_time=0.5, record=path, **options)
    run = pc.simulate(bouncing_ball(damping=300.0), end_time=1.0, continue_from=path, **options)
    once = pc.simulate(bouncing_ball(damping=300.0), end_time=1.0, **options)
    np.testing.assert_allclose(run.ledger.time, run.trajectory.time)
    for name, energies in run.trajectory.energies.items():
        np.testing.assert_array_equal(run.ledger[name], energies)
    assert run.ledger.worst_balance >= first.ledger.worst_balance
    assert run.ledger.turnover == pytest.approx(once.ledger.turnover, rel=1e-3)  # the ball's bounces differ by less
    assert run.trajectory.statistics["ledger"] == run.ledger.summary()
    assert [each.kind for each in run.events] == [each.kind for each in once.events]
    assert len(run.events) == run.statistics.events > len(first.events) > 0
    assert run.statistics.samples == len(run.trajectory) == len(once.trajectory)
    assert (first.statistics.continued_at, run.statistics.continued_at) == ((), (0.5,))
    again = pc.simulate(bouncing_ball(damping=300.0), end_time=1.1, continue_from=path, **options)
    assert again.statistics.continued_at == (0.5, 1.0)
    apart = pc.simulate(
        bouncing_ball(damping=300.0), end_time=1.2, continue_from=path, record=tmp_path / "more.h5", **options
    )
    assert apart.statistics.continued_at == (1.1,)
    assert apart.ledger.time[0] == pytest.approx(1.1)


@pytest.mark.slow
@pytest.mark.parametrize("integrator", ["cvode-bdf", "lsoda", "dopri5", "ida"])
def test_a_continued_run_is_as_accurate_as_one_in_one_go(integrator: str, tmp_path: Path) -> None:
    """Stopped at eight times: their errors are of the size of the one's, and the difference is no greater than both."""
    options: dict[str, Any] = {"integrator": integrator, "output_step": 0.1, "rtol": 1e-6, "atol": 1e-6}
    exact = pendulum_angle(np.array([2.0]))[0]
    once = pc.simulate(pendulum(), end_time=2.0, **options).trajectory.joint("hinge").coordinates[-1, 0]
    errors = []
    for i, stop in enumerate(np.linspace(0.45, 1.55, 8)):
        path = tmp_path / f"{i}.h5"
        pc.simulate(pendulum(), end_time=float(stop), record=path, **options)
        run = pc.simulate(pendulum(), end_time=2.0, continue_from=path, **options)
        errors.append(abs(run.trajectory.joint("hinge").coordinates[-1, 0] - exact))
    # A global error is a sum of local ones of either sign, so that single ones may be small by chance: 3e-5 is 30 local
    # tolerances, and the greatest error measured in one go, of cvode-bdf, is 2e-5.
    assert abs(once - exact) < 3e-5
    assert max(errors) < 3e-5
