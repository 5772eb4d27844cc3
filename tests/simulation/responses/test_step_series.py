"""Steps with multipliers in one compiled call: the same bits as one call a step, and what ends a series."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from rigid_scenes import LAW, G, ball_over_floor, friction

import polycontact as pc
from polycontact.kernels.response.codes import StepsEnd
from polycontact.simulation.integrators import IntegratorSettings
from polycontact.simulation.responses import compiled_step
from polycontact.simulation.responses.impulse_stepper import ImpulseStepper
from polycontact.simulation.responses.multiplier_stepper import MultiplierStepper
from polycontact.simulation.step_sequence import StepSequence
from polycontact.simulation.stepper import StepperProblem

END = 0.3


def tumbling_box() -> pc.MultibodySystem:
    """A box of a mesh that falls on its edge and slides."""
    system = pc.MultibodySystem("tumbling")
    turned = [[0.96, 0.0, 0.28], [0.0, 1.0, 0.0], [-0.28, 0.0, 0.96]]
    box = pc.shapes.box((0.2, 0.2, 0.1), (3, 3, 2))
    system.add_body("box", surface=box, mass=1.0, position=(0.0, 0.0, 0.08), rotation=turned, velocity=(0.5, 0.1, 0.0))
    system.add_body("ground", surface=pc.shapes.box((2.0, 2.0, 0.1), 2), position=(0.0, 0.0, -0.05), fixed=True)
    system.add_contact("box", "ground", law=pc.LayerLaw(stiffness=1e8), friction=friction(0.4))
    return system


def leaning_stack(n: int = 5) -> pc.MultibodySystem:
    """Boxes on each other, with four points between any two, each a little off the one below."""
    system = pc.MultibodySystem("stack")
    for i in range(n):
        place = (0.01 * i, 0.003 * i, 0.05 + 0.1 * i)
        system.add_body(f"box {i}", surface=pc.convex.Box((0.2, 0.2, 0.1)), mass=1.0 + i, position=place)
    system.add_body("floor", surface=pc.convex.Box((4.0, 4.0, 0.2)), position=(0.0, 0.0, -0.1), fixed=True)
    system.find_contacts(method=pc.contact.ConvexMethod(), law=LAW, friction=friction(0.5))
    return system


def started(system: pc.MultibodySystem, **options: float) -> MultiplierStepper:
    """A stepper at the start of a system."""
    compiled = system.compile()
    stepper, y = MultiplierStepper(pc.MultiplierResponse(**options), len(compiled.contacts)), compiled.start_state()
    settings = IntegratorSettings(rtol=1e-6, atol=np.full(len(y), 1e-6))
    stepper.start(StepperProblem(compiled, compiled.rates, compiled.evaluator(), 0.0, y, END, settings))
    return stepper


def flying(system: pc.MultibodySystem) -> ImpulseStepper:
    """A stepper with impulses at the start of a system."""
    compiled = system.compile()
    stepper, y = ImpulseStepper(pc.ImpulseResponse(), "cvode-bdf", len(compiled.contacts)), compiled.start_state()
    settings = IntegratorSettings(rtol=1e-6, atol=np.full(len(y), 1e-6))
    stepper.start(StepperProblem(compiled, compiled.rates, compiled.evaluator(), 0.0, y, END, settings))
    return stepper


@pytest.mark.parametrize("scene", [tumbling_box, leaning_stack])
def test_a_series_makes_the_same_steps(scene: object) -> None:
    assert callable(scene)
    single, series = started(scene()), started(scene())
    for stop_at in np.linspace(0.0, END, 8)[1:].tolist():
        while single.t < stop_at:
            single.step(np.inf, until=np.inf)
        assert series.go_on(stop_at, until=np.inf, is_limited=False) == StepsEnd.REACHED
        assert (series.t_old, series.t) == (single.t_old, single.t)
        assert series.t_old < stop_at <= series.t
        middle = single.t_old + 0.3 * (single.t - single.t_old)
        for t in (single.t_old, middle, single.t):
            assert (series.interpolate(t) == single.interpolate(t)).all()
            assert series.lost_in_steps(t) == single.lost_in_steps(t)
        assert (series.wrenches == single.wrenches).all()
    assert series.t == END
    assert series.statistics == single.statistics
    assert series.response_statistics == single.response_statistics
    assert series.wrenches[:, :3].any()


@pytest.mark.parametrize("scene", [tumbling_box, leaning_stack])
def test_a_series_of_an_impulse_response_ends_where_bodies_part_or_collide(scene: object) -> None:
    assert callable(scene)
    single, mixed = flying(scene()), flying(scene())
    while single.t < END:
        single.step(np.inf, until=END)
    ends, in_series = [], 0
    while mixed.t < END:
        if mixed.makes_series:
            before = mixed.statistics.steps
            ends.append(mixed.go_on(END, until=END, is_limited=False))
            in_series += mixed.statistics.steps - before
        else:
            mixed.step(np.inf, until=END)
    assert (mixed.y == single.y).all()
    assert (mixed.wrenches == single.wrenches).all()
    assert mixed.statistics == single.statistics
    assert mixed.lost_in_steps(END) == single.lost_in_steps(END)
    assert in_series > 100
    if scene is tumbling_box:
        assert StepsEnd.LETS_GO in ends
    assert ends[-1] == StepsEnd.REACHED


def test_single_steps_and_restarts_go_between_series() -> None:
    single, mixed = started(tumbling_box()), started(tumbling_box())
    while single.t < END:
        single.step(np.inf, until=np.inf)
        if single.statistics.steps == 60:
            single.restart(single.t, single.y)
    mixed.go_on(END, until=np.inf, is_limited=False, most=20)
    mixed.step(np.inf, until=np.inf)
    assert mixed.go_on(END, until=np.inf, is_limited=False, most=39) == StepsEnd.PAUSED
    assert mixed.statistics.steps == 60
    mixed.restart(mixed.t, mixed.y)
    mixed.go_on(END, until=np.inf, is_limited=False)
    assert (mixed.y == single.y).all()
    assert mixed.lost_in_steps(END) == single.lost_in_steps(END)


def test_no_step_of_a_series_goes_past_a_time() -> None:
    stepper = started(ball_over_floor(height=0.5), step=1e-3)
    assert stepper.go_on(0.1, until=0.00515, is_limited=False) == StepsEnd.REACHED
    assert stepper.t == 0.00515
    assert stepper.statistics.steps == 6


def test_a_fast_body_shortens_the_steps_of_a_series() -> None:
    """The ball may close its gap of 20 mm and then move by half its thickness, 50 mm, at 200 m/s."""
    stepper = started(ball_over_floor(height=0.02, velocity=(0.0, 0.0, -200.0)), step=1e-2)
    assert stepper.go_on(END, until=np.inf, is_limited=True, most=1) == StepsEnd.PAUSED
    # Gravity adds 0.003 m/s, and equal steps that make up the whole time are a little shorter.
    assert stepper.t == pytest.approx((0.02 + 0.05) / 200.0, rel=2e-3)
    assert stepper.statistics.limited_steps == 1


def test_a_step_much_longer_than_its_limit_ends_a_series() -> None:
    stepper = started(ball_over_floor(height=0.1, velocity=(0.0, 0.0, -200.0)), step=1e-2)
    assert stepper.go_on(END, until=np.inf, is_limited=False) == StepsEnd.MEETING
    assert stepper.statistics.steps == 1


def test_what_is_not_solved_ends_a_series_and_is_told() -> None:
    stepper = started(leaning_stack(), tolerance=1e-300)
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # what is left is rounding: it is counted, and not told
        ended = [stepper.go_on(END, until=np.inf, is_limited=False) for _ in range(3)]
    assert ended == 3 * [StepsEnd.UNSOLVED]
    assert stepper.response_statistics.unsolved >= 3


def test_a_body_in_flight_feels_no_contact() -> None:
    """What pushed in the step of a rebound pushes no more in the next one."""
    stepper = started(ball_over_floor(height=0.02), restitution=0.8)
    rebounds = 0
    while stepper.t < END:
        stepper.step(np.inf, until=np.inf)
        rebounds += stepper.wrenches.any()
        if stepper.wrenches.any():
            weight_in_a_step = G * 1e-3
            assert stepper.wrenches[0, 2] * 1e-3 > weight_in_a_step
            stepper.step(np.inf, until=np.inf)
            assert not stepper.wrenches.any()
    assert rebounds >= 1


@pytest.mark.parametrize("room", [1, 100])
def test_memory_grows_within_a_step(room: int, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = started(leaning_stack())
    expected.go_on(0.02, until=np.inf, is_limited=False)
    monkeypatch.setattr(compiled_step, "FIRST_POINTS", room)
    stepper = started(leaning_stack())
    stepper.go_on(0.02, until=np.inf, is_limited=False)
    assert stepper.response_statistics.most_points == 20
    assert (stepper.y == expected.y).all()


class Wind(pc.multibody.ForceElement):
    """A force of a user."""

    def apply(self, view: pc.multibody.ForceView) -> None:
        view.add_force("body", np.array([2.0, 0.0, 0.0]), np.zeros(3))


def test_users_forces_are_asked_between_steps() -> None:
    system = ball_over_floor(height=0.5)
    assert started(system).makes_series
    system.add_force(Wind("wind"))
    stepper = started(system)
    assert not stepper.makes_series
    while stepper.t < 0.2:
        stepper.step(np.inf, until=0.2)
    assert stepper.y[0] == pytest.approx(0.5 * 2.0 * 0.2**2, rel=1e-12)


@pytest.mark.parametrize("response", ["multipliers", "impulses"])
def test_runs_in_series_give_the_same_bits(response: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Runs make compiled steps up to each sample; steps that Python makes one by one have the same bits."""
    made = []

    def counted(self: StepSequence, stepper: object) -> int:
        made.append(1)
        return in_series(self, stepper)

    in_series = StepSequence._steps_in_series
    monkeypatch.setattr(StepSequence, "_steps_in_series", counted)
    options = {"end_time": END, "output_step": 0.02, "response": response}
    compiled = pc.simulate(tumbling_box(), **options)
    assert len(made) > 5
    never = property(lambda self: False, lambda self, value: None)
    monkeypatch.setattr(StepSequence, "may_be_in_series", never, raising=False)
    by_python = pc.simulate(tumbling_box(), **options)
    assert compiled.statistics.steps == by_python.statistics.steps
    for name in ("position", "velocity"):
        found, right = (getattr(run.trajectory.body("box"), name) for run in (compiled, by_python))
        np.testing.assert_array_equal(found, right)


@pytest.mark.parametrize(
    ("condition", "time"),
    [
        (pc.simulation.BelowHeight("ball", 0.5, point=(0.0, 0.0, -0.1)), np.sqrt(2.0 * 0.4 / G)),
        (pc.simulation.FartherThan("ball", 0.3, origin=(0.0, 0.0, 1.0)), np.sqrt(2.0 * 0.3 / G)),
        (pc.simulation.TiltedBeyond("ball", 0.5), 0.5 / 2.0),
    ],
)
def test_a_series_ends_where_a_condition_holds(condition: pc.simulation.StopCondition, time: float) -> None:
    """A ball that falls from 1 m and turns at 2 rad/s; steps of 1 ms have no error of the fall beyond a step's arc."""
    system = pc.MultibodySystem("falling")
    inertia = (1e-3, 1e-3, 1e-3)
    turning = {"angular_velocity": (2.0, 0.0, 0.0), "position": (0.0, 0.0, 1.0)}
    system.add_body("ball", mass=1.0, centre=(0.0, 0.0, 0.0), inertia=inertia, **turning)
    system.add_body("floor", surface=pc.shapes.box((1.0, 1.0, 0.1)), fixed=True, position=(0.0, 0.0, -5.0))
    run = pc.simulate(system, end_time=1.0, output_step=0.1, response="multipliers", stop_when=[condition])
    assert run.status == "ended"
    # A point of the ball turns, too: by 0.1 (1 - cos 0.56), 16 mm or 6 ms, from where it hangs below.
    assert run.trajectory.time[-1] == pytest.approx(time, abs=7e-3 if condition.kind == "below_height" else 1e-4)


def test_a_series_that_lets_go_has_the_next_step_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    """A box that tumbles off its edges with impulses: after each such series Python finds the limit of the step."""
    let_go = []

    def noted(self: StepSequence, stepper: ImpulseStepper) -> int:
        needs = in_series(self, stepper)
        if stepper._system._step.view.series.ended & StepsEnd.LETS_GO:
            let_go.append(needs)
        return needs

    in_series = StepSequence._steps_in_series
    monkeypatch.setattr(StepSequence, "_steps_in_series", noted)
    pc.simulate(tumbling_box(), end_time=0.6, output_step=0.2, response="impulses")
    assert let_go
    assert all(let_go)
