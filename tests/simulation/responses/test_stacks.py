"""Bodies on bodies: what must stand stands, with forces as statics has them, and nothing gains energy."""

from __future__ import annotations

import numpy as np
import pytest

import polycontact as pc
from tools.rigid_contact.measures import borne, distance_moved, energy_gained
from tools.rigid_contact.scenes import Scene, arch, card_house, random_stack, redundant_loops, stack, wall, wedges

families = pytest.mark.parametrize("kind", [pc.ImpulseResponse, pc.MultiplierResponse])
Kind = type[pc.ImpulseResponse] | type[pc.MultiplierResponse]


def gaps_of(scene: Scene, run: pc.Run) -> np.ndarray:
    """Force (N) between each box of a stack and what is below, at the end, over the weight above it."""
    masses = np.array([each.kilograms for each in scene.blocks])
    forces = []
    for k in range(len(masses)):
        below = "floor" if k == 0 else f"box {k - 1}"
        force = run.trajectory.pairing(f"{below}–box {k}").force[-1, 2]
        forces.append(abs(force) / (9.81 * masses[k:].sum()))
    return np.array(forces)


@families
@pytest.mark.parametrize("shift", [0.0, 0.01])
def test_a_stack_of_eight_stands(kind: Kind, shift: float) -> None:
    scene = stack(8, shift=shift)
    run = pc.simulate(scene.system(), end_time=0.1, response=kind(), output_step=0.01)
    assert run.statistics.response["worst_share"] < 1e-4
    np.testing.assert_allclose(gaps_of(scene, run), 1.0, atol=1e-4)
    # Each gap closes to the slop, 1e-4 of 0.2 m, and while the stack settles to a few times that.
    assert distance_moved(scene, run) < 8 * 3e-5
    assert energy_gained(run) < 1e-6


def test_a_light_box_stays_under_a_heavy_stack() -> None:
    """16 kg below 2e7 kg: taking back depth without friction drove the lowest box aside, by 7 mm."""
    scene = stack(10, ratio=1e6)
    run = pc.simulate(scene.system(), end_time=0.1, response=pc.MultiplierResponse(step=scene.step), output_step=0.02)
    assert distance_moved(scene, run) < 1e-3  # the boxes settle by 0.2 mm
    assert borne(scene, run) == pytest.approx(scene.weight, rel=1e-4)


@pytest.mark.parametrize(
    ("kind", "shift", "gap"),
    [
        (pc.ImpulseResponse, 0.0, 0.0),
        (pc.ImpulseResponse, 0.005, 0.0),
        (pc.MultiplierResponse, 0.0, 1e-4),
        (pc.MultiplierResponse, 0.0, 1e-2),
    ],
)
def test_boxes_that_rebound_gain_no_energy(kind: Kind, shift: float, gap: float) -> None:
    """Ten boxes on each other, and just above each other, with a restitution of 0.5."""
    run = pc.simulate(
        stack(10, shift=shift, gap=gap).system(restitution=0.5), end_time=0.1, response=kind(), output_step=1e-3
    )
    # Of samples that are no ends of steps: gravity's work in half a step, 2.5e-9 of the height of the stack.
    assert energy_gained(run) < 1e-6


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(40))
def test_random_stacks_that_rebound_gain_no_energy(seed: int) -> None:
    """Fallen together by gaps of 0 to 50 mm, whatever restitution, friction and masses are."""
    system = random_stack(np.random.default_rng(seed))
    run = pc.simulate(system, end_time=0.3, response=pc.MultiplierResponse(), output_step=1e-3)
    assert energy_gained(run) < 1e-6


LONG = [
    stack(10),
    stack(10, shift=0.005),
    stack(30),
    stack(10, ratio=1e6),
    stack(10, ratio=1e-6),
    arch(),
    card_house(),
    wedges(),
    redundant_loops(),
]


BOTH = [pytest.param(scene, pc.MultiplierResponse, id=f"{scene.name}, multipliers") for scene in LONG]
BOTH += [
    pytest.param(scene, pc.ImpulseResponse, id=f"{scene.name}, impulses")
    for scene in (stack(10, shift=0.005), stack(10, ratio=1e6), wedges(), redundant_loops())
]


@pytest.mark.slow
@pytest.mark.parametrize(("scene", "kind"), BOTH)
def test_what_statics_holds_stands_for_ten_seconds(scene: Scene, kind: Kind) -> None:
    run = pc.simulate(scene.system(), end_time=10.0, response=kind(step=scene.step), output_step=0.5)
    assert run.statistics.response["worst_share"] < 1e-4
    assert borne(scene, run) == pytest.approx(scene.weight, rel=1e-4)
    # Where faces touch exactly at the start, boxes fall one by one until they do; a mm is what thirty of them need.
    assert distance_moved(scene, run) < 1e-3
    assert energy_gained(run) < 1e-6


@pytest.mark.slow
def test_a_wall_of_twenty_bricks_stands() -> None:
    """It settles brick by brick at first, where problems take all their steps and some are not solved to the last."""
    scene = wall(4, 5)
    run = pc.simulate(scene.system(), end_time=0.1, response=pc.MultiplierResponse(step=scene.step), output_step=0.02)
    assert run.statistics.response["worst_share"] < 1e-3
    assert borne(scene, run) == pytest.approx(scene.weight, rel=1e-4)
    assert distance_moved(scene, run) < 1e-3
    assert energy_gained(run) < 1e-6
