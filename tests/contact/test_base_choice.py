"""Which body is the base where nobody says it: the sharper, finer or smaller one, in any order and under any name."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

import polycontact as pc
from polycontact.contact.base_choice import choose_base
from tests.scenes import random_rotation

LAW = pc.LayerLaw(stiffness=1e7)
DISTANCE = pc.contact.PolygonalMethod()
PAPER = pc.contact.PolygonalMethod(depth="base_normal")
SURFACES = {
    "floor": pc.shapes.plane(2.0),
    "fine floor": pc.shapes.plane(2.0, 50),
    "plate": pc.shapes.box((0.8, 0.8, 0.1)),
    "box": pc.shapes.box((0.1, 0.1, 0.1)),
    "fine box": pc.shapes.box((0.1, 0.1, 0.1), 6),
    "small box": pc.shapes.box((0.04, 0.04, 0.04)),
    "ball": pc.shapes.sphere(0.1, 3),
    "coarse ball": pc.shapes.sphere(0.1, 0),
    "large ball": pc.shapes.sphere(1.0, 3),
    "cone": pc.shapes.cone(0.02, 0.05),
    "inside of a ball": pc.shapes.sphere(0.3, 2).flipped(),
    "torus": pc.shapes.torus(0.1, 0.03),
}


@pytest.mark.parametrize(
    ("base", "other", "told"),
    [
        ("ball", "floor", "sharper: on average curved like a ball of 99.8 mm radius"),
        ("ball", "fine floor", "sharper"),
        ("ball", "plate", "sharper"),
        ("cone", "plate", "sharper"),
        ("box", "floor", "sharper"),
        ("box", "fine floor", "sharper"),
        ("box", "large ball", "sharper"),
        ("box", "ball", "sharper"),
        ("small box", "box", "sharper"),
        ("ball", "large ball", "sharper"),
        ("ball", "inside of a ball", "has no convex spot"),
        ("torus", "plate", "sharper"),
        ("fine box", "box", "has the finer mesh: triangles of 11.8 mm"),
        ("ball", "coarse ball", "has the finer mesh"),
        ("fine floor", "floor", "has the finer mesh"),
    ],
)
def test_the_sharper_or_finer_body_is_the_base(base: str, other: str, told: str) -> None:
    first = choose_base(DISTANCE, SURFACES[base], SURFACES[other])
    second = choose_base(DISTANCE, SURFACES[other], SURFACES[base])
    assert (first.base, second.base) == (pc.Base.E, pc.Base.F)
    assert told in first.reason
    assert first.reason.startswith("E ")
    assert second.reason.startswith("F ")


def test_methods_that_sample_triangles_take_the_finer_mesh_first() -> None:
    """A box of twelve triangles has a dozen samples; a fine floor under it has as many as it has triangles there."""
    box, floor = SURFACES["box"], pc.shapes.plane(2.0, 100)
    assert choose_base(DISTANCE, box, floor).base is pc.Base.E
    for method in (PAPER, pc.contact.PenetrationLines(), pc.contact.NodeBlockMethod()):
        assert choose_base(method, box, floor).base is pc.Base.F
        assert choose_base(method, floor, box).base is pc.Base.E
        assert choose_base(method, SURFACES["ball"], SURFACES["floor"]).base is pc.Base.E


@pytest.mark.parametrize("method", [DISTANCE, PAPER])
def test_order_and_place_do_not_matter(method: pc.contact.PolygonalMethod) -> None:
    """Each pair in both orders, and with one mesh given in other axes elsewhere."""
    rng = np.random.default_rng(3)
    for (one, e), (two, f) in itertools.combinations(SURFACES.items(), 2):
        moved = e.transformed(random_rotation(rng), rng.normal(size=3))
        same = choose_base(method, e, f).base
        assert choose_base(method, f, e).base is (pc.Base.F if same is pc.Base.E else pc.Base.E), (one, two)
        assert choose_base(method, moved, f).base is same, (one, two)


def test_copies_are_told_apart_by_their_vertices_in_either_order() -> None:
    """A foot and its mirror image, and a copy that was moved: alike in all numbers."""
    left = pc.shapes.extrude([(0, 0), (0.2, 0), (0.25, 0.1), (0, 0.08)], 0.05)
    for other in (
        pc.Surface(left.vertices * (-1.0, 1.0, 1.0), left.triangles[:, ::-1]),
        left.transformed(position=(0.1, 0.0, 0.0)),
    ):
        first, second = choose_base(DISTANCE, left, other), choose_base(DISTANCE, other, left)
        assert {first.base, second.base} == {pc.Base.E, pc.Base.F}
        assert "as sharp, as fine and as large" in first.reason


def test_of_equal_meshes_the_first_body_is_the_base() -> None:
    ball = SURFACES["ball"]
    for other in (ball, pc.shapes.sphere(0.1, 3)):
        assert choose_base(DISTANCE, ball, other) == (pc.Base.E, "both bodies have the same mesh")


def test_the_contact_is_the_same_with_bodies_the_other_way_round() -> None:
    """The chosen base makes the elements in either order: forces are opposite to rounding."""
    for e, f, z in (("ball", "floor", -0.097), ("box", "fine floor", -0.047), ("cone", "plate", -0.04)):
        found = pc.ContactPairing(SURFACES[e], SURFACES[f], law=LAW).evaluate(pc.RelativeKinematics(position=(0, 0, z)))
        swapped = pc.ContactPairing(SURFACES[f], SURFACES[e], law=LAW)
        back = swapped.evaluate(pc.RelativeKinematics(position=(0, 0, -z)))
        assert found.force[2] > 0.0
        assert back.force == pytest.approx(-found.force, rel=1e-9, abs=1e-9 * found.force[2])
        assert len(back.elements.area) == len(found.elements.area)


def test_the_pairing_tells_its_base() -> None:
    pair = pc.ContactPairing(SURFACES["floor"], SURFACES["ball"], law=LAW)
    assert pair.base is pc.Base.F
    assert pair.method == pc.contact.PolygonalMethod(base=pc.Base.F)
    assert pair.description.base_reason.startswith("F is sharper")
    said = pc.ContactPairing(SURFACES["floor"], SURFACES["ball"], law=LAW, base=pc.Base.E)
    assert (said.base, said.description.base_reason) == (pc.Base.E, "")
    again = pc.ContactPairing(SURFACES["floor"], SURFACES["ball"], description=pair.description)
    assert again.description == pair.description
    assert pc.ContactPairing(SURFACES["floor"], SURFACES["ball"], law=LAW, base=pc.Base.AUTO).base is pc.Base.F
    assert pc.ContactDescription.from_plain(pair.description.to_plain()) == pair.description


def test_other_geometries_have_no_base() -> None:
    ball = pc.convex.Sphere(0.1)
    pair = pc.ContactPairing(ball, ball, law=pc.laws.SpringDamperLaw(stiffness=1e4))
    assert pair.description.base_reason == ""


def dropped(*order: str) -> pc.MultibodySystem:
    """A ball, or two, just above a floor, added in some order."""
    system = pc.MultibodySystem()
    for name in order:
        if name == "floor":
            system.add_body(name, surface=SURFACES["floor"], fixed=True)
        else:
            x = 0.011 if name == "ball" else 0.5
            system.add_body(name, surface=SURFACES["ball"], density=500.0, position=(x, 0.007, 0.0999))
    system.find_contacts(law=LAW)
    return system


@pytest.mark.parametrize("order", [("floor", "ball", "other"), ("ball", "other", "floor"), ("other", "floor", "ball")])
def test_a_floor_that_is_added_first_is_not_the_base(order: tuple[str, ...]) -> None:
    found = {frozenset((each.e, each.f)): each for each in dropped(*order).contacts.values()}
    for name in ("ball", "other"):
        contact = found[frozenset(("floor", name))]
        method = contact.description.method
        assert isinstance(method, pc.contact.PolygonalMethod)
        assert {contact.e: pc.Base.E, contact.f: pc.Base.F}[name] is method.base
    assert found[frozenset(("ball", "other"))].description.base_reason == "both bodies have the same mesh"


def test_a_run_is_the_same_and_tells_its_base_in_any_order() -> None:
    heights = []
    for order, letter in (("floor", "ball"), "F"), (("ball", "floor"), "E"):
        trajectory = pc.simulate(dropped(*order), end_time=0.01, rtol=1e-8, atol=1e-10, output_step=0.01).trajectory
        heights.append(trajectory.body("ball").position[-1])
        (recorded,) = trajectory.description.pairings
        assert recorded.contact["method"]["base"] == letter
        assert recorded.contact["base_reason"].startswith(f"{letter} is sharper")
    assert heights[0] == pytest.approx(heights[1], abs=1e-8)  # m, of 0.5 mm that it has fallen


def test_bluntness() -> None:
    """Of a ball its radius; of a cube and a square the ball with as much area for its curvature: 4π, and 2π a side."""
    ball, box = (SURFACES[name].bluntness for name in ("ball", "fine box"))
    square = pc.shapes.plane(0.3).bluntness
    assert ball.radius == pytest.approx(0.1, rel=5e-3)  # facets cut off 0.3 % of the area
    assert box.radius == pytest.approx(0.1 * math.sqrt(6.0 / (4.0 * math.pi)))
    assert square.radius == pytest.approx(0.3 / math.sqrt(2.0 * math.pi))
    assert box.triangle == pytest.approx(0.1 / 6.0 / math.sqrt(2.0))
    assert box.area == pytest.approx(0.06)
    # The outer half of a torus has 4π.
    assert SURFACES["torus"].bluntness.radius == pytest.approx(math.sqrt(math.pi * 0.1 * 0.03), rel=0.02)
    assert math.isinf(SURFACES["inside of a ball"].bluntness.radius)


def test_single_precision_changes_no_choice() -> None:
    """A plane turned and rounded as in an STL file is a plane still, and a rounded copy is no finer."""
    rng = np.random.default_rng(5)
    plane = pc.shapes.plane(2.0, 40).transformed(random_rotation(rng), rng.normal(size=3))
    rounded = pc.Surface(plane.vertices.astype(np.float32), plane.triangles)
    # Along the straight border angles of 1e-6 rad add up, over 160 vertices, beside the 2π of the corners.
    assert rounded.bluntness.radius == pytest.approx(plane.bluntness.radius, rel=1e-4)
    assert "as sharp, as fine and as large" in choose_base(DISTANCE, plane, rounded).reason
