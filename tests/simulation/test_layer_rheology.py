"""Layers that remember in runs: relaxation, creep, losses, dents and rebound, against closed forms and scipy."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.interpolate import CubicHermiteSpline
from small_systems import BOX, GRAVITY, MASS, box_over_plane

import polycontact as pc
from polycontact.contact.rheological_layer import RheologicalLayer

RIGID = pc.ElasticLayer.rigid()
AREA = BOX[0] * BOX[1]
STIFFNESS = 1e6
"""c of the layer at once, N/m³."""
LAYER = (1e4, 0.0, 0.01)
"""E, ν and b of that layer."""
TERMS = ((0.3, 0.001), (0.4, 0.02))
"""Shares and times of a Prony series."""


def punch(layer: pc.ElasticLayer, motion: object, other: pc.ElasticLayer = RIGID, **options: object) -> pc.Run:
    """A run of a flat box that is pressed into a plane as a motion says."""
    system = pc.MultibodySystem("punch", gravity=(0.0, 0.0, 0.0))
    system.add_body("box", surface=pc.shapes.box(size=BOX), mass=MASS, layer=other)
    system.add_body("floor", surface=pc.shapes.plane((1.0, 1.0)), fixed=True, layer=layer)
    joint = {"at": (0.0, 0.0, 0.5 * BOX[2]), "axis": (0.0, 0.0, -1.0)}
    system.add_joint("press", "prismatic", "world", "box", motion=motion, **joint)
    system.add_contact("box", "floor", name="punch", depth="target_normal")
    return pc.simulate(system, **options)


def force_of(run: pc.Run) -> np.ndarray:
    """Force of the layer on the box, N."""
    return np.abs(run.trajectory.pairing("punch").force[:, 2])


def dropped(layers: tuple[pc.ElasticLayer, pc.ElasticLayer], *, speed: float = 1.0, **options: object) -> pc.Run:
    """A run of a box that meets a plane flat, with a speed (m/s), without gravity."""
    system = box_over_plane(height=0.01, gravity=0.0, velocity=(0.0, 0.0, -speed), law=pc.LayerLaw(), layers=layers)
    return pc.simulate(system, **{"end_time": 0.06, "rtol": 1e-8, "atol": 1e-10, **options})


def test_relaxation_under_a_flat_punch() -> None:
    """Pressed in and then held, against the equations of the branches in scipy."""
    rise, depth, end = 0.01, 1e-3, 0.1
    motion = pc.multibody.TableMotion((0.0, rise, end), (0.0, depth, depth))
    layer = RheologicalLayer(*LAYER, prony=TERMS)
    run = punch(layer, motion, end_time=end, output_step=0.005, max_step=2e-4)
    curve = CubicHermiteSpline((0.0, rise, end), (0.0, depth, depth), (0.0, 0.0, 0.0))

    def rates(t: float, y: np.ndarray) -> list[float]:
        return [(curve(t) - q) / tau for q, (_, tau) in zip(y, TERMS, strict=True)]

    t = run.trajectory.time
    settings = {"t_eval": t, "rtol": 1e-11, "atol": 1e-14, "method": "DOP853", "max_step": 1e-3}
    q = solve_ivp(rates, (0.0, end), [0.0, 0.0], **settings).y
    u = curve(t)
    expected = 0.3 * u + sum(share * (u - each) for each, (share, _) in zip(q, TERMS, strict=True))
    # Even pressing within steps of a fiftieth of the rise.
    np.testing.assert_allclose(force_of(run), STIFFNESS * AREA * expected, atol=1e-4 * STIFFNESS * AREA * depth)


def test_an_even_motion_is_answered_exactly_whatever_the_steps() -> None:
    """Pressed in with a constant speed: c∞ v t + Σ c_j v τ_j (1 − exp(−t/τ_j))."""
    speed = 0.01
    run = punch(RheologicalLayer(*LAYER, prony=TERMS), pc.multibody.ConstantVelocity(speed), end_time=0.1)
    t = run.trajectory.time
    expected = 0.3 * speed * t
    for share, tau in TERMS:
        expected += share * speed * tau * (1.0 - np.exp(-t / tau))
    np.testing.assert_allclose(force_of(run), STIFFNESS * AREA * expected, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("w", [20.0, 200.0, 2000.0])
def test_loss_factor_over_frequency(w: float) -> None:
    """Storage and loss of a steady oscillation under a preload, from the force: the complex stiffness."""
    layer = RheologicalLayer(*LAYER, prony=((0.5, 0.005),))
    preload, amplitude, turns = 1e-3, 2e-4, 6
    motion = pc.multibody.Harmonic(amplitude=amplitude, frequency=w / (2.0 * math.pi), offset=preload)
    wait = 0.03  # six relaxation times of the preload
    start = math.ceil(wait * w / (2.0 * math.pi))
    period = 2.0 * math.pi / w
    settings = {"output_step": period / 32, "max_step": period / 200}
    run = punch(layer, motion, end_time=(start + turns) * period, **settings)
    t = run.trajectory.time
    last = t > (start + 0.001) * period
    columns = np.column_stack([np.sin(w * t), np.cos(w * t), np.ones_like(t), np.exp(-t / 0.005)])[last]
    sine, cosine, *_ = np.linalg.lstsq(columns, force_of(run)[last], rcond=None)[0] / (AREA * amplitude)
    s = 1j * w * 0.005
    expected = STIFFNESS * (0.5 + 0.5 * s / (1.0 + s))
    # Even pressing within steps of 1/200 of a period: (2π/200)²/12.
    assert sine == pytest.approx(expected.real, rel=2e-4)
    assert cosine == pytest.approx(expected.imag, rel=2e-4)


def reference_drop(
    spring: float,
    branches: tuple[tuple[float, float], ...],
    *,
    speed: float,
    gravity: float,
    end: float,
    times: np.ndarray | None = None,
) -> np.ndarray:
    """Depth and speed of the box by scipy, at some times (s), or where the pressure is zero again."""

    def pressure(y: np.ndarray) -> float:
        return spring * y[0] + sum(c * (y[0] - q) for (c, _), q in zip(branches, y[2:], strict=True))

    def rates(t: float, y: np.ndarray) -> list[float]:
        falling = gravity - max(pressure(y), 0.0) * AREA / MASS
        return [y[1], falling, *((y[0] - q) / tau for (_, tau), q in zip(branches, y[2:], strict=True))]

    def leaves(t: float, y: np.ndarray) -> float:
        return pressure(y) if t > 1e-4 else 1.0

    leaves.terminal = True  # type: ignore[attr-defined]
    start = [0.0, speed, *(0.0 for _ in branches)]
    settings = {"rtol": 1e-11, "atol": 1e-13, "method": "DOP853", "t_eval": times, "events": leaves}
    found = solve_ivp(rates, (0.0, end), start, **settings)
    return found.y if times is not None else found.y_events[0].T if len(found.y_events[0]) else found.y


@pytest.mark.parametrize("integrator", ["cvode-bdf", "dopri5", "auto"])
def test_rebound_from_a_layer_that_relaxes(integrator: str) -> None:
    """Speed after the impact, and what the ledger says of it, against the same equations in scipy."""
    layer = RheologicalLayer(*LAYER, prony=TERMS)
    run = dropped((RIGID, layer), integrator=integrator, max_step=2e-4)
    branches = tuple((share * STIFFNESS, tau) for share, tau in TERMS)
    y = reference_drop(0.3 * STIFFNESS, branches, speed=1.0, gravity=0.0, end=0.06)
    rebound = -y[1, -1]
    # Even pressing within steps: h²/12 of the curvature, 6e-5 here; measured 2e-5 to 4e-5.
    assert run.trajectory.body("box").velocity[-1, 2] == pytest.approx(rebound, rel=1e-4)
    lost = 0.5 * MASS * (1.0 - rebound**2)
    assert run.ledger["layers"][-1] == pytest.approx(lost, rel=1e-3)
    assert run.ledger["contact_damping"][-1] == 0.0
    assert abs(run.ledger["residual"][-1]) < 1e-3 * lost
    assert run.ledger.worst_balance < 1e-4 * lost


@pytest.mark.slow
def test_steps_count_to_the_second_order() -> None:
    """Memory that is advanced by whole steps: an error in proportion to their length squared."""
    layer = RheologicalLayer(*LAYER, prony=TERMS)
    branches = tuple((share * STIFFNESS, tau) for share, tau in TERMS)
    y = reference_drop(0.3 * STIFFNESS, branches, speed=1.0, gravity=0.0, end=0.06)
    steps = (1e-3, 2.5e-4)
    runs = [dropped((RIGID, layer), integrator="dopri5", max_step=h) for h in steps]
    errors = [abs(run.trajectory.body("box").velocity[-1, 2] + y[1, -1]) for run in runs]
    # Between 2 and 1: the step in which the box leaves is counted from its start, and ends anywhere in it.
    assert errors[0] / errors[1] > 6.0


def test_a_ball_meets_a_layer_that_relaxes() -> None:
    """While the contact grows all points have the same law, so that its volume π u² (R − u/3) is what is pressed in."""
    radius, mass, c, tau = 0.05, 0.5, 1e8, 2e-3
    layer = RheologicalLayer.standard_linear(1e6, 0.0, 0.01, share=0.6, relaxation_time=tau)
    system = pc.MultibodySystem("ball", gravity=(0.0, 0.0, 0.0))
    place, speed = (0.0, 0.0, radius + 1e-4), (0.0, 0.0, -1.0)
    system.add_body("ball", surface=pc.shapes.sphere(radius, 4), mass=mass, position=place, velocity=speed)
    system.add_body("floor", surface=pc.shapes.plane((0.2, 0.2)), fixed=True, layer=layer)
    system.add_contact("ball", "floor", name="punch", base="E")
    run = pc.simulate(system, end_time=0.02, rtol=1e-6, atol=1e-9, output_step=2e-5, max_step=1e-4)

    def force(y: np.ndarray) -> float:
        volume = math.pi * y[0] ** 2 * (radius - y[0] / 3.0)
        return 0.4 * c * volume + 0.6 * c * (volume - y[2])

    def rates(t: float, y: np.ndarray) -> list[float]:
        return [y[1], -force(y) / mass, (math.pi * y[0] ** 2 * (radius - y[0] / 3.0) - y[2]) / tau]

    found = solve_ivp(rates, (0.0, 0.006), [0.0, 1.0, 0.0], rtol=1e-10, atol=1e-14, max_step=1e-5).y
    greatest = max(force(y) for y in found.T)
    # 5,120 triangles of the ball; 1,280 are off by 1.3e-3, 20,480 by 7e-5.
    assert force_of(run).max() == pytest.approx(greatest, rel=5e-4)
    assert abs(run.ledger["residual"]).max() < 0.02 * run.ledger.turnover


def test_creep_under_a_weight() -> None:
    """A box lies down on a standard linear solid: it sinks at once to mg/c_0, and with time to mg/c∞."""
    layer = RheologicalLayer.standard_linear(*LAYER, share=0.5, relaxation_time=0.05)
    system = box_over_plane(height=0.0, law=pc.LayerLaw(), layers=(RIGID, layer))
    run = pc.simulate(system, end_time=0.4, rtol=1e-8, atol=1e-10, output_step=0.01, max_step=2e-3)
    branches = ((0.5 * STIFFNESS, 0.05),)
    t = run.trajectory.time
    y = reference_drop(0.5 * STIFFNESS, branches, speed=0.0, gravity=GRAVITY, end=0.4, times=t)
    depth = 0.5 * BOX[2] - run.trajectory.body("box").position[:, 2]
    np.testing.assert_allclose(depth, y[0], atol=2e-3 * y[0].max())
    slow = pc.simulate(system, end_time=3.0, rtol=1e-6, atol=1e-8)
    sunk = 0.5 * BOX[2] - slow.trajectory.body("box").position[-1, 2]
    assert sunk == pytest.approx(MASS * GRAVITY / (0.5 * STIFFNESS * AREA), rel=1e-4)


# Dents ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("speed", [0.5, 1.0, 2.0, 4.0])
@pytest.mark.parametrize("hardening", [0.0, 1e6])
def test_rebound_of_an_elastic_plastic_layer(speed: float, hardening: float) -> None:
    """The energy at yield, ½ σ² A/c, comes back, and more where the layer hardens: closed form over speeds.

    Above yield the force rises with c H/(c + H): of the kinetic energy left at yield a part goes into the spring.
    """
    yields = 6e3
    layer = RheologicalLayer.plastic(*LAYER, yield_pressure=yields, hardening=hardening)
    run = dropped((RIGID, layer), speed=speed, max_step=2e-4, integrator="dopri5")
    at_yield = 0.5 * yields**2 / STIFFNESS * AREA
    energy = 0.5 * MASS * speed**2
    if energy <= at_yield:
        expected = speed
    else:
        # p at the top: (p² − σ²)/2 · (1/c + 1/H) = (energy − at_yield)/A; then p²/2c comes back.
        top2 = yields**2
        if hardening > 0.0:
            top2 += 2.0 * (energy - at_yield) / AREA / (1.0 / STIFFNESS + 1.0 / hardening)
        expected = math.sqrt(top2 / STIFFNESS * AREA / MASS)
    assert run.trajectory.body("box").velocity[-1, 2] == pytest.approx(expected, rel=1e-4)
    lost = 0.5 * MASS * (speed**2 - expected**2)
    assert run.ledger["layers"][-1] == pytest.approx(lost, abs=3e-3 * energy)
    # At yield the loss sets in with a jump, over which a step may go.
    assert abs(run.ledger["residual"][-1]) < 3e-3 * energy


def test_a_dent_stays_where_it_was_made_and_a_healing_one_fades() -> None:
    """Pressed in twice to the same depth: the second time the layer answers only from the bottom of the dent on."""
    yields, depth = 600.0, 1e-3
    times = (0.0, 0.1, 0.2, 0.5, 0.6, 0.7)
    motion = pc.multibody.TableMotion(times, (-0.1 * depth, depth, -depth, -depth, depth, -depth))
    settings = {"end_time": 0.7, "output_step": 0.005, "max_step": 5e-3}
    stays = punch(RheologicalLayer.plastic(*LAYER, yield_pressure=yields), motion, **settings)
    heals = punch(RheologicalLayer.plastic(*LAYER, yield_pressure=yields, healing_time=0.2), motion, **settings)
    t = stays.trajectory.time
    u = 0.5 * BOX[2] - stays.trajectory.body("box").position[:, 2]
    dent = depth - yields / STIFFNESS
    second = t > 0.5
    expected = np.clip(u - dent, 0.0, None) * STIFFNESS * AREA
    np.testing.assert_allclose(force_of(stays)[second], expected[second], atol=1e-6 * yields * AREA)
    # Healing goes on from the last step with contact to the first one with contact, both within 5 ms.
    alone = np.exp(-(0.56 - 0.155) / 0.2)
    rising = (t > 0.56) & (t < 0.58)
    pressure = force_of(heals)[rising] / AREA
    elastic = (pressure > 0.0) & (pressure < 0.99 * yields)
    assert elastic.any()
    np.testing.assert_allclose((u[rising] - pressure / STIFFNESS)[elastic], dent * alone, rtol=0.05)


def test_dents_of_a_moving_ball_stay_on_its_triangles() -> None:
    """A ball presses a dent into itself, leaves, and comes back turned: only where it was dented it is softer."""
    layer = RheologicalLayer.plastic(1e6, 0.0, 0.01, yield_pressure=2e4)
    times = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5)
    down = pc.multibody.TableMotion(times, (0.0, 2e-3, -2e-3, -2e-3, 1e-3, 1e-3))

    def pressed_twice(angle: float) -> float:
        system = pc.MultibodySystem("ball", gravity=(0.0, 0.0, 0.0))
        system.add_body("carrier", mass=1.0, inertia=(1.0, 1.0, 1.0))
        system.add_body("ball", surface=pc.shapes.sphere(0.05, 4), mass=1.0, layer=layer)
        system.add_body("plane", surface=pc.shapes.plane((1.0, 1.0)), fixed=True)
        axis = {"at": (0.0, 0.0, 0.05), "axis": (0.0, 0.0, -1.0)}
        system.add_joint("press", "prismatic", "world", "carrier", motion=down, **axis)
        turn = pc.multibody.TableMotion((0.0, 0.2, 0.3, 0.5), (0.0, 0.0, angle, angle))
        system.add_joint("turn", "revolute", "carrier", "ball", axis=(1.0, 0.0, 0.0), motion=turn)
        system.add_contact("ball", "plane", name="punch", base="E")
        run = pc.simulate(system, end_time=0.5, output_step=0.05, max_step=5e-3)
        return float(force_of(run)[-1])

    same, turned, full = pressed_twice(0.0), pressed_twice(1.0), pressed_twice(2.0 * math.pi)
    assert same < 0.5 * turned
    assert full == pytest.approx(same, rel=1e-9)


LAYERS = {
    "maxwell": RheologicalLayer.maxwell(*LAYER, relaxation_time=0.03),
    "standard linear": RheologicalLayer.standard_linear(*LAYER, share=0.6, relaxation_time=0.02),
    "Prony series": RheologicalLayer(*LAYER, prony=TERMS),
    "plastic": RheologicalLayer.plastic(*LAYER, yield_pressure=600.0, hardening=2e5),
    "healing": RheologicalLayer.plastic(*LAYER, yield_pressure=600.0, healing_time=0.05),
    "relaxes and yields": RheologicalLayer(*LAYER, prony=TERMS, yield_pressure=500.0, hardening=1e5),
    "damped": RheologicalLayer.kelvin_voigt(*LAYER, damping_time=0.01),
}


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:the energy balance is off", "ignore:the residual work")
@pytest.mark.parametrize("name", LAYERS)
@pytest.mark.parametrize("other", ["rigid", "same"])
def test_no_energy_is_made_over_random_cycles(name: str, other: str) -> None:
    """Pressed in and out at random in 1,000 steps each: at no time has the layer given more than it got."""
    rng = np.random.default_rng(len(name))
    n = 50
    times = np.concatenate([[0.0], np.cumsum(10.0 ** rng.uniform(-2.5, -1.0, n))])
    depths = np.concatenate([[-1e-4], rng.uniform(-5e-4, 1e-3, n)])
    motion = pc.multibody.TableMotion(tuple(times), tuple(depths))
    layer = LAYERS[name]
    with_layer = {"rigid": RIGID, "elastic": pc.ElasticLayer(2e4, 0.0, 0.01), "same": layer}[other]
    end = float(times[-1])
    run = punch(layer, motion, with_layer, end_time=end, output_step=end / 4000, max_step=end / 1000)
    force = force_of(run)
    depth = 0.5 * BOX[2] - run.trajectory.body("box").position[:, 2]
    work = np.concatenate([[0.0], np.cumsum(0.5 * (force[1:] + force[:-1]) * np.diff(depth))])
    # Trapezoids between samples: depth moves by some 1e-5 m in between, a hundredth of the way.
    assert work.min() > -0.02 * work.max()
    assert abs(run.ledger["residual"]).max() < 0.03 * run.ledger.turnover


@pc.laws.contact_law("test: plastic", memory_width=1, tells_loss=True)
def yielding(elements, parameters, states, memory):  # type: ignore[no-untyped-def]
    """A user's layer that yields at parameters[1] (Pa) with the stiffness parameters[0] (N/m³); remembers its dents."""
    c, yields = parameters[0], parameters[1]
    elements.loses = 1
    for k in range(elements.n):
        spring = elements.depth[k] - memory.trial[k, 0]
        elements.layer_loss[k] = 0.0
        if c * spring > yields:
            spring = yields / c
            memory.trial[k, 0] = elements.depth[k] - spring
            elements.layer_loss[k] = yields * elements.area[k] * max(elements.approach[k], 0.0)
        force = elements.area[k] * c * max(spring, 0.0)
        elements.normal_force[k] = elements.elastic_force[k] = force
        elements.energy[k] = 0.5 * force * max(spring, 0.0)


def test_a_law_of_a_user_tells_its_loss() -> None:
    """At 0.35355 of the speed an eighth of the energy comes back: 0.875 J of 1 J is lost in the layer."""
    yields = math.sqrt(0.125 * MASS * STIFFNESS / AREA)
    system = box_over_plane(height=0.01, gravity=0.0, velocity=(0.0, 0.0, -1.0), law=yielding(STIFFNESS, yields))
    run = pc.simulate(system, end_time=0.1, rtol=1e-8, atol=1e-10, max_step=2e-4)
    assert run.trajectory.body("box").velocity[-1, 2] == pytest.approx(math.sqrt(0.125), rel=1e-4)
    assert run.ledger["layers"][-1] == pytest.approx(0.875, abs=2e-3)
    assert abs(run.ledger["residual"][-1]) < 2e-3
    with pytest.raises(pc.ContactError, match="tells_loss is 1; give True or False"):
        pc.laws.contact_law("test: wrong", tells_loss=1)(lambda elements, parameters: None)  # type: ignore[arg-type]


def test_a_continued_run_goes_on_with_its_dents(tmp_path: Path) -> None:
    """Recorded half way and continued: the force is that of one run, to the rounding of times."""
    motion = pc.multibody.Harmonic(amplitude=1e-3, frequency=5.0)
    layer = LAYERS["relaxes and yields"]
    settings = {"output_step": 0.01, "max_step": 1e-3}
    whole = punch(layer, motion, end_time=0.5, **settings)
    punch(layer, motion, end_time=0.25, record=tmp_path / "half.h5", **settings)
    rest = punch(layer, motion, end_time=0.5, continue_from=tmp_path / "half.h5", **settings)
    assert force_of(whole).max() > 0.0
    np.testing.assert_allclose(force_of(rest)[-20:], force_of(whole)[-20:], atol=1e-4 * force_of(whole).max())
