"""Surfaces whose vertices move: the same triangles, the same tree, boxes that fit."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable

import numpy as np
import pytest

import polycontact as pc
from scenes import at, pairing


def bent(surface: pc.Surface, amount: float) -> np.ndarray:
    x = surface.vertices
    return x + amount * np.column_stack((np.sin(5 * x[:, 1]), np.cos(7 * x[:, 0]), x[:, 0] * x[:, 1]))


@pytest.mark.parametrize("amount", [1e-4, 0.02])
def test_contact_is_that_of_a_new_surface(amount: float) -> None:
    """The tree differs, so sums run in another order: equal to rounding."""
    bubble, plate = pc.shapes.bubble(), pc.shapes.box((1.0, 1.0, 0.2), (5, 5, 1))
    moved = bubble.with_vertices(bent(bubble, amount))
    made = pc.Surface(bent(bubble, amount), bubble.triangles)
    position = (0.0, 0.0, float(moved.bounds[0, 2]) - 0.1 + 0.01)
    for base in (pc.Base.E, pc.Base.F, pc.Base.BOTH):
        found = pairing(moved, plate, base=base).evaluate(at(None, position))
        expected = pairing(made, plate, base=base).evaluate(at(None, position))
        assert len(found.elements) == len(expected.elements) > 3
        np.testing.assert_allclose(found.force, expected.force, rtol=1e-10, atol=1e-9)


def test_topology_is_shared_and_boxes_fit() -> None:
    bubble = pc.shapes.bubble()
    data = bubble.contact_data
    moved = bubble.with_vertices(bent(bubble, 0.02))
    assert moved.half_edges is bubble.half_edges
    assert moved.contact_data.topology is data.topology
    assert moved.tree.order is bubble.tree.order
    for node in (0, 1, len(moved.tree.boxes) - 1):
        assert np.isfinite(moved.tree.boxes[node]).all()
    low, high = moved.bounds
    np.testing.assert_allclose(moved.tree.boxes[0, :3], (low + high) / 2, atol=1e-15)
    np.testing.assert_allclose(moved.tree.boxes[0, 3:], (high - low) / 2, atol=1e-15)
    corners = moved.vertices[moved.contact_data.triangles]
    leaf = moved.contact_data.boxes[-1]
    assert (np.abs(corners[-1] - leaf[:3]) <= leaf[3:] + 1e-15).all()


def test_a_surface_without_a_tree_gets_one_later() -> None:
    sphere = pc.shapes.sphere(0.1, 1)
    moved = sphere.with_vertices(2.0 * sphere.vertices)
    assert "contact_data" not in vars(moved)
    assert moved.volume == pytest.approx(8.0 * sphere.volume)
    assert moved.contact_data.mean_edge == pytest.approx(2.0 * sphere.contact_data.mean_edge)


def test_bad_vertices_are_refused() -> None:
    sphere = pc.shapes.sphere(0.1, 1)
    with pytest.raises(pc.SurfaceError, match="41 vertices are given for a surface of 42"):
        sphere.with_vertices(sphere.vertices[:-1])
    with pytest.raises(pc.SurfaceError, match="not finite"):
        sphere.with_vertices(np.full_like(sphere.vertices, np.nan))
    with pytest.raises(pc.SurfaceError, match="have no area"):
        sphere.with_vertices(np.zeros_like(sphere.vertices))


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda surface: pickle.loads(pickle.dumps(surface))])
def test_a_copy_has_its_own_memory(copied: Callable[[pc.Surface], pc.Surface]) -> None:
    """Also after a pairing has made what kernels see of it."""
    plate = pc.shapes.box((1.0, 1.0, 0.2), (3, 3, 1))
    sphere = pc.shapes.sphere(0.1, 2)
    expected = pairing(sphere, plate).wrench(np.eye(3), (0.0, 0.0, -0.19))
    other = copied(sphere)
    assert other.contact_data.view.vertices is other.contact_data.vertices
    assert other.contact_data.vertices is not sphere.contact_data.vertices
    del sphere
    np.testing.assert_array_equal(pairing(other, plate).wrench(np.eye(3), (0.0, 0.0, -0.19)), expected)
