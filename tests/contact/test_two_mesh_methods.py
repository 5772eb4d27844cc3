"""The two methods for meshes on shared poses, with the depth along the base's normal, which both know.

They differ by the share of the boundary triangles at most.
"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import polycontact as pc
from polycontact.contact.methods import PenetrationLines
from scenes import Tally, at, examples, pairing, pressed_together, segments

RELAXED = settings(deadline=None, derandomize=True, max_examples=examples(60))
pytestmark = pytest.mark.filterwarnings("ignore::polycontact.ContactWarning")

SHAPES = {
    "sphere": pc.shapes.sphere(0.15, 3),
    "box": pc.shapes.box((0.3, 0.2, 0.25), (6, 4, 5)),
    "bubble": pc.shapes.bubble(),
    "torus": pc.shapes.torus(0.15, 0.06, 32, 16),
}
shape_names = st.sampled_from(sorted(SHAPES))
seeds = st.integers(0, 2**32 - 1)


def by_triangle(result: pc.ContactResult) -> dict[tuple[int, int], tuple[int, float, float]]:
    """Target triangle, depth and force of each element, by side and base triangle."""
    elements = result.elements
    rows = zip(
        elements.side.tolist(),
        elements.base_triangle.tolist(),
        elements.target_triangle.tolist(),
        elements.depth.tolist(),
        np.linalg.norm(elements.force, axis=1).tolist(),
        strict=True,
    )
    return {(side, base): (target, depth, force) for side, base, target, depth, force in rows}


def cut_triangles(pair: pc.ContactPairing) -> set[tuple[int, int]]:
    """Cut triangles of the last evaluation as (side, user's id)."""
    triangles, _ = segments(pair)
    orders = pair.e.contact_data.order, pair.f.contact_data.order
    return {(side, int(orders[side][t])) for side in (0, 1) for t in triangles[:, side]}


def test_same_inner_triangles() -> None:
    """Every triangle that is not cut has the same element in both: the same target, depth and force."""
    touching, with_inner = Tally(), Tally()

    @settings(RELAXED, max_examples=examples(120))  # a half of them says something
    @given(
        shape_names,
        shape_names,
        seeds,
        st.sampled_from([pc.Base.E, pc.Base.F, pc.Base.BOTH]),
        st.sampled_from([0.02, 0.04, 0.06]),
    )
    def check(name_e: str, name_f: str, seed: int, base: pc.Base, depth: float) -> None:
        e, f = SHAPES[name_e], SHAPES[name_f]
        R, r = pressed_together(e, f, np.random.default_rng(seed), depth)
        polygons = pairing(e, f, base=base, elements="whole", depth="base_normal")
        lines = pairing(e, f, base=base, method="penetration_lines", max_penetration=0.5)
        with_polygons = polygons.evaluate(at(R, r))
        cut = cut_triangles(polygons)
        a, b = by_triangle(with_polygons), by_triangle(lines.evaluate(at(R, r)))
        inner_a = {key: value for key, value in a.items() if key not in cut}
        inner_b = {key: value for key, value in b.items() if key not in cut}
        assert set(inner_a) == set(inner_b)
        for key, (target, u, force) in inner_a.items():
            assert inner_b[key][1] == pytest.approx(u, rel=1e-9, abs=1e-13)
            if inner_b[key][0] == target:
                assert inner_b[key][2] == pytest.approx(force, rel=1e-9)
        touching.note(cut)
        with_inner.note(inner_a)

    check()
    touching.assert_share(0.95)
    with_inner.assert_share(0.5)


def test_wrenches_differ_by_the_share_of_cut_triangles_at_most() -> None:
    touching = Tally()

    @RELAXED
    @given(shape_names, shape_names, seeds)
    def check(name_e: str, name_f: str, seed: int) -> None:
        e, f = SHAPES[name_e], SHAPES[name_f]
        R, r = pressed_together(e, f, np.random.default_rng(seed), 0.01)
        base = pc.Base.E
        polygons = pairing(e, f, base=base, elements="whole", depth="base_normal")
        clipped = pairing(e, f, base=base, depth="base_normal").evaluate(at(R, r))
        lines = pairing(e, f, base=base, method="penetration_lines", max_penetration=0.5).evaluate(at(R, r))
        with_polygons = polygons.evaluate(at(R, r))
        cut = cut_triangles(polygons)
        share = sum(
            force
            for table in map(by_triangle, (with_polygons, lines))
            for key, (_, _, force) in table.items()
            if key in cut
        )
        assert np.linalg.norm(with_polygons.force - lines.force) <= share * (1.0 + 1e-9) + 1e-9
        on_cut = [(0, int(t)) in cut for t in clipped.elements.base_triangle]
        share += np.linalg.norm(clipped.elements.force[on_cut], axis=1).sum()
        assert np.linalg.norm(clipped.force - lines.force) <= share * (1.0 + 1e-9) + 1e-9
        touching.note(clipped.force.any())

    check()
    touching.assert_share(0.95)


def test_lines_shorter_than_the_depth_see_less() -> None:
    sphere, plate = SHAPES["sphere"], pc.shapes.box((1.0, 1.0, 0.5), (2, 2, 1))
    forces = []
    for reach in (0.002, 0.01, 0.05, 0.2):
        pair = pairing(plate, sphere, base=pc.Base.F, method="penetration_lines", max_penetration=reach)
        result = pair.evaluate(at(None, (0.05, 0.03, 0.38)))
        assert (result.elements.depth <= reach).all()
        forces.append(-result.force[2])
    assert forces[0] < forces[1] < forces[2] == pytest.approx(forces[3], rel=1e-12)
    whole = pairing(plate, sphere, base=pc.Base.F, elements="whole", depth="base_normal").evaluate(
        at(None, (0.05, 0.03, 0.38))
    )
    assert forces[3] == pytest.approx(-whole.force[2], rel=1e-9)


def test_penetration_lines_have_no_polygons() -> None:
    pair = pairing(SHAPES["sphere"], SHAPES["sphere"], method="penetration_lines", max_penetration=0.1)
    result = pair.evaluate(at(None, (0.28, 0, 0)))
    assert isinstance(pair.method, PenetrationLines)
    assert result.in_contact
    assert result.polygons == ()
    assert result.statistics.lines == 0
    assert np.isnan(result.volume)


def test_refinement_brings_the_methods_together() -> None:
    """Sphere on sphere: the difference is that of the boundary triangles, and falls with their size."""
    differences = []
    for level in (2, 3, 4, 5):
        sphere = pc.shapes.sphere(0.15, level)
        forces = []
        for method in ("polygonal", "penetration_lines"):
            pair = pairing(
                sphere,
                sphere,
                method=method,
                depth="base_normal",
                max_penetration=0.1 if method != "polygonal" else None,
            )
            forces.append(pair.wrench(np.eye(3), (0.27, 0.02, 0.01))[:3])
        differences.append(np.linalg.norm(forces[0] - forces[1]) / np.linalg.norm(forces[0]))
    assert differences[-1] < 0.02
    assert differences[-1] < 0.5 * differences[0]
