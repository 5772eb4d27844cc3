"""Runs with the depth as a distance: boxes at edges and in stacks, collisions without losses."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import polycontact as pc

G = 9.81
LAW = pc.LayerLaw(stiffness=1e9, damping=1e6, transition_depth=1e-5)


def test_box_slides_off_a_table() -> None:
    """It slows down by friction, tips over the edge and falls; an old Jacobian would carry it through the air."""
    system = pc.MultibodySystem("slide", gravity=(0.0, 0.0, -G))
    system.add_body("table", surface=pc.shapes.box((1.0, 1.0, 0.1)), fixed=True)
    box = pc.shapes.box((0.2, 0.2, 0.1))
    system.add_body("box", surface=box, density=1000.0, position=(0.3, 0.05, 0.1), velocity=(1.5, 0.0, 0.0))
    system.add_contact("box", "table", law=LAW, friction=pc.RegularisedCoulomb(coefficient=0.1, velocity=1e-3))
    # With 1e-6 the few tolerances of a speed that may pass after an old Jacobian are more than what is asked below.
    run = pc.simulate(system, end_time=1.0, rtol=1e-7)
    position = run.trajectory.body("box").position
    time = run.trajectory.time
    on_table = time < 0.06
    slid = 0.3 + 1.5 * time - 0.5 * 0.1 * G * time**2
    # In the first milliseconds the box sinks in, without its full friction.
    assert position[on_table, 0] == pytest.approx(slid[on_table], abs=2e-4)
    assert position[on_table, 2] == pytest.approx(0.1, abs=1e-4)
    free = time > 0.35  # the edge is passed at 0.2 s
    assert np.ptp(np.diff(position[free, 0])) < 1e-9  # nothing holds it any more
    fall = np.diff(position[free, 2], n=2) / np.diff(time)[0] ** 2
    assert fall == pytest.approx(-G, rel=1e-2)  # second differences of interpolated samples
    assert abs(position[-1, 1] - 0.05) < 1e-4  # no force sideways
    assert run.energy_warning == ""


@pytest.mark.parametrize("scatter", [pytest.param(0.0, marks=pytest.mark.slow), 0.01])
def test_stack_of_ten_boxes_stands(scatter: float) -> None:
    """Flush on all sides, and each a little beside the one below."""
    rng = np.random.default_rng(0)
    system = pc.MultibodySystem("stack", gravity=(0.0, 0.0, -G))
    system.add_body("box 0", surface=pc.shapes.box((1.0, 1.0, 0.1)), fixed=True)
    friction = pc.RegularisedCoulomb(coefficient=0.3, velocity=1e-3)
    box = pc.shapes.box((0.2, 0.2, 0.1))
    for k in range(1, 11):
        place = (*(scatter * rng.normal(size=2)), 0.1 * k)
        system.add_body(f"box {k}", surface=box, density=1000.0, position=place)
        system.add_contact(f"box {k}", f"box {k - 1}", law=LAW, friction=friction)
    run = pc.simulate(system, end_time=1.0, atol=1e-5)  # the usual 1e-4 m are twice as much as the layers give way
    for k in range(1, 11):
        body = run.trajectory.body(f"box {k}")
        # The layers give way by the weight above: at most 40 kg on 0.04 m² and ten layers, some 0.1 mm.
        assert body.position[-1] == pytest.approx(body.position[0], abs=3e-4)
        assert np.abs(body.velocity[-1]).max() < 2e-3
    # Lossy only by damping and friction, and not by evaluations without end.
    assert run.statistics.evaluations < 20_000


@pytest.mark.parametrize("seed", range(5))
def test_collisions_without_losses_lose_nothing(seed: int) -> None:
    rng = np.random.default_rng(seed)
    make = pc.shapes
    bodies = [
        make.sphere(0.1, 2),
        make.box((0.2, 0.15, 0.1), (2, 2, 1)),
        make.torus(0.1, 0.04),
        make.cylinder(0.08, 0.2),
        make.cone(0.1, 0.2),
        make.bubble(),
    ]
    e, f = (bodies[k] for k in rng.choice(len(bodies), 2, replace=False))
    direction = rng.normal(size=3)
    direction /= np.linalg.norm(direction)
    apart = 0.51 * (e.size + f.size)
    system = pc.MultibodySystem("collision", gravity=(0.0, 0.0, 0.0))
    system.add_body("a", surface=e, mass=1.0)
    system.add_body(
        "b",
        surface=f,
        mass=1.0,
        position=apart * direction,
        rotation=Rotation.random(random_state=rng).as_matrix(),
        velocity=-direction,
    )
    system.add_contact("a", "b", law=pc.LayerLaw(stiffness=3e7))
    run = pc.simulate(system, end_time=2.5 * apart, rtol=1e-6)
    ledger = run.ledger
    assert ledger["elastic"].max() > 1e-2  # they met
    assert ledger["elastic"][-1] == 0.0  # and parted
    assert ledger["kinetic"][-1] == pytest.approx(ledger["kinetic"][0], rel=1e-2)


def test_plate_that_sinks_through_the_layer_is_told() -> None:
    """1 mm thick, on a post so soft that it would have to sink in by 3 mm: c·V does not carry it."""
    system = pc.MultibodySystem("plate", gravity=(0.0, 0.0, -G))
    system.add_body("post", surface=pc.shapes.box((0.1, 0.1, 0.5), (2, 2, 4)), fixed=True)
    plate = pc.shapes.box((0.2, 0.2, 1e-3), (4, 4, 1))
    system.add_body("plate", surface=plate, mass=1.0, position=(0.0, 0.0, 0.2505))
    stiffness = G / (0.01 * 3e-3)
    law = pc.LayerLaw(stiffness=stiffness, damping=1e-3 * stiffness, transition_depth=1e-5)
    system.add_contact("plate", "post", law=law)
    with pytest.warns(pc.ContactWarning, match="stiffer or the body thicker, or give a plate as an open sheet"):
        run = pc.simulate(system, end_time=0.1)
    force = run.trajectory.pairing("plate–post").force[:, 2]
    # The force keeps to c·V once both faces are inside, but for damping on the way.
    assert force[-1] < G
    assert run.trajectory.body("plate").position[-1, 2] < 0.25 - 3e-3
