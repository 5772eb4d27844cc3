"""A body wholly inside another is reported, never a silent zero; a body merely near is not."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from numpy.typing import ArrayLike

import polycontact as pc
from scenes import STIFFNESS, at, pairing, random_rotation, rotation

BALL = pc.shapes.sphere(0.05, 2)
BOX = pc.shapes.box((0.4, 0.4, 0.4), 2)
TORUS = pc.shapes.torus(0.3, 0.08, 32, 16)
E_INSIDE_F, F_INSIDE_E = pc.ContactStatus.E_INSIDE_F, pc.ContactStatus.F_INSIDE_E
Array = np.ndarray


def joined(*parts: pc.Surface) -> pc.Surface:
    starts = np.cumsum([0, *(len(part.vertices) for part in parts[:-1])])
    return pc.Surface(
        np.concatenate([part.vertices for part in parts]),
        np.concatenate([part.triangles + start for part, start in zip(parts, starts, strict=True)]),
        name="joined",
    )


def evaluate_quietly(
    e: pc.Surface, f: pc.Surface, r: ArrayLike, R: Array | None = None, **options: object
) -> pc.ContactResult:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", pc.ContactWarning)
        return pairing(e, f, **options).evaluate(at(R, r))


@pytest.mark.parametrize("depth", ["base_normal", "target_normal"])
@pytest.mark.parametrize("base", [pc.Base.E, pc.Base.F, pc.Base.BOTH])
@pytest.mark.parametrize("elements", ["clipped", "whole"])
def test_contained_either_way(base: pc.Base, elements: str, depth: str) -> None:
    """Depths along normals know nothing of a body that is not cut: no force."""
    for e, f, expected in ((BALL, BOX, E_INSIDE_F), (BOX, BALL, F_INSIDE_E)):
        pair = pairing(e, f, base=base, elements=elements, depth=depth)
        for r in ((0, 0, 0), (0.14, -0.1, 0.05), (0.0, 0.0, -0.149)):
            with pytest.warns(pc.ContactWarning, match="wholly inside"):
                result = pair.evaluate(at(rotation((1, 2, 3), 0.5) if f is BALL else None, r))
            assert expected in result.status
            assert result.in_contact
            assert not result.force.any()
            with pytest.warns(pc.ContactWarning, match="wholly inside"):
                assert not pair.wrench(np.eye(3), r).any()


@pytest.mark.parametrize("base", [pc.Base.E, pc.Base.F, pc.Base.BOTH])
@pytest.mark.parametrize("elements", ["clipped", "whole"])
@pytest.mark.parametrize("swap", [False, True])
def test_a_contained_body_is_pushed_out_to_the_nearest_face(swap: bool, elements: str, base: pc.Base) -> None:
    """c V towards the face that is nearest to all of the ball, whichever is the base; half of it where both are."""
    e, f = (BOX, BALL) if swap else (BALL, BOX)
    pair = pairing(e, f, base=base, elements=elements)
    for axis, sign in np.ndindex(3, 2):
        out = (2 * sign - 1) * np.eye(3)[axis]
        with pytest.warns(pc.ContactWarning, match="wholly inside"):
            result = pair.evaluate(at(None, (0.13 if swap else -0.13) * out))
        assert (F_INSIDE_E if swap else E_INSIDE_F) in result.status
        on_ball = -result.force if swap else result.force
        # Over the ball the distance is linear, so that three points of a triangle integrate it exactly.
        force = STIFFNESS * BALL.volume * (0.5 if base is pc.Base.BOTH else 1.0)  # the mean of two potentials
        np.testing.assert_allclose(on_ball, force * out, rtol=0.0, atol=1e-9 * force)
        assert result.volume == pytest.approx(BALL.volume, rel=1e-12)
        assert [patch.n_borders for patch in result.patches] == [0]


@pytest.mark.filterwarnings("ignore::polycontact.ContactWarning")
@pytest.mark.parametrize("base", [pc.Base.E, pc.Base.F, pc.Base.BOTH])
def test_going_under_is_continuous(base: pc.Base) -> None:
    """The ball passes from cut to contained at 0.15 m; a step of 2e-7 m changes the force by some c A dx at most."""
    pair = pairing(BALL, BOX, base=base)
    forces = [pair.wrench(np.eye(3), (x, 0.0, 0.0))[0] for x in (-0.15 - 1e-7, -0.15 + 1e-7)]
    assert abs(forces[1] - forces[0]) < 30.0 * STIFFNESS * BALL.areas.sum() * 2e-7


def test_in_the_middle_nothing_pushes() -> None:
    """All faces are as near: the pushes of all sides cancel, up to the tolerance of the integration."""
    for elements in ("clipped", "whole"):
        result = evaluate_quietly(BALL, BOX, (0, 0, 0), elements=elements)
        single = np.linalg.norm(result.elements.force, axis=1).sum()
        assert np.abs(result.force).max() < 2e-3 * single


def test_a_contained_part_of_a_body_is_pushed_out_too() -> None:
    """Of two balls on a rod that is not there one is cut by the top of the box, the other lies below a side of it."""
    e = joined(BALL.transformed(position=(0.0, 0.0, 0.19)), BALL.transformed(position=(0.149, 0.0, 0.0)))
    both = evaluate_quietly(e, BOX, (0, 0, 0))
    alone = evaluate_quietly(BALL, BOX, (0, 0, -0.19))
    assert E_INSIDE_F in both.status
    assert both.volume == pytest.approx(alone.volume + BALL.volume, rel=1e-9)
    assert both.force[0] == pytest.approx(STIFFNESS * BALL.volume, rel=1e-2)
    assert both.force[2] == pytest.approx(alone.force[2], rel=1e-2)
    assert sorted(patch.n_borders for patch in both.patches) == [0, 1]


def test_warning_names_the_bodies_and_the_remedy() -> None:
    for depth, told in (
        ("distance", "is pushed out towards the nearest surface"),
        ("base_normal", "adds no force there"),
        ("target_normal", "adds no force there"),
    ):
        with pytest.warns(pc.ContactWarning) as caught:
            pairing(BALL, BOX, name="ball in box", depth=depth).evaluate(at())
        message = str(caught[0].message)
        assert message.startswith("ball in box: sphere ")
        assert "lies wholly inside box" in message
        assert told in message
        assert "step" in message


def test_containment_as_an_error() -> None:
    pair = pairing(BOX, BALL, containment="error")
    with pytest.raises(pc.ContactError, match=r"sphere .*lies wholly inside box"):
        pair.evaluate(at())
    with pytest.raises(pc.ContactError, match="wholly inside"):
        pair.wrench(np.eye(3), np.zeros(3))
    with pytest.raises(pc.ContactError, match="wholly inside"):
        pc.PairingBatch([pair]).wrenches(np.eye(3)[None], np.zeros((1, 3)))
    assert pair.evaluate(at(None, (0.2, 0, 0))).force.any()  # cut: an ordinary contact
    assert not pair.evaluate(at(None, (1.0, 0, 0))).in_contact


@pytest.mark.filterwarnings("error::polycontact.ContactWarning")
def test_near_is_not_contained() -> None:
    """Close outside, in the hole of a ring, in a notch, above a bowl, in a cavity: nothing to report."""
    for direction in (*np.eye(3), *-np.eye(3)):
        for e, f in ((BOX, BALL), (BALL, BOX)):
            result = pairing(e, f).evaluate(at(None, 0.26 * direction))
            assert result.status is pc.ContactStatus.NORMAL
            assert not result.in_contact
    rng = np.random.default_rng(1)
    for _ in range(20):
        R = random_rotation(rng)
        for e, f in ((TORUS, BALL), (BALL, TORUS)):
            result = pairing(e, f).evaluate(at(R, 0.05 * rng.uniform(-1, 1, 3)))
            assert not result.in_contact
    cup = pc.shapes.spherical_cup(0.2)
    for e, f in ((cup, BALL), (BALL, cup)):
        top = cup.bounds[1, 2] if e is cup else -cup.bounds[1, 2]
        assert not pairing(e, f).evaluate(at(None, (0, 0, top))).in_contact
    shell = joined(pc.shapes.sphere(0.2, 3), pc.shapes.sphere(0.15, 3).flipped())
    for e, f in ((shell, BALL), (BALL, shell)):
        assert not pairing(e, f).evaluate(at(None, (0.03, 0.02, 0.01))).in_contact


def test_contained_in_a_ring() -> None:
    for angle in np.linspace(0.0, 2.0 * np.pi, 13):
        r = 0.3 * np.array([np.cos(angle), np.sin(angle), 0.0])
        assert F_INSIDE_E in evaluate_quietly(TORUS, BALL, r).status
        assert E_INSIDE_F in evaluate_quietly(BALL, TORUS, -r).status


@pytest.mark.parametrize("swap", [False, True])
def test_several_components(swap: bool) -> None:
    """Three balls in a row, pushed into a box: each number of them contained, cut and outside."""
    balls = joined(*(BALL.transformed(position=(0.15 * k, 0, 0)) for k in (-1, 0, 1)))
    inside = F_INSIDE_E if swap else E_INSIDE_F
    for x, contained in ((0.0, True), (0.1, True), (0.2, True), (0.29, True), (0.42, False), (0.6, False)):
        e, f, r = (BOX, balls, (x, 0.01, 0.02)) if swap else (balls, BOX, (-x, 0.01, 0.02))
        status = evaluate_quietly(e, f, r).status
        assert (inside in status) == contained
        assert not status & (E_INSIDE_F if swap else F_INSIDE_E)


@pytest.mark.parametrize("scale", [1e-9, 1e-3, 1e6])
def test_containment_at_all_scales(scale: float) -> None:
    for r in ((0, 0, 0), (0.1, 0.1, -0.1)):
        assert F_INSIDE_E in evaluate_quietly(BOX.scaled(scale), BALL.scaled(scale), scale * np.array(r)).status


def test_contained_at_the_height_of_edges_and_vertices() -> None:
    """Lines through edges and vertices of a coarse box count neither twice nor never."""
    for k in np.ndindex(5, 5, 5):
        r = 0.0625 * (np.array(k, dtype=float) - 2.0)
        assert F_INSIDE_E in evaluate_quietly(pc.shapes.box((0.5, 0.5, 0.5), 4), BALL, r).status
        assert E_INSIDE_F in evaluate_quietly(BALL, pc.shapes.box((0.5, 0.5, 0.5), 4), r).status


def test_both_bodies_the_same_size_are_not_contained() -> None:
    result = evaluate_quietly(BOX, BOX, (0, 0, 0))
    assert not result.status & (E_INSIDE_F | F_INSIDE_E)
    assert result.in_contact


def test_open_surfaces_contain_nothing() -> None:
    """A ball above the container's floor lies inside its box, but an open surface has no inside."""
    container = pc.shapes.container()
    for e, f in ((container, BALL), (BALL, container)):
        sign = 1.0 if e is container else -1.0
        result = pairing(e, f).evaluate(at(None, (0.0, 0.0, sign * 0.3)))
        assert result.status is pc.ContactStatus.NORMAL
        assert not result.in_contact


def test_an_open_surface_inside_a_closed_one_is_reported() -> None:
    assert E_INSIDE_F in evaluate_quietly(pc.shapes.plane(0.1, 2), BOX, (0, 0, 0)).status
    assert F_INSIDE_E in evaluate_quietly(BOX, pc.shapes.plane(0.1, 2), (0, 0, 0)).status
