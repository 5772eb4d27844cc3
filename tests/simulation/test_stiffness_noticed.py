"""Explicit integrators notice stiffness and say so once; "auto" goes on with another method."""

from __future__ import annotations

import math
import warnings
from pathlib import Path

import numpy as np
import pytest
from integration_problems import Array, oscillator, run, tolerances

import polycontact as pc
from polycontact.errors import SimulationWarning
from polycontact.simulation.integrators import Integrator, make_integrator
from polycontact.simulation.integrators.stiffness_looks import LOOKS_TO_CHANGE, LOOKS_TO_TELL
from polycontact.simulation.stiffness_warning import told_stiffness
from polycontact.tolerances import LOOK_STEPS

FAST = 2e4
"""Rate of the fast mode, 1/s."""
explicit = pytest.mark.parametrize("name", ["dopri5", "cvode-adams", "auto"])
ways = pytest.mark.parametrize("by_address", [True, False])


def relaxed(t: float, y: Array, out: Array) -> None:
    """A slow motion, cos t, to which all else falls within 50 µs; and an integral of it."""
    out[0] = -FAST * (y[0] - math.cos(t)) - math.sin(t)
    out[1] = y[0]


def held(t: float, y: Array, out: Array) -> None:
    """A mass on a stiff spring with its damper, at rest: position and speed, with the rates 3732/s and 268/s."""
    out[0] = y[1]
    out[1] = -1e6 * y[0] - 4e3 * y[1]


def made(
    name: str, by_address: bool, monkeypatch: pytest.MonkeyPatch, f: object = relaxed, end: float = 0.2
) -> Integrator:
    if not by_address:
        monkeypatch.setattr("polycontact.simulation.integrators.sundials_library.sundials_library", lambda: None)
    start = [1.0, 0.0] if f is relaxed else [1e-3, 0.0]
    return make_integrator(name, f, 0.0, start, end, tolerances(1e-5), jacobian_size=1 if f is relaxed else 2)  # type: ignore[arg-type]


@explicit
@ways
def test_a_fast_mode_that_has_died_out_is_noticed(name: str, by_address: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    integrator = made(name, by_address, monkeypatch)
    while integrator.t < integrator.end_time and integrator.stiffness is None:
        integrator.step()
    found = integrator.stiffness
    assert found is not None
    assert 0.0 <= found.since < found.noticed_at == integrator.t_old or found.noticed_at == integrator.t
    needed = LOOKS_TO_CHANGE if name == "auto" else LOOKS_TO_TELL
    # Some looks may find nothing, and count against another: a fifth of them is much.
    assert needed * LOOK_STEPS <= integrator.statistics.steps <= 1.2 * needed * LOOK_STEPS + 2 * LOOK_STEPS
    # Steps are λ h = 0.3 to 3.3 long, for 1.5 to 7 evaluations each.
    assert 0.4 * FAST < found.evaluations_per_second < 25.0 * FAST


@pytest.mark.parametrize("name", ["dopri5", "cvode-adams"])
def test_the_rate_of_a_position_and_its_speed_is_found(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A position changes the rate of its speed by 1e6, which is not the rate at which it moves."""
    integrator = made(name, True, monkeypatch, held, end=10.0)
    while integrator.stiffness is None:
        integrator.step()
    assert integrator._watch is not None
    # The power iteration has long converged, but for what is mixed in: 1e-5 × 1e6 / 3732.
    assert integrator._watch.view.rate == pytest.approx(1e3 * (2.0 + math.sqrt(3.0)), rel=0.01)


@explicit
@ways
def test_motion_that_goes_on_is_not_stiff(name: str, by_address: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if not by_address:
        monkeypatch.setattr("polycontact.simulation.integrators.sundials_library.sundials_library", lambda: None)
    integrator = run(make_integrator(name, oscillator, 0.0, [1.0, 0.0], 60.0, tolerances(1e-5)))
    assert integrator.statistics.steps > 5 * LOOK_STEPS
    assert integrator.stiffness is None
    assert integrator.statistics.jacobians == 0


@ways
def test_auto_changes_over(by_address: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    calls, stages = 0, []

    def counting(t: float, y: Array, out: Array) -> None:
        nonlocal calls
        calls += 1
        relaxed(t, y, out)

    integrator = made("auto", by_address, monkeypatch, end=2.0)
    integrator = make_integrator("auto", counting, 0.0, [1.0, 0.0], 2.0, tolerances(1e-5), jacobian_size=1)
    while integrator.t < 2.0:
        integrator.step(0.1)
        middle = 0.5 * (integrator.t_old + integrator.t)
        # Steps are 0.1 s at most, and their polynomials about as accurate as they are: 10 tolerances.
        assert integrator.interpolate(middle)[0] == pytest.approx(math.cos(middle), abs=1e-4)
        stages.append((integrator.statistics.steps, integrator.statistics.evaluations, integrator.statistics.restarts))
    statistics = integrator.statistics
    assert [steps for steps, _, _ in stages] == list(range(1, len(stages) + 1))
    assert np.all(np.diff([evaluations for _, evaluations, _ in stages]) >= 0)
    assert (statistics.restarts, statistics.evaluations) == (1, calls)
    assert statistics.jacobians > 0
    # With Adams alone it takes 2 s × 20,000 /s × 2 evaluations or so.
    assert statistics.evaluations < 1000
    assert integrator.y[1] == pytest.approx(math.sin(2.0), abs=1e-3)


def test_auto_takes_a_jacobian_and_starts_again() -> None:
    def exact(t: float, y: Array, out: Array) -> None:
        out[0, 0], out[1, 0] = -FAST, 1.0

    integrator = make_integrator(
        "auto", relaxed, 0.0, [1.0, 0.0], 1.0, tolerances(1e-5), jacobian_size=1, jacobian=exact
    )
    run(integrator, 0.1)
    assert integrator.statistics.jacobians > 0
    assert integrator.statistics.jacobian_evaluations == 0
    integrator.restart(0.5, [1.0, 0.0])
    assert (integrator.t, integrator.statistics.restarts) == (0.5, 2)
    assert run(integrator).y[0] == pytest.approx(math.cos(1.0), abs=1e-3)


def test_errors_name_what_was_asked_for() -> None:
    def wall(t: float, y: Array, out: Array) -> None:
        relaxed(t, y, out)
        out[0] = out[0] if t < 0.05 else math.nan

    with pytest.raises(pc.IntegrationError, match=r"auto stopped at 0\.0"):
        run(make_integrator("auto", wall, 0.0, [1.0, 0.0], 1.0, tolerances(1e-5), jacobian_size=1))


def test_the_warning_names_time_cost_and_remedy() -> None:
    from polycontact.simulation.integrators import Stiffness

    told = told_stiffness(Stiffness(1.25, 1.5, 36123.0), "dopri5")
    for part in ("dopri5", "1.25 s", "1.5 s", "36,000 evaluations", 'integrator="cvode-bdf"', '"auto"'):
        assert part in told


# Runs of a system ------------------------------------------------------------------------------------------------


def lying_ball() -> pc.MultibodySystem:
    """A ball that lies on a plate, held by steep friction: its rate is 7 μ g / v = 21,000/s."""
    system = pc.MultibodySystem("lying")
    system.add_body("plate", surface=pc.shapes.box(size=(0.3, 0.3, 0.02)), fixed=True, position=(0.0, 0.0, -0.01))
    system.add_body("ball", surface=pc.shapes.sphere(0.05, 2), density=300.0, position=(0.0, 0.0, 0.05))
    law, friction = pc.LayerLaw(stiffness=1e8, damping=1e6), pc.RegularisedCoulomb(coefficient=0.3, velocity=1e-3)
    system.add_contact("ball", "plate", law=law, friction=friction)
    return system


def noticed(integrator: str, **options: object) -> tuple[pc.simulation.Run, list[str]]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        run = pc.simulate(lying_ball(), end_time=0.15, output_step=0.01, integrator=integrator, **options)  # type: ignore[arg-type]
    return run, [str(each.message) for each in caught if each.category is SimulationWarning]


@pytest.mark.parametrize("integrator", ["dopri5", "cvode-adams"])
def test_a_run_warns_once(integrator: str, tmp_path: Path) -> None:
    run, told = noticed(integrator, record=tmp_path / "run.h5")
    (warning,) = [each for each in told if "stiffness" in each]
    assert warning.startswith(integrator)
    since = run.statistics.stiff_since
    assert since is not None
    assert f"since t = {since:.6g} s" in warning
    assert pc.Trajectory.open(tmp_path / "run.h5").statistics["stiff_since"] == since


def test_a_run_that_goes_on_keeps_when_it_was_stiff(tmp_path: Path) -> None:
    first, _ = noticed("cvode-adams", record=tmp_path / "run.h5")
    more = pc.simulate(lying_ball(), end_time=0.16, continue_from=tmp_path / "run.h5")
    assert more.statistics.stiff_since == first.statistics.stiff_since is not None


def test_a_run_with_auto_changes_over_and_is_silent() -> None:
    run, told = noticed("auto")
    implicit, _ = noticed("cvode-bdf")
    adams, _ = noticed("cvode-adams")
    assert not [each for each in told if "stiffness" in each]
    assert run.statistics.stiff_since is not None
    assert implicit.statistics.stiff_since is None
    assert run.statistics.integrator == "auto"
    # Three looks are 36 steps of three evaluations; the rest is as with cvode-bdf alone, but for a new start.
    assert run.statistics.evaluations < 2 * implicit.statistics.evaluations + 250 < adams.statistics.evaluations
    ends = [each.trajectory.body("ball").position[-1] for each in (run, implicit)]
    np.testing.assert_allclose(*ends, atol=1e-4)  # the absolute tolerance


def test_names_are_told() -> None:
    with pytest.raises(pc.SimulationError, match=r"no integrator 'automatic'; choose one of .*dopri5, auto"):
        pc.simulate(lying_ball(), end_time=0.1, integrator="automatic")
    with pytest.raises(pc.SimulationError, match=r"integrator is 'auto', which multipliers do not use"):
        pc.simulate(lying_ball(), end_time=0.1, integrator="auto", response="multipliers")


@pytest.mark.slow
def test_bubbles_at_rest_do_not_stall() -> None:
    scenario = pc.load_scenario("bubbles")
    counted = {
        name: pc.simulate(scenario.build(), **{**scenario.settings, "integrator": name}).statistics
        for name in ("auto", "cvode-bdf", "cvode-adams")
    }
    # They rest from 2.5 s on, where stiffness is noticed; Adams alone takes ten times as much.
    assert 2.0 < (counted["auto"].stiff_since or 0.0) < 2.9
    assert counted["auto"].evaluations < 1.2 * counted["cvode-bdf"].evaluations
    assert counted["auto"].evaluations < 0.2 * counted["cvode-adams"].evaluations


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_any_stiffness_can_be_integrated() -> None:
    from tools.stiffness_sweep import END, table

    for costs in table((1e6, 1e10, 1e14), ("cvode-bdf", "auto"), 20_000):
        assert all(each.reached == END for each in costs.values())
        # Twice what was measured, 580 to 7,800: steps hang on rounding.
        assert max(each.evaluations for each in costs.values()) < 16_000
        assert costs["cvode-bdf"].energy_error < 0.05  # from where on a run warns
