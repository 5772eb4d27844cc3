"""Laws that remember elements: what they remember changes when a step was accepted, and never else."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from small_systems import GRAVITY, MASS, box_over_plane

import polycontact as pc
from polycontact.simulation.integrators import INTEGRATORS

SLOPE = math.radians(20.0)
SHEAR = 1e7
"""Stiffness of the anchors, N/m³."""
SIDE = 0.2


@pc.laws.contact_law("test: anchors", memory_width=6)
def anchors(elements, parameters, states, memory, pose):  # type: ignore[no-untyped-def]
    """Springs between the points of E and of F that met when an element came into contact; they slip at μ F_n.

    Remembered are the point of E (in E) and that of F (in F), m. Parameters: μ, stiffness N/m³, damping N s/m³.
    """
    R, r = pose.rotation, pose.position
    pull = np.zeros(3)
    for k in range(elements.n):
        point = elements.position[k]
        anchor = memory.trial[k]
        if memory.known[k] == 0:
            for a in range(3):
                anchor[a] = point[a]
                anchor[3 + a] = R[0, a] * (point[0] - r[0]) + R[1, a] * (point[1] - r[1]) + R[2, a] * (point[2] - r[2])
        spring, damping = parameters[1] * elements.area[k], parameters[2] * elements.area[k]
        along = 0.0
        for a in range(3):
            stretch = R[a, 0] * anchor[3] + R[a, 1] * anchor[4] + R[a, 2] * anchor[5] + r[a] - anchor[a]
            pull[a] = spring * stretch + damping * elements.slip[k, a]
            along += pull[a] * elements.normal[k, a]
        for a in range(3):
            pull[a] -= along * elements.normal[k, a]
        size = math.sqrt(pull[0] ** 2 + pull[1] ** 2 + pull[2] ** 2)
        held = min(1.0, parameters[0] * elements.normal_force[k] / max(size, 1e-300))
        for a in range(3):
            elements.force[k, a] += held * pull[a]
            anchor[a] += (1.0 - held) * pull[a] / spring


@pc.laws.contact_law("test: age in steps", memory_width=2)
def age_in_steps(elements, parameters, states, memory):  # type: ignore[no-untyped-def]
    """No force; remembers of each element for how many accepted steps it has been there, and its depth (m)."""
    for k in range(elements.n):
        memory.trial[k, 0] += 1.0
        memory.trial[k, 1] = elements.depth[k]


def block_on_slope(friction: object) -> pc.MultibodySystem:
    """A block that rests on a plane; gravity is tilted instead of the plane."""
    gravity = (GRAVITY * math.sin(SLOPE), 0.0, -GRAVITY * math.cos(SLOPE))
    system = pc.MultibodySystem("block on slope", gravity=gravity)
    box = pc.shapes.box((SIDE, SIDE, 0.05), (4, 4, 1))
    sunk = MASS * GRAVITY * math.cos(SLOPE) / (1e6 * SIDE**2)
    system.add_body("block", surface=box, mass=MASS, position=(0.0, 0.0, 0.025 - sunk))
    system.add_body("plane", surface=pc.shapes.plane((4.0, 4.0)), fixed=True)
    law = pc.LayerLaw(stiffness=1e6, damping=2e4)
    system.add_contact("block", "plane", name="slope", law=law, friction=friction, depth="target_normal")
    return system


def test_block_sticks_without_creep() -> None:
    settings = {"end_time": 4.0, "rtol": 1e-7, "atol": 1e-9, "output_step": 0.5}
    run = pc.simulate(block_on_slope(anchors(0.6, SHEAR, 1e4)), **settings)
    x = run.trajectory.body("block").position[:, 0]
    stretch = MASS * GRAVITY * math.sin(SLOPE) / (SHEAR * SIDE**2)
    # The block also leans on its layer, by which its centre, 25 mm above, moves further: 32 forces at barycentres.
    at = np.add.outer([-0.075, -0.025, 0.025, 0.075], [-0.05 / 6, 0.05 / 6])
    lean = MASS * GRAVITY * math.sin(SLOPE) * 0.025**2 / (1e6 * SIDE**2 * np.mean(at**2))
    # Forces act between the layers, some per cent of the half height away from the plane.
    assert x[-1] == pytest.approx(stretch + lean, rel=0.03)
    assert np.ptp(x[2:]) < 1e-8, "at rest after 1 s, to the tolerance of a position"

    regularised = pc.RegularisedCoulomb(coefficient=0.6, velocity=1e-3)
    creeping = pc.simulate(block_on_slope(regularised), **settings).trajectory.body("block").position[:, 0]
    assert creeping[-1] - creeping[2] > 1e-3, "without memory it creeps by a millimetre in 3 s"


def test_block_slides_down_a_slope_too_steep() -> None:
    """On a guide, so that it does not lean and dig in."""
    system = block_on_slope(anchors(0.2, SHEAR, 1e4))
    start = system.tree_joints()["block"].coordinates[:3]
    system.add_joint("guide", "prismatic", "world", "block", at=start, axis=(1.0, 0.0, 0.0))
    run = pc.simulate(system, end_time=0.5, rtol=1e-6, atol=1e-8)
    acceleration = GRAVITY * (math.sin(SLOPE) - 0.2 * math.cos(SLOPE))
    # Until the springs of the anchors are stretched, for some milliseconds, it is held by less.
    assert run.trajectory.body("block").velocity[-1, 0] == pytest.approx(0.5 * acceleration, rel=5e-3)


@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_only_accepted_steps_count(integrator: str) -> None:
    """Attempts, Jacobians, samples between steps and located events are no steps: the law counts accepted ones."""
    system = block_on_slope(age_in_steps())
    run = pc.simulate(system, end_time=0.05, integrator=integrator, output_step=1e-4, contact_events=True)
    counted = run.trajectory.state_at_end().remembered[0].values[:, 0]
    assert run.statistics.evaluations > run.statistics.steps
    # The start and all steps but the last, which is accepted when its samples have been taken.
    assert (counted == run.statistics.steps).all()
    assert len(counted) == 32, "the two triangles of each of the sixteen squares below the block"


def test_memory_follows_elements_that_come_and_go() -> None:
    """A ball that sinks in and rises: elements inside have been there for longer, and those that left are forgotten."""
    system = pc.MultibodySystem("press", gravity=(0.0, 0.0, 0.0))
    system.add_body("ball", surface=pc.shapes.sphere(0.1, 4), mass=1.0)
    system.add_body("plane", surface=pc.shapes.plane((1.0, 1.0)), fixed=True)
    sink = pc.multibody.Harmonic(amplitude=0.01, frequency=1.0)
    system.add_joint("press", "prismatic", "world", "ball", at=(0.0, 0.0, 0.1), axis=(0.0, 0.0, -1.0), motion=sink)
    friction = age_in_steps()
    law = pc.LayerLaw(stiffness=1e6)  # depths of barycentres: the mean of an element says less about when it came
    system.add_contact("ball", "plane", name="press", law=law, friction=friction, depth="base_normal")
    times = {"output_times": [0.25, 0.45], "max_step": 5e-3}
    run = pc.simulate(system, end_time=0.6, integrator="dopri5", **times)
    deepest, rising = (run.trajectory._source.remembered(sample)[0] for sample in (1, 2))
    count, depth = deepest.values[np.argsort(deepest.values[:, 1])].T
    assert len(np.unique(count)) > 10
    assert (np.diff(count)[np.diff(depth) > 1e-4] >= 0.0).all(), "who is deeper has been there for longer"
    assert set(rising.keys) < set(deepest.keys)
    older = dict(zip(deepest.keys.tolist(), deepest.values[:, 0].tolist(), strict=True))
    steps = np.diff(run.trajectory.array("steps")[1:3])[0]
    assert {value - older[key] for key, value in zip(rising.keys.tolist(), rising.values[:, 0], strict=True)} == {steps}
    assert run.trajectory.state_at_end().remembered == (), "apart: nothing is remembered"


def test_samples_and_events_leave_no_trace() -> None:
    """The same steps, bit by bit, however often one looks (DOPRI5: its steps do not depend on output times)."""
    settings = {"end_time": 0.2, "integrator": "dopri5", "rtol": 1e-6, "atol": 1e-8}
    few = pc.simulate(block_on_slope(anchors(0.3, SHEAR, 1e4)), output_step=0.2, **settings)
    many = pc.simulate(block_on_slope(anchors(0.3, SHEAR, 1e4)), output_step=1e-3, contact_events=True, **settings)
    np.testing.assert_array_equal(few.trajectory.array("state")[-1], many.trajectory.array("state")[-1])
    first, second = (run.trajectory.state_at_end().remembered[0] for run in (few, many))
    np.testing.assert_array_equal(first.values, second.values)


@pytest.mark.parametrize("integrator", ["cvode-bdf", "dopri5"])
def test_two_legs_equal_one(integrator: str, tmp_path: Path) -> None:
    """The file carries the anchors: the block goes on hanging where it hung."""
    path = tmp_path / "run.h5"
    settings = {"integrator": integrator, "rtol": 1e-8, "atol": 1e-10, "output_step": 0.02}
    system = block_on_slope(anchors(0.37, SHEAR, 1e4))  # close to sliding: some anchors slip while it settles
    pc.simulate(system, end_time=0.1, record=path, **settings)
    pc.simulate(system, end_time=0.2, continue_from=path, **settings)
    both, once = pc.Trajectory.open(path), pc.simulate(system, end_time=0.2, **settings).trajectory
    np.testing.assert_allclose(both.time, once.time, atol=1e-12)
    # Where an anchor comes to hold depends a little on the steps, and with a restart they are others.
    np.testing.assert_allclose(both.body("block").position, once.body("block").position, atol=1e-7)
    for first, second in zip(both.state_at_end().remembered, once.state_at_end().remembered, strict=True):
        np.testing.assert_array_equal(first.keys, second.keys)
        # Slivers at the edge of the block, which hardly press, slip as the last steps have it.
        np.testing.assert_allclose(first.values, second.values, atol=2e-6)


def test_a_leg_without_its_memory_would_differ(tmp_path: Path) -> None:
    """What the test above proves nothing without: forgotten anchors let the block sag once more."""
    settings = {"rtol": 1e-8, "atol": 1e-10, "output_step": 0.1}
    system = block_on_slope(anchors(0.6, SHEAR, 1e4))
    first = pc.simulate(system, end_time=0.4, record=tmp_path / "run.h5", **settings)
    hung = first.trajectory.body("block").position[-1]
    sagged = hung[0]
    kept = pc.simulate(system, end_time=0.8, continue_from=tmp_path / "run.h5", **settings)
    assert kept.trajectory.body("block").position[-1, 0] == pytest.approx(sagged, rel=0.01)
    forgetful = pc.MultibodySystem("again", gravity=system.gravity)
    forgetful.add_body(
        "block",
        surface=pc.shapes.box((SIDE, SIDE, 0.05), (4, 4, 1)),
        mass=MASS,
        position=hung,
    )
    forgetful.add_body("plane", surface=pc.shapes.plane((4.0, 4.0)), fixed=True)
    forgetful.add_contact("block", "plane", description=system.contacts["slope"].description)
    again = pc.simulate(forgetful, end_time=0.4, **settings)
    assert again.trajectory.body("block").position[-1, 0] > 1.5 * sagged


def test_memory_goes_by_the_names_of_contacts(tmp_path: Path) -> None:
    """A leg may have another fixed body, whose contact takes the number of the old one."""
    settings = {"rtol": 1e-8, "atol": 1e-10, "output_step": 0.1}
    system = block_on_slope(anchors(0.6, SHEAR, 1e4))
    first = pc.simulate(system, end_time=0.4, record=tmp_path / "run.h5", **settings)
    sagged = first.trajectory.body("block").position[-1, 0]
    other = pc.MultibodySystem("with a post", gravity=system.gravity)
    other.add_body("post", surface=pc.shapes.box(0.1), fixed=True, position=(1.5, 1.5, 0.5))
    block, plane = pc.shapes.box((SIDE, SIDE, 0.05), (4, 4, 1)), pc.shapes.plane((4.0, 4.0))
    other.add_body("block", surface=block, mass=MASS, position=(0.0, 0.0, 0.025))
    other.add_body("plane", surface=plane, fixed=True)
    other.add_contact("block", "post", name="post", law=pc.LayerLaw(stiffness=1e6))
    other.add_contact("block", "plane", name="slope", description=system.contacts["slope"].description)
    numbers = [contact.name for contact in other.compile().contacts]
    assert numbers.index("slope") != 0
    leg = pc.simulate(other, end_time=0.8, continue_from=tmp_path / "run.h5", record=tmp_path / "leg.h5", **settings)
    assert leg.trajectory.body("block").position[-1, 0] == pytest.approx(sagged, rel=0.01)


def test_memory_of_other_laws_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "run.h5"
    pc.simulate(block_on_slope(anchors(0.6, SHEAR, 1e4)), end_time=0.01, record=path)
    with pytest.raises(pc.SimulationError, match="contact 'slope' remembers 6 numbers of an element"):
        pc.simulate(block_on_slope(age_in_steps()), end_time=0.02, continue_from=path)
    with pytest.raises(pc.SimulationError, match="remembers 6 numbers"):
        pc.simulate(block_on_slope(None), end_time=0.02, continue_from=path)


def test_runs_without_memory_record_none(tmp_path: Path) -> None:
    import h5py

    pc.simulate(box_over_plane(), end_time=0.01, record=tmp_path / "run.h5")
    with h5py.File(tmp_path / "run.h5") as file:
        assert "remembered" not in file
    assert pc.Trajectory.open(tmp_path / "run.h5").state_at_end().remembered == ()
