"""Scenarios that only a contact with a potential gets right: edges, flush faces, flanks, threads and teeth."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import polycontact as pc

G = 9.81
Array = NDArray[np.float64]


def run_of(name: str, **settings: Any) -> pc.Run:
    """A run of a built-in scenario, with other settings where they are given."""
    scenario = pc.load_scenario(name)
    return pc.simulate(scenario.build(), **{**scenario.settings, **settings})


def angle_about_z(rotation: Array) -> Array:
    """Angle (n,) of rotations (n, 3, 3) about z, rad, without jumps."""
    return np.unwrap(np.arctan2(rotation[:, 1, 0], rotation[:, 0, 0]))


def test_box_over_the_edge_is_braked_and_falls() -> None:
    run = run_of("box_over_edge")
    time, position = run.trajectory.time, run.trajectory.body("box").position
    # The front hangs over the edge from 0.07 s on; the box tips once its centre has passed the edge, at 0.14 s.
    on_table = time < 0.13
    slid = 0.3 + 1.5 * time - 0.5 * 0.1 * G * time**2
    # Before its centre reaches the edge it leans by up to 0.1 mm in the layer.
    assert position[on_table, 0] == pytest.approx(slid[on_table], abs=1e-4)
    assert position[on_table, 2] == pytest.approx(0.05, abs=1e-4)
    assert np.abs(position[:, 1] - 0.05).max() < 1e-5  # nothing pushes it aside
    free = time > 0.25
    assert not run.trajectory.pairing("box–table").in_contact[free].any()
    assert np.ptp(np.diff(position[free, 0])) < 1e-6
    assert run.energy_warning == ""
    # The table's side never counts with more than the depth.
    assert run.trajectory.pairing("box–table").depth.max() < 2e-4


def test_stack_of_flush_boxes_stands() -> None:
    run = run_of("stack_of_boxes")
    weight = 0.2 * 0.2 * 0.1 * 1000.0 * G
    for k in range(1, 11):
        body = run.trajectory.body(f"box {k}")
        assert body.position[-1] == pytest.approx(body.position[0], abs=1e-8)
        assert np.abs(body.velocity).max() < 1e-6
        below = "floor" if k == 1 else f"box {k - 1}"
        force = run.trajectory.pairing(f"box {k}–{below}").force
        carried = (11 - k) * weight
        # The boxes are set as deep as whole faces would carry them. Along the rim the depth falls off with the distance
        # to the side faces: they sink by twice the depth over the width, 1e-4, at first.
        assert force[:, 2] == pytest.approx(carried, rel=1e-4)
        assert force[-1, 2] == pytest.approx(carried, rel=1e-6)
        # Sides in one plane: nothing beyond the depth over the width, here 1e-5 m of 0.2 m.
        assert np.abs(force[:, :2]).max() < 5e-5 * carried


@pytest.fixture(scope="module")
def dovetail() -> pc.Run:
    return run_of("dovetail")


def flank_of_the_slide() -> tuple[float, float]:
    """Area of one flank inside of the guide, m², and the vertical part of its normal."""
    return 0.1 * 0.024 / math.sin(math.radians(60.0)), math.cos(math.radians(60.0))


def test_dovetail_hangs_on_its_flanks(dovetail: pc.Run) -> None:
    area, vertical = flank_of_the_slide()
    weight = pc.load_scenario("dovetail").build().bodies["slide"].mass * G
    contact = dovetail.trajectory.pairing("slide–guide")
    at_rest = dovetail.trajectory.time > 0.18
    # Positions are integrated to some 1e-9 m of a depth of 1e-5 m.
    assert contact.force[at_rest, 2] == pytest.approx(weight, rel=5e-4)
    assert np.abs(contact.force[at_rest, 1]).max() < 1e-6 * weight  # both flanks carry alike
    depth = weight / (2.0 * 1e9 * area * vertical)
    # At the edges of a flank, 20 mm wide, the depth falls off over about itself, 12 µm.
    assert contact.depth[-1] == pytest.approx(depth, rel=2e-3)
    sunk = dovetail.trajectory.body("slide").position[-1] - dovetail.trajectory.body("slide").position[0]
    assert sunk[2] == pytest.approx(-depth / vertical, rel=2e-3)
    assert contact.area[-1] == pytest.approx(2.0 * area, rel=2e-3)


def test_dovetail_brakes_as_a_wedge(dovetail: pc.Run) -> None:
    """Two flanks carry weight / cos 60° together: the slide slows down by 2 μ g, and stops after 0.153 s."""
    time, velocity = dovetail.trajectory.time, dovetail.trajectory.body("slide").velocity
    sliding = (time > 0.02) & (time < 0.14)  # it sinks in before
    slope = np.polyfit(time[sliding], velocity[sliding, 0], 1)[0]
    assert slope == pytest.approx(-2.0 * 0.1 * G, rel=5e-3)
    assert np.abs(velocity[-1]).max() < 1e-4
    assert np.abs(velocity[:, 1]).max() < 1e-5  # the tolerance of velocities
    assert dovetail.energy_warning == ""


def test_dovetail_without_friction_slides_freely() -> None:
    scenario = pc.load_scenario("dovetail")
    system = scenario.build()
    slide, guide = (system.bodies[name].shapes[0] for name in ("slide", "guide"))
    free = pc.MultibodySystem("free", gravity=(0.0, 0.0, -G))
    free.add_body("guide", surface=placed(guide), fixed=True)
    free.add_body("slide", surface=placed(slide), density=7850.0, velocity=(0.3, 0.0, 0.0))
    free.add_contact("slide", "guide", law=pc.LayerLaw(stiffness=1e9, damping=1e6, transition_depth=1e-6))
    run = pc.simulate(free, end_time=0.2, rtol=1e-5, atol=1e-7, velocity_atol=1e-5)
    velocity = run.trajectory.body("slide").velocity
    # What the integration of the depth misses at the ends is below 5e-3 of the load by its tolerance; of the weight, an
    # axial force of 3e-5 is left.
    assert velocity[:, 0] == pytest.approx(0.3, rel=3e-4)
    assert run.trajectory.body("slide").position[-1, 0] == pytest.approx(0.06, rel=1e-4)


@pytest.mark.parametrize("base", [pc.Base.E, pc.Base.F, pc.Base.BOTH])
@pytest.mark.parametrize("bottom", [-0.01, 0.0, 0.004])
def test_slide_flush_with_its_guide_hangs(bottom: float, base: pc.Base) -> None:
    """Ends in one plane, and the slide's flanks out of the guide, ending with it, or inside; two triangles on each."""
    slope = 1.0 / math.tan(math.radians(60.0))
    corners = [(0.02, 0.0), (0.06, 0.0), (0.06, 0.05), (-0.06, 0.05), (-0.06, 0.0), (-0.02, 0.0)]
    room = [(-0.02 - 0.03 * slope, 0.03), (0.02 + 0.03 * slope, 0.03)]
    ends = [(side * (0.02 + z * slope), z) for side, z in ((-1, bottom), (1, bottom), (1, 0.024), (-1, 0.024))]
    guide, slide = (pc.shapes.extrude(polygon, 0.3, divisions=1) for polygon in ([*corners, *room], ends))
    system = pc.MultibodySystem("flush", gravity=(0.0, -G, 0.0))
    system.add_body("guide", surface=guide, fixed=True)
    system.add_body("slide", surface=slide, density=7850.0)
    law = pc.LayerLaw(stiffness=1e9, damping=1e6, transition_depth=1e-6)
    method = pc.contact.PolygonalMethod(base=base, tolerance=1e-3)  # a half of what is compared below
    system.add_contact("slide", "guide", law=law, method=method)
    run = pc.simulate(system, end_time=0.05, rtol=1e-5, atol=1e-8, velocity_atol=1e-6)
    weight = slide.mass_properties(7850.0).mass * G
    area = 0.3 * (0.024 - max(bottom, 0.0)) / math.sin(math.radians(60.0))
    sunk = run.trajectory.body("slide").position[-1] - run.trajectory.body("slide").position[0]
    # 1e-8 m, the tolerance of positions, are a thousandth of what it sinks in.
    assert sunk[1] == pytest.approx(-weight / (2.0 * 1e9 * area * 0.25), rel=2e-3)
    assert np.abs(sunk[[0, 2]]).max() < 1e-9
    assert run.trajectory.pairing("slide–guide").force[-1, 1] == pytest.approx(weight, rel=2e-3)


def placed(shape: Any) -> pc.Surface:
    """The surface of a body's shape, in the body's frame."""
    surface: pc.Surface = shape.surface
    return surface.transformed(shape.rotation, shape.position)


def test_nut_advances_by_the_pitch() -> None:
    """A turn is a pitch, and the acceleration that of a screw: g / (1 + J (2π / P)² / m)."""
    pitch, end = 1.5e-3, 0.3
    run = run_of("nut_on_bolt", end_time=end)
    nut = run.trajectory.body("nut")
    turned = angle_about_z(nut.rotation) / (2.0 * math.pi)
    rise = nut.position[:, 2]
    settled = run.trajectory.time >= 0.04  # it has dropped on its flanks
    per_turn = np.polyfit(turned[settled], rise[settled], 1)[0]
    # Facets of 48 and 60 segments lie up to 11 µm beside the helices: the nut rides over them by parts of a µm, 0.3 mm
    # down the bolt.
    assert per_turn == pytest.approx(pitch, rel=1e-3)
    assert np.abs(rise[settled] - pitch * turned[settled] - (rise[-1] - pitch * turned[-1])).max() < 1e-6
    mass = pc.shapes.threaded_nut(0.01, pitch, 0.008, clearance=1e-4, segments=60).mass_properties(7850.0)
    acceleration = G / (1.0 + mass.inertia[2, 2] * (2.0 * math.pi / pitch) ** 2 / mass.mass)
    # Riding over the facets costs it some energy, in the damping of the contact: a tenth of what it gains in speed.
    fallen = rise[1] - rise[-1]
    assert fallen == pytest.approx(0.5 * acceleration * end**2, rel=0.15)
    lost = run.ledger["contact_damping"][-1] + run.ledger["kinetic"][-1]
    given = run.ledger["gravity"][0] - run.ledger["gravity"][-1]
    assert lost == pytest.approx(given, rel=5e-3)
    assert run.energy_warning == ""
    assert np.abs(nut.position[:, :2]).max() < 5e-5  # it centres itself
    assert run.trajectory.pairing("nut–bolt").depth.max() < 1e-5


def test_nut_locks_itself_by_friction() -> None:
    """A coefficient above tan(lead) · cos 30° = 0.046 holds it: it creeps, slower than the friction's velocity."""
    scenario = pc.load_scenario("nut_on_bolt")
    friction = {"kind": "regularised_coulomb", "coefficient": 0.1, "velocity": 1e-4}
    system = scenario.with_values({"contact.friction": friction}).build()
    run = pc.simulate(system, **{**scenario.settings, "end_time": 0.1})
    spin = run.trajectory.body("nut").angular_velocity[-1, 2]
    # μ s (2 - s) = 0.046 with the slip s in parts of v_ε; on which part of a flank the facets touch, is not the same at
    # all angles.
    slip = 1.0 - math.sqrt(1.0 - 0.46)
    assert spin == pytest.approx(-slip * 1e-4 / 0.0045, rel=0.15)


@pytest.fixture(scope="module")
def gears() -> pc.Run:
    return run_of("spur_gears", end_time=0.13)  # four pairs of teeth


def test_gears_transmit_with_the_ratio_of_their_teeth(gears: pc.Run) -> None:
    driven, load = (gears.trajectory.joint(name) for name in ("drive", "load"))
    steady = gears.trajectory.time > 0.02
    angles = [joint.coordinates[steady, 0] for joint in (driven, load)]
    ratio = np.ptp(angles[1]) / np.ptp(angles[0])
    # The angle of one gear goes up and down by the depth of the contact, some 0.02 mm of 60 mm on the circumference.
    assert ratio == pytest.approx(20.0 / 30.0, rel=1e-3)


def test_gears_lose_what_friction_and_damping_take(gears: pc.Run) -> None:
    ledger = gears.ledger
    lost = ledger["friction"][-1] + ledger["contact_damping"][-1]
    stored = sum(ledger[name][-1] - ledger[name][0] for name in ("kinetic", "elastic"))
    given = ledger["input"][-1] - ledger["damping"][-1] - stored
    assert given == pytest.approx(lost, rel=0.01)
    assert ledger.worst_residual < 5e-3 * lost
    assert gears.energy_warning == ""


def test_gears_rub_as_their_path_of_contact_says(gears: pc.Run) -> None:
    """Teeth that touch s from the pitch point along the line of action slide at (ω1 + ω2) s."""
    base_radius, tip_radius = (np.array([20.0, 30.0]) * 1e-3 * math.cos(math.radians(20.0)), np.array([0.022, 0.032]))
    reach = np.sqrt(tip_radius**2 - base_radius**2) - np.array([0.020, 0.030]) * math.sin(math.radians(20.0))
    pitch = math.pi * 2e-3 * math.cos(math.radians(20.0))
    places = np.add.outer(np.linspace(-reach[1], pitch - reach[1], 1001), pitch * np.arange(2))
    touching = places <= reach[0]
    mean = ((np.abs(places) * touching).sum(axis=1) / touching.sum(axis=1)).mean()  # pairs share the load evenly
    speed = 10.0 * (1.0 + 20.0 / 30.0)
    work = 0.1 * speed * mean / (base_radius[1] * 10.0 * 20.0 / 30.0)  # of the work of the damper
    ledger = gears.ledger
    # Deeper pairs carry more, and those nearer to the pitch point are deeper: less is lost than with even shares.
    assert ledger["friction"][-1] / ledger["damping"][-1] == pytest.approx(work, rel=0.1)


def test_gears_in_one_plane_do_not_push_each_other_out_of_it(gears: pc.Run) -> None:
    force = gears.trajectory.pairing("pinion–gear").force
    assert np.linalg.norm(force, axis=1).max() > 5.0
    assert np.abs(force[:, 2]).max() < 1e-6 * np.linalg.norm(force, axis=1).max()


@pytest.mark.parametrize("offset", [0.0, 1e-12, 1e-6, 3e-4])
@pytest.mark.parametrize("base", [pc.Base.E, pc.Base.F, pc.Base.BOTH])
def test_end_faces_of_gears_beside_each_other(base: pc.Base, offset: float) -> None:
    """Sideways at most the depth over the width of the teeth."""
    pinion, gear = (pc.shapes.spur_gear(2e-3, n, 0.01, backlash=5e-5, divisions=2) for n in (20, 30))
    pair = pc.ContactPairing(pinion, gear, law=pc.LayerLaw(stiffness=1e11), base=base)
    met = 0
    for phase in np.linspace(0.0, 2.0 * math.pi / 30.0, 7):
        angle = math.pi / 30.0 + phase + 3e-3  # 90 µm on the pitch circle: 40 µm deep beyond the play
        turn = np.array([[np.cos(angle), -np.sin(angle), 0.0], [np.sin(angle), np.cos(angle), 0.0], [0.0, 0.0, 1.0]])
        back = 1.5 * phase
        pinion_turn = np.array([[np.cos(back), np.sin(back), 0.0], [-np.sin(back), np.cos(back), 0.0], [0.0, 0.0, 1.0]])
        found = pair.evaluate(
            pc.RelativeKinematics(rotation=pinion_turn.T @ turn, position=pinion_turn.T @ np.array([0.05, 0.0, offset]))
        )
        met += found.in_contact
        size = np.linalg.norm(found.force)
        assert abs(found.force[2]) <= found.elements.depth.max(initial=0.0) / 0.01 * size
    assert met == 7
