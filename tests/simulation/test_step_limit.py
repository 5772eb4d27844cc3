"""No body passes through another unnoticed, however fast, thin or smooth its flight."""

from __future__ import annotations

import math

import pytest
from small_systems import shot_at_plate

import polycontact as pc
from polycontact.simulation.integrators import INTEGRATORS

every_integrator = pytest.mark.parametrize("integrator", INTEGRATORS)


def dropped(height: float) -> pc.MultibodySystem:
    """A thin plate at rest, high above the open container of the bubbles."""
    system = pc.MultibodySystem("drop")
    plate = pc.shapes.box(size=(0.05, 0.05, 0.002))
    system.add_body("plate", surface=plate, mass=0.01, position=(0.0, 0.0, height))
    system.add_body("container", surface=pc.shapes.container(), fixed=True)
    law = pc.LayerLaw(stiffness=1e10, damping=1e5, transition_depth=1e-4)
    system.add_contact("plate", "container", name="landing", law=law)
    return system


@every_integrator
@pytest.mark.parametrize("speed", [100.0, 500.0])
def test_fast_thin_plate_is_stopped(integrator: str, speed: float) -> None:
    run = pc.simulate(shot_at_plate(speed), end_time=2.0 / speed, integrator=integrator, rtol=1e-6, atol=1e-7)
    height = run.trajectory.body("bullet").position[:, 2]
    # The faces meet at 2 mm; the stiffness stops the plate after 0.2 mm.
    assert height.min() > 1.7e-3
    # Nothing is lost: it flies back as fast, but for the error of a contact of ten steps or so.
    assert run.trajectory.body("bullet").velocity[-1, 2] == pytest.approx(speed, rel=0.01)
    assert run.statistics.limited_steps > 0


@every_integrator
def test_free_flight_is_not_held_up(integrator: str) -> None:
    """Far away the limit is as long as the flight: the approach costs some steps, not one for each thickness."""
    run = pc.simulate(shot_at_plate(100.0), end_time=0.009, integrator=integrator)
    assert run.statistics.steps < 100


@every_integrator
def test_plate_from_rest_does_not_fall_through(integrator: str) -> None:
    """Free fall is a polynomial, which these integrators follow exactly in steps of any length."""
    height = 10.0
    end = 1.1 * math.sqrt(2.0 * height / 9.81)
    run = pc.simulate(dropped(height), end_time=end, integrator=integrator)
    position, velocity = (getattr(run.trajectory.body("plate"), name) for name in ("position", "velocity"))
    assert position[:, 2].min() > 0.0
    assert velocity[-1, 2] > 0.0


@every_integrator
@pytest.mark.parametrize("make", [lambda: shot_at_plate(100.0), lambda: dropped(10.0)])
def test_without_limit_it_is_told(integrator: str, make: object) -> None:
    assert callable(make)
    system = make()
    flying, hit = system.bodies
    contact = next(iter(system.contacts))
    end = 0.02 if hit == "target" else 1.1 * math.sqrt(20.0 / 9.81)
    with pytest.raises(pc.IntegrationError) as caught:
        pc.simulate(system, end_time=end, integrator=integrator, step_limit=False)
    error = caught.value
    assert error.reason == "passed through"
    for part in (repr(contact), repr(flying), repr(hit), "max_step", "step_limit"):
        assert part in str(error)
    assert isinstance(error.run, pc.Run)
    assert error.run.status == "failed"
    assert error.run.trajectory.time[-1] <= error.time


def test_step_that_ends_inside_is_told() -> None:
    """A small cube in a large one: no surface meets another."""
    system = pc.MultibodySystem("swallowed", gravity=(0.0, 0.0, 0.0))
    cube = pc.shapes.box(size=(0.1, 0.1, 0.1))
    system.add_body("small", surface=cube, mass=1.0, position=(0.0, 0.0, 10.0), velocity=(0.0, 0.0, -1000.0))
    system.add_body("large", surface=pc.shapes.box(size=(2.0, 2.0, 2.0)), fixed=True)
    system.add_contact("small", "large", name="gulp", law=pc.LayerLaw(stiffness=1e6))
    with pytest.raises(pc.IntegrationError, match=r"contact 'gulp': one lies wholly inside .*'small'.*'large'"):
        pc.simulate(system, end_time=0.01, integrator="dopri5", step_limit=False, first_step=0.01)


def test_limit_with_max_step_is_enough() -> None:
    """Without the limit, steps short enough by hand do as well."""
    run = pc.simulate(shot_at_plate(100.0), end_time=0.02, step_limit=False, max_step=1e-5, rtol=1e-6, atol=1e-7)
    assert run.trajectory.body("bullet").position[-1, 2] > 0.5


def test_users_roots_do_not_hide_that_a_body_lies_inside() -> None:
    """Looking for events evaluates other poses; what the step itself saw must not be forgotten."""

    class Clock(pc.multibody.ForceElement):
        def apply(self, view: pc.multibody.ForceView) -> None:
            pass

        def roots(self, view: pc.multibody.ForceView) -> list[float]:
            return [view.time - 100.0]

    system = pc.MultibodySystem("swallowed", gravity=(0.0, 0.0, 0.0))
    ball = pc.shapes.sphere(0.1, 2)
    system.add_body("ball", surface=ball, mass=1.0, position=(-2.5, 0.0, 0.0), velocity=(50.0, 0.0, 0.0))
    system.add_body("block", surface=pc.shapes.box((4.0, 4.0, 4.0)), fixed=True)
    system.add_contact("ball", "block", law=pc.LayerLaw(stiffness=1e3))
    system.add_force(Clock("clock"))
    with (
        pytest.warns(pc.ContactWarning),
        pytest.raises(pc.IntegrationError, match="wholly inside the other"),
    ):
        pc.simulate(system, end_time=0.2)


def test_gravity_may_change_between_runs() -> None:
    system = pc.MultibodySystem("falling")
    system.add_body("b", mass=1.0, inertia=(1.0, 1.0, 1.0))
    fallen = pc.simulate(system, end_time=1.0).trajectory.body("b").position[-1, 2]
    assert fallen == pytest.approx(-4.905, rel=1e-3)  # ten default tolerances
    system.gravity = (0.0, 0.0, 0.0)
    run = pc.simulate(system, end_time=1.0)
    assert run.trajectory.body("b").position[-1, 2] == 0.0
    assert run.trajectory.settings["gravity"] == [0.0, 0.0, 0.0]


def test_overlap_at_the_start_is_told() -> None:
    system = pc.MultibodySystem("overlapping")
    system.add_body("ball", surface=pc.shapes.sphere(0.1, 2), mass=1.0)
    system.add_body("plate", surface=pc.shapes.box((1.0, 1.0, 0.05)), fixed=True)
    system.add_contact("ball", "plate", law=pc.LayerLaw(stiffness=1e5))
    with pytest.warns(pc.ContactWarning, match=r"ball–plate.*overlap by .* mm at the start"):
        pc.simulate(system, end_time=0.001)
