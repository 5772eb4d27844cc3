"""What a run tells of every accepted step: loads of loops and drives, and contacts between two samples."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest
from small_systems import bounce_times, bouncing_ball, box_over_plane

import polycontact as pc
from polycontact.simulation.recording.run_peaks import Peak, peaks_of_samples

G = 9.81
STEPS = (0.17, 0.013, 0.001)


def driven_pendulum_on_a_rod() -> pc.MultibodySystem:
    """A weight on a rod (a loop), and beside it an arm that a prescribed oscillation turns, with a spring."""
    system = pc.MultibodySystem("rod and arm", gravity=(0.0, 0.0, -G))
    angle = 0.8
    system.add_body(
        "weight", mass=2.0, inertia=(0.01, 0.01, 0.01), position=(0.5 * math.sin(angle), 0.0, -0.5 * math.cos(angle))
    )
    system.add_loop("rod", "distance", "world", "weight", length=0.5)
    system.add_body("arm", mass=1.5, centre=(0.4, 0.0, 0.0), inertia=(0.01, 0.01, 0.01))
    motion = pc.multibody.Harmonic(amplitude=0.3, frequency=2.0)
    system.add_joint("shaft", "revolute", "world", "arm", axis=(0, 1, 0), motion=motion)
    system.add_force(
        pc.multibody.SpringDamper("cord", "world", (0.0, 0, 0.3), "arm", (0.4, 0, 0), stiffness=100.0, length=0.4)
    )
    return system


def driven_four_bar() -> pc.MultibodySystem:
    """A crank that turns with 10 rad/s and a rocker, with a rod between their ends."""
    crank, rod, rocker, ground, Y = 0.1, 0.3, 0.25, 0.35, (0.0, -1.0, 0.0)
    system = pc.MultibodySystem("four-bar")
    system.add_body("crank", mass=0.5, centre=(0.5 * crank, 0, 0), inertia=(1e-3, 1e-3, 1e-3))
    system.add_joint("main", "revolute", "world", "crank", axis=Y, motion=pc.multibody.ConstantVelocity(10.0))
    system.add_body("rocker", mass=0.8, centre=(0.5 * rocker, 0, 0), inertia=(5e-3, 5e-3, 5e-3))
    span = ground - crank  # the crank lies along the ground at the start
    angle = math.acos((rod**2 - span**2 - rocker**2) / (2.0 * span * rocker))
    system.add_joint("pivot", "revolute", "world", "rocker", at=(ground, 0.0, 0.0), axis=Y, coordinates=angle)
    system.add_loop("rod", "distance", "crank", "rocker", at_a=(crank, 0, 0), at_b=(rocker, 0, 0), length=rod)
    return system


def _named(peaks: pc.simulation.RunPeaks, group: str, part: str, load: str) -> Peak:
    loads = getattr(peaks, group)[part]
    found: Peak = getattr(loads, load) if group == "joints" else loads[load]
    return found


def test_loads_of_loops_drives_and_springs_do_not_hang_on_the_samples() -> None:
    runs = [
        pc.simulate(driven_pendulum_on_a_rod(), end_time=1.2, output_step=step, rtol=1e-7, atol=1e-8) for step in STEPS
    ]
    first, second, fine = (run.peaks for run in runs)
    assert first == second == fine
    sampled = peaks_of_samples(runs[2].trajectory)
    coarse = peaks_of_samples(runs[0].trajectory)
    for name, load in (
        ("joints", ("rod", "force")),
        ("drives", ("shaft", "angular_speed")),
        ("forces", ("cord", "tension")),
    ):
        found, in_samples, in_few = (_named(peaks, name, *load) for peaks in (fine, sampled, coarse))
        # 1 ms beside the top of a load that changes with 2 Hz, several times over for its harmonics, lacks 1e-4.
        assert found.value == pytest.approx(in_samples.value, rel=3e-4)
        assert in_few.value < 0.995 * found.value  # what few samples alone would tell


def test_what_makes_loops_close_is_no_load() -> None:
    """A driven four-bar with a rod at a coarse tolerance: its loads are those of the linkage, however far it drifts.

    With the terms that make the drift decay, the drive's greatest effort came out 5 % too low.
    """
    rough = pc.simulate(driven_four_bar(), end_time=1.3, output_step=0.4).peaks
    fine = pc.simulate(driven_four_bar(), end_time=1.3, output_step=0.4, rtol=1e-8, atol=1e-9).peaks
    for group, part, load in (
        ("drives", "main", "angular_speed"),
        ("joints", "rod", "force"),
        ("joints", "main", "force"),
    ):
        expected = _named(fine, group, part, load).value
        # The crank's angle is given; what is left is a quarter of a step beside the top, and the rocker's error, 1e-4.
        assert _named(rough, group, part, load).value == pytest.approx(expected, rel=5e-4), part


def test_tension_of_a_rod_at_the_lowest_point() -> None:
    """m g (3 - 2 cos φ): from the energy of a point on a rod, released at φ."""
    run = pc.simulate(driven_pendulum_on_a_rod(), end_time=1.2, output_step=0.3, rtol=1e-8, atol=1e-9)
    assert run.peaks.joints["rod"].force.value == pytest.approx(2.0 * G * (3.0 - 2.0 * math.cos(0.8)), rel=1e-5)


def test_contacts_between_two_samples_have_touched(tmp_path: Path) -> None:
    """One bounce within 0.1 s: no sample sees it, the run names it, in memory, in its file and after a continuation."""
    path = tmp_path / "run.h5"
    options: dict[str, Any] = {"rtol": 1e-6, "atol": 1e-6}
    run = pc.simulate(bouncing_ball(), end_time=0.4, output_step=0.2, record=path, **options)
    assert not run.trajectory.pairing("bounce").in_contact.any()
    assert run.trajectory.touched == ("bounce",)
    assert pc.simulate(bouncing_ball(), end_time=0.4, output_step=0.2, **options).trajectory.touched == ("bounce",)
    longer = pc.simulate(bouncing_ball(), end_time=0.45, output_step=0.05, continue_from=path, **options)
    assert not longer.trajectory.pairing("bounce").in_contact.any()
    assert longer.trajectory.touched == ("bounce",)


def test_what_a_box_never_reached_has_not_touched() -> None:
    run = pc.simulate(box_over_plane(height=50.0), end_time=0.1, output_step=0.05)
    assert run.trajectory.touched == ()


def test_when_a_contact_was_there_does_not_hang_on_the_samples(tmp_path: Path) -> None:
    """The box falls 0.2 m: it meets the plane at a known time, for a known time, between two samples 0.25 s apart."""
    height = 0.2
    start, end = bounce_times(height, 1)
    options: dict[str, Any] = {"rtol": 1e-8, "atol": 1e-8, "output_step": 0.25}
    system = box_over_plane(height=height)
    found = pc.simulate(system, end_time=0.5, **options).trajectory.contact_times("landing")
    # The ends of steps, which are shorter than a tenth of the contact at this tolerance.
    short = 0.1 * (end - start)
    assert found.first == pytest.approx(start, abs=short)
    assert found.last == pytest.approx(end, abs=short)
    assert found.total == pytest.approx(end - start, abs=short)
    path = tmp_path / "run.h5"
    middle = 0.5 * (start + end)
    pc.simulate(system, end_time=middle, record=path, **options)
    both = pc.simulate(system, end_time=0.5, continue_from=path, **options).trajectory.contact_times("landing")
    assert both == pytest.approx(found, abs=short)
    never = pc.simulate(box_over_plane(height=50.0), end_time=0.1).trajectory.contact_times("landing")
    assert never.total == 0.0
    assert math.isnan(never.first)
