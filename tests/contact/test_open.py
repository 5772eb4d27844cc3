"""Open surfaces: ordinary contact away from borders; a bounded patch where a border is in the contact."""

from __future__ import annotations

import numpy as np
import pytest

import polycontact as pc
from scenes import STIFFNESS, Tally, at, pairing, random_rotation, rotation

pytestmark = pytest.mark.filterwarnings("ignore::polycontact.ContactWarning")
OPEN = pc.ContactStatus.OPEN_POLYGON
BUBBLE = pc.shapes.bubble()
CONTAINER = pc.shapes.container()
SPHERE = pc.shapes.sphere(0.1, 3)


def test_bubble_in_the_container() -> None:
    """The container is open, but its rim is far: closed polygons, no special status."""
    rng = np.random.default_rng(1)
    met = 0
    for base in (pc.Base.E, pc.Base.F, pc.Base.BOTH):
        pair = pairing(CONTAINER, BUBBLE, base=base)
        for _ in range(20):
            result = pair.evaluate(at(random_rotation(rng), (rng.uniform(-0.1, 0.1), rng.uniform(-0.1, 0.1), 0.17)))
            if not result.in_contact:
                continue
            met += 1
            assert OPEN not in result.status
            assert all(polygon.is_closed for polygon in result.polygons)
            assert result.force[2] <= 0.0  # the container is pushed down
            assert np.isnan(result.volume)
    assert met > 20


@pytest.mark.parametrize("base", [pc.Base.E, pc.Base.F, pc.Base.BOTH])
def test_sphere_on_a_plane_is_as_on_a_box(base: pc.Base) -> None:
    """An open plane and the top of a closed box with the same triangles give the same wrench."""
    plane, box = pc.shapes.plane(1.0, 8), pc.shapes.box((1.0, 1.0, 1.0), 8)
    r = np.array([0.07, 0.03, 0.09])
    R = rotation((1, 2, 3), 0.7)
    on_plane = pairing(plane, SPHERE, base=base).wrench(R, r)
    on_box = pairing(box.transformed(position=(0, 0, -0.5)), SPHERE, base=base).wrench(R, r)
    assert on_plane[2] < 0.0
    np.testing.assert_allclose(on_plane, on_box, rtol=1e-9, atol=1e-6)


@pytest.mark.parametrize("base", [pc.Base.E, pc.Base.F, pc.Base.BOTH])
@pytest.mark.parametrize("elements", ["clipped", "whole"])
def test_a_border_in_the_contact(base: pc.Base, elements: str) -> None:
    """A sphere pressed into the border of a plane: status, and only what lies behind the plane is active."""
    plane = pc.shapes.plane(1.0, 20)
    area = np.pi * 0.1**2
    pair = pairing(plane, SPHERE, base=base, elements=elements)
    for x in np.linspace(0.45, 0.55, 17):
        result = pair.evaluate(at(None, (x, 0.013, 0.08)))
        assert OPEN in result.status
        assert result.force[2] <= 0.0
        assert np.linalg.norm(result.force) < 2.0 * STIFFNESS * area * 0.1
        for ids, surface, bound in zip(result.active_triangles, (plane, SPHERE), (4.0, 2.5), strict=True):
            assert surface.areas[ids].sum() < bound * area
        lowest = SPHERE.vertices[SPHERE.triangles[result.active_triangles[1]]][:, :, 2].min(axis=1) + 0.08
        assert (lowest <= 1e-12).all()  # no triangle of the sphere above the plane
        reach = plane.vertices[plane.triangles[result.active_triangles[0]]].reshape(-1, 3)
        assert (np.linalg.norm(reach[:, :2] - (x, 0.013), axis=1) < 0.1 + 0.08).all()


def test_the_whole_surface_is_never_active() -> None:
    """A narrow strip through a sphere, which it cuts right through: both borders run in the contact."""
    strip = pc.shapes.plane((1.0, 0.05), (20, 2))
    rng = np.random.default_rng(2)
    for e, f in ((strip, SPHERE), (SPHERE, strip)):
        for base in (pc.Base.E, pc.Base.F, pc.Base.BOTH):
            for elements in ("clipped", "whole"):
                pair = pairing(e, f, base=base, elements=elements)
                for _ in range(6):
                    result = pair.evaluate(at(random_rotation(rng), rng.uniform(-0.05, 0.05, 3)))
                    sphere_ids = result.active_triangles[0 if e is SPHERE else 1]
                    assert SPHERE.areas[sphere_ids].sum() < 0.6 * SPHERE.areas.sum()
                    assert np.isfinite(result.force).all()
                    assert np.linalg.norm(result.force) < STIFFNESS * SPHERE.areas.sum() * 0.2


def test_force_fades_as_the_sphere_leaves_the_border() -> None:
    plane = pc.shapes.plane(1.0, 20)
    pair = pairing(plane, SPHERE, base=pc.Base.F)
    forces = [-pair.wrench(np.eye(3), (x, 0.013, 0.08))[2] for x in np.linspace(0.4, 0.65, 60)]
    assert forces[0] > 0.0
    assert forces[-1] == 0.0
    assert max(forces) < 1.2 * forces[0]
    assert np.mean(forces[20:30]) < 0.9 * forces[0]


def facing(rng: np.random.Generator) -> np.ndarray:
    """Turned over, so that the fronts of two open surfaces face each other, and tilted by up to 34°."""
    return rotation(rng.normal(size=3), rng.uniform(0.06, 0.6)) @ np.diag([1.0, -1.0, -1.0])


def test_both_surfaces_open() -> None:
    """Two crossing strips, and two bowls with their rims in each other: bounded and finite, whatever is the base."""
    strip = pc.shapes.plane((0.4, 0.1), (8, 2))
    rng = np.random.default_rng(3)
    for base in (pc.Base.E, pc.Base.F, pc.Base.BOTH):
        strips, bowls = pairing(strip, strip, base=base), pairing(CONTAINER, CONTAINER, base=base)
        with_force, with_border = Tally(), Tally()
        for _ in range(20):
            for pair, r, most in (
                (strips, rng.uniform(-0.02, 0.02, 3), 0.04 * 0.5),
                (bowls, rng.uniform((-0.3, -0.3, 0.6), (0.3, 0.3, 1.0)), CONTAINER.areas.sum() * CONTAINER.size),
            ):
                result = pair.evaluate(at(facing(rng), r))
                assert np.isfinite(result.force).all()
                assert np.isfinite(result.torque).all()
                assert np.linalg.norm(result.force) < STIFFNESS * most
                with_force.note(result.force.any())
                with_border.note(OPEN in result.status)
        with_force.assert_share(0.7)
        with_border.assert_share(0.7)


@pytest.mark.parametrize("base", [pc.Base.E, pc.Base.F, pc.Base.BOTH])
def test_degenerate_poses_at_the_border(base: pc.Base) -> None:
    """A box flush with the plane's border, edges and corners: no exception, no nan, no leak."""
    plane, box = pc.shapes.plane(0.4, 4), pc.shapes.box((0.2, 0.2, 0.2), 2)
    for e, f in ((plane, box), (box, plane)):
        pair = pairing(e, f, base=base)
        meeting = Tally()
        for k in np.ndindex(7, 7, 3):
            r = 0.1 * (np.array(k, dtype=float) - (3, 3, 1))
            result = pair.evaluate(at(None, r if e is plane else -r))
            assert np.isfinite(result.force).all()
            assert np.linalg.norm(result.force) < STIFFNESS * 0.24 * 0.3
            meeting.note(result.statistics.lines)
        meeting.assert_share(0.3)  # of the poses that only touch most are apart, by the rule for ties


def test_penetration_lines_tolerate_borders() -> None:
    plane = pc.shapes.plane(1.0, 20)
    pair = pairing(plane, SPHERE, base=pc.Base.F, method="penetration_lines", max_penetration=0.1)
    result = pair.evaluate(at(None, (0.5, 0.013, 0.08)))
    assert result.force[2] < 0.0
    assert result.status is pc.ContactStatus.NORMAL
