"""Starts and ends of contact as roots of the signed distance: closed forms, none missed (S4.28, S4.29, S4.32)."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from numba import types
from small_systems import GRAVITY, box_over_plane

import polycontact as pc
from polycontact.kernels.addresses import address_of, doubles_at
from polycontact.kernels.jit import uncached_entry
from polycontact.multibody.evaluator import Evaluator
from polycontact.simulation.contact_times import PROBES
from polycontact.simulation.integrators import INTEGRATORS
from sphere_method import Ball, BallOnGround, BallPair, Ground, as_ball

RADIUS, MASS, SPRING, HEIGHT = 0.1, 1.5, 2e4, 0.2
"""m, kg, N/m, m."""

LAW = pc.LayerLaw(stiffness=SPRING)
every_integrator = pytest.mark.parametrize("integrator", INTEGRATORS)


def ball_over_plate(*, law: pc.LayerLaw = LAW, velocity: Any = (0, 0, 0), thickness: float = 0.5) -> pc.MultibodySystem:
    """A ball over a plate, both convex: a mass on a linear spring that only pushes."""
    system = pc.MultibodySystem("ball over plate")
    plate = pc.convex.Box((2.0, 2.0, thickness))
    system.add_body("plate", surface=plate, fixed=True, position=(0, 0, -0.5 * thickness))
    ball = pc.convex.Sphere(RADIUS)
    system.add_body("ball", surface=ball, mass=MASS, position=(0, 0, RADIUS + HEIGHT), velocity=velocity)
    system.add_contact("plate", "ball", name="bounce", method=pc.contact.ConvexMethod(), law=law)
    return system


def bounces(n: int) -> list[float]:
    """Times at which the ball without damping meets the plate and leaves it, n of each, s; see `bounce_times`."""
    speed, omega = math.sqrt(2.0 * GRAVITY * HEIGHT), math.sqrt(SPRING / MASS)
    contact = (2.0 * math.pi - 2.0 * math.atan(speed * omega / GRAVITY)) / omega
    starts = [speed / GRAVITY + i * (contact + 2.0 * speed / GRAVITY) for i in range(n)]
    return [time for start in starts for time in (start, start + contact)]


@every_integrator
@pytest.mark.parametrize("events", [True, "restart"])
def test_bounces_come_when_free_fall_says(integrator: str, events: Any) -> None:
    """Three bounces; convex shapes are smaller by 1e-9 of their size, which is 1e-9 m here and so 1e-9 s at 2 m/s."""
    run = pc.simulate(
        ball_over_plate(), end_time=1.3, integrator=integrator, rtol=1e-10, atol=1e-10, contact_events=events
    )
    assert [event.kind for event in run.events] == ["start", "end"] * 3
    np.testing.assert_allclose([event.time for event in run.events], bounces(3), atol=2e-7)
    assert run.events[0].time == pytest.approx(math.sqrt(2.0 * HEIGHT / GRAVITY), abs=2e-9)
    assert events is True or run.statistics.restarts >= 6


@pytest.mark.filterwarnings("ignore::polycontact.errors.SimulationWarning")  # of energy, at tolerances without mercy
@every_integrator
@pytest.mark.parametrize("tolerance", [1e-2, pytest.param(1e-3, marks=pytest.mark.slow), 1e-5])
@pytest.mark.parametrize("events", [True, "restart"])
def test_none_is_missed_at_coarse_steps(integrator: str, tolerance: float, events: Any) -> None:
    """Whatever the tolerance, the contact in which the ball turns round is seen, and starts and ends take turns.

    With DOPRI5 at 1e-2 one of them begins and ends within a step.
    """
    run = pc.simulate(
        ball_over_plate(velocity=(0, 0, -3.0)), end_time=1.2, integrator=integrator, rtol=tolerance, atol=tolerance,
        contact_events=events, output_step=1e-3,
    )  # fmt: skip
    kinds = [event.kind for event in run.events]
    assert kinds == list(itertools.islice(itertools.cycle(("start", "end")), len(kinds)))
    up = np.diff(np.sign(run.trajectory.body("ball").velocity[:, 2])) > 0
    assert kinds.count("start") == np.count_nonzero(up) >= 1


def test_a_contact_through_the_limit_of_steps_is_seen() -> None:
    """A plate of 10 mm at 50 m/s and a tolerance that would jump over it: the limit of steps stops in the contact."""
    law = pc.LayerLaw(stiffness=MASS * 50.0**2 / 2e-3**2)  # turns round within 2 mm
    system = ball_over_plate(law=law, velocity=(0, 0, -50.0), thickness=0.01)
    run = pc.simulate(system, end_time=0.01, rtol=1e-3, atol=1e-3, contact_events=True)
    assert [event.kind for event in run.events] == ["start", "end"]
    assert run.events[0].time == pytest.approx(HEIGHT / 50.0, rel=1e-3)


def test_noting_events_does_not_change_the_motion_and_restarting_does() -> None:
    runs = [pc.simulate(ball_over_plate(), end_time=0.6, contact_events=each) for each in (False, True, "restart")]
    states = [run.trajectory.array("state") for run in runs]
    np.testing.assert_array_equal(states[0], states[1])
    assert not np.array_equal(states[0], states[2])
    assert [len(run.events) for run in runs] == [0, 2, 2]


def counted(monkeypatch: pytest.MonkeyPatch) -> dict[str, int]:
    """How often pairs are asked for their gap, and whether they touch."""
    calls = {"gap": 0, "touches": 0}
    for name in calls:
        asked = getattr(Evaluator, name)

        def count(self: Evaluator, *arguments: Any, name: str = name, asked: Any = asked) -> Any:
            calls[name] += 1
            return asked(self, *arguments)

        monkeypatch.setattr(Evaluator, name, count)
    return calls


def test_a_root_takes_a_few_evaluations_and_a_bisection_thirty(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = counted(monkeypatch)
    run = pc.simulate(ball_over_plate(), end_time=0.6, contact_events=True)
    assert len(run.events) == 2
    assert calls["gap"] <= 12 * 2, "ends of the step, and a few secants between them"
    assert calls["touches"] % PROBES == 4, "both sides are checked, beside probes where a rejected step met the plate"
    calls.update(gap=0, touches=0)
    run = pc.simulate(box_over_plane(height=HEIGHT), end_time=0.25, contact_events=True)
    assert len(run.events) == 2
    assert calls["gap"] == 0, "meshes do not know it in compiled code"
    assert calls["touches"] >= 25 * 2


@pytest.mark.parametrize("height", [0.5, 1e-3, 1e-6, 0.0, -1e-6, -0.05])
def test_gap_has_the_sign_of_contact(height: float) -> None:
    """Positive apart, also far beyond the boxes, negative in contact; by hand the height, but for shrinking by 1e-9."""
    compiled = ball_over_plate().compile()
    evaluator = compiled.evaluator()
    y = compiled.start_state()
    y[2] = RADIUS + height
    gap = evaluator.gap(0, 0.0, y)
    assert gap == pytest.approx(height, abs=1e-9)
    assert (gap < 0.0) == evaluator.touches(0, 0.0, y) == bool(evaluator.touching(0.0, y)[0])


def test_smooth_surfaces_have_gaps_too() -> None:
    system = pc.MultibodySystem("smooth")
    system.add_body("below", surface=pc.implicit.Sphere(0.3), fixed=True)
    system.add_body("above", surface=pc.implicit.Sphere(0.2), mass=1.0, position=(0, 0, 0.5 + HEIGHT))
    system.add_contact("below", "above", method=pc.contact.ImplicitMethod(), law=LAW)
    run = pc.simulate(system, end_time=0.3, rtol=1e-9, atol=1e-9, contact_events=True)
    assert [event.kind for event in run.events] == ["start", "end"]
    assert run.events[0].time == pytest.approx(math.sqrt(2.0 * HEIGHT / GRAVITY), abs=1e-8)  # of the integration


def test_a_gap_that_does_not_decide_is_not_believed(monkeypatch: pytest.MonkeyPatch) -> None:
    """A method whose gap is off by a millimetre, or no number: the contact itself decides about its time."""
    right = pc.simulate(ball_over_plate(), end_time=0.3, contact_events=True)
    gap = Evaluator.gap
    for wrong in (lambda g: g + 1e-3, lambda g: g - 1e-3, lambda g: math.nan, lambda g: 1.0):
        monkeypatch.setattr(Evaluator, "gap", lambda self, *at, wrong=wrong: wrong(gap(self, *at)))
        run = pc.simulate(ball_over_plate(), end_time=0.3, contact_events=True)
        assert [event.kind for event in run.events] == ["start", "end"]
        times = [[event.time for event in each.events] for each in (run, right)]
        np.testing.assert_allclose(*times, atol=1e-10)  # both to 1e-9 of a step that is below 0.1 s


@uncached_entry((types.int64, types.int64, types.int64))
def gap_of_ball(row: int, kinematics: int, out: int) -> int:
    """Height of the ball F over the half-space E."""
    doubles_at(out, 6)[0] = doubles_at(kinematics, 18)[11] - as_ball(row).radius
    return 0


@dataclass(frozen=True)
class BallPairWithGap(BallPair):
    """As `BallPair`; it knows the distance."""

    gap_entry: int = address_of(gap_of_ball)


@pc.contact.described("test: ball on ground with gap")
@dataclass(frozen=True)
class BallWithGap(BallOnGround):
    """As `BallOnGround`; its pairs know their distance."""

    def prepare(self, e: Any, f: Any, description: Any, name: str) -> BallPair:
        return BallPairWithGap(f.radius, description.prepare_laws(), description.depth_share)


@pytest.mark.parametrize("method", [BallOnGround(), BallWithGap()])
def test_methods_from_outside_may_have_gaps(method: BallOnGround, monkeypatch: pytest.MonkeyPatch) -> None:
    calls = counted(monkeypatch)
    system = pc.MultibodySystem("ball over ground")
    system.add_body("ground", surface=Ground(), fixed=True)
    system.add_body("ball", surface=Ball(RADIUS), mass=MASS, position=(0, 0, RADIUS + HEIGHT))
    system.add_contact("ground", "ball", method=method, law=LAW)
    run = pc.simulate(system, end_time=0.3, rtol=1e-9, atol=1e-9, contact_events="restart")
    np.testing.assert_allclose([event.time for event in run.events], bounces(1), atol=1e-7)
    assert (calls["gap"] > 0) == isinstance(method, BallWithGap)


def test_what_is_no_way_to_treat_events_is_refused() -> None:
    with pytest.raises(pc.SimulationError, match="contact_events is 'stop'; give True, False or 'restart'"):
        pc.simulate(ball_over_plate(), end_time=0.1, contact_events="stop")  # type: ignore[arg-type]


# Neighbours -----------------------------------------------------------------------------------------------------

CUBE = pc.convex.Box((1.0, 1.0, 1.0))


def test_rigidly_attached_neighbours_do_not_touch() -> None:
    """Convex bodies flush on each other in a chain of fixed joints (S4.12): no pairs are found among them."""
    system = pc.MultibodySystem("stack")
    system.add_body("a", surface=CUBE, mass=1.0, position=(0, 0, 5.0))
    for below, above in (("a", "b"), ("b", "c")):
        system.add_body(above, surface=CUBE, mass=1.0)
        system.add_joint(f"on {below}", "fixed", below, above, at=(0, 0, 1.0))
    system.add_body("loose", surface=CUBE, mass=1.0, position=(3.0, 0, 5.0))
    found = system.find_contacts(method=pc.contact.ConvexMethod(), law=LAW)
    assert {frozenset((each.e, each.f)) for each in found} == {frozenset((name, "loose")) for name in "abc"}


@pytest.mark.parametrize("seed", range(5))
def test_flush_neighbours_do_not_touch_even_as_a_pair(seed: int) -> None:
    """A pair that is named all the same, anywhere in space: shapes are smaller by 1e-9, far above rounding (S4.12)."""
    rng = np.random.default_rng(seed)
    system = pc.MultibodySystem("stack", gravity=(0, 0, 0))
    axes = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    axes *= np.sign(np.linalg.det(axes))
    system.add_body("a", surface=CUBE, mass=1.0, position=rng.normal(size=3), rotation=axes)
    system.add_body("b", surface=CUBE, mass=1.0)
    system.add_joint("weld", "fixed", "a", "b", at=(0, 0, 1.0))
    system.add_contact("a", "b", method=pc.contact.ConvexMethod(), law=LAW)
    compiled = system.compile()
    contacts = compiled.evaluate(0.0, compiled.start_state()).contacts
    assert contacts.near.tolist() == [0]
    assert not contacts.wrench.any()
    assert contacts.area[0] == 0.0


def test_contact_is_switched_for_each_convex_shape() -> None:
    """`contact` true or false per shape, all pairs of active shapes are watched (S4.10)."""
    system = pc.MultibodySystem("switches")
    shapes = [pc.Shape(CUBE), pc.Shape(CUBE, position=(1.0, 0, 0), contact=False), pc.Shape(CUBE, position=(2.0, 0, 0))]
    system.add_body("three", mass=1.0, shapes=shapes)
    system.add_body("one", mass=1.0, surface=CUBE, position=(1.0, 0, 0.9))
    system.add_body("picture", mass=1.0, surface=CUBE, contact=False)
    found = system.find_contacts(method=pc.contact.ConvexMethod(), law=LAW)
    assert [(each.e, each.f, each.shape_e, each.shape_f) for each in found] == [
        ("three", "one", 0, 0),
        ("three", "one", 2, 0),
    ]
    compiled = system.compile()
    # The cube above is over the shape that is switched off: flush beside the others it touches none of them.
    assert not compiled.evaluate(0.0, compiled.start_state()).contacts.wrench.any()
