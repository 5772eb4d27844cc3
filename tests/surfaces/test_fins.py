"""Repair takes away sheets that hang on an edge of a body, and nothing else."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

import polycontact as pc
from polycontact.errors import SurfaceError

Mesh = tuple[NDArray[np.float64], NDArray[np.int64]]


def box() -> Mesh:
    surface = pc.shapes.box(size=(1.0, 1.0, 1.0))
    return surface.vertices.copy(), surface.triangles.astype(np.int64)


def with_fin(mesh: Mesh, triangle: int = 0, n: int = 1) -> Mesh:
    """A mesh with a sheet of n triangles on the first side of a triangle, away from it."""
    vertices, triangles = mesh
    a, b, _ = triangles[triangle]
    away = vertices[[a, b]].mean(axis=0) - vertices.mean(axis=0)
    tips = [vertices[a] + (k + 1) * away for k in range(n)]
    new = len(vertices) + np.arange(n)
    sheet = [(a, b, new[0]), *((b, new[k], new[k + 1]) for k in range(n - 1))]
    return np.concatenate((vertices, tips)), np.concatenate((triangles, np.array(sheet)))


@pytest.mark.parametrize("n", [1, 3])
def test_a_fin_is_removed_and_the_body_stays(n: int) -> None:
    result = pc.surfaces.repair_with_log(with_fin(box(), n=n))
    assert result.surface.is_closed
    assert result.surface.volume == pytest.approx(1.0)
    assert result.surface.n_triangles == 12
    plural = "" if n == 1 else "s"
    assert result.actions == (f"removed {n} triangle{plural} of fins that hang on an edge of a body",)


def test_several_fins() -> None:
    mesh = with_fin(with_fin(box(), 0), 7)
    assert pc.repair_surface(mesh).n_triangles == 12


def test_a_body_with_a_hole_that_touches_another_stays() -> None:
    """Two boxes share an edge; the second lacks a triangle away from it."""
    vertices, triangles = box()
    shift = np.array([1.0, 1.0, 0.0])
    both = np.concatenate((vertices, vertices + shift))
    far = ~(np.abs(vertices[triangles] - np.array([-0.5, -0.5, 0.0]))[:, :, :2].max(axis=2) < 1e-9).any(axis=1)
    other = np.delete(triangles, int(np.flatnonzero(far)[0]), axis=0) + len(vertices)
    result = pc.surfaces.repair_with_log((both, np.concatenate((triangles, other))))
    assert result.surface.n_triangles >= 23
    assert not any("fins" in action for action in result.actions)


def test_sheets_that_meet_are_refused_with_a_remedy() -> None:
    """Three half-planes at one edge: none is a fin of the others."""
    vertices = np.array([[0.0, 0, 0], [0, 0, 1], [1, 0, 0], [-1, 1, 0], [-1, -1, 0]])
    triangles = np.array([[0, 1, 2], [0, 1, 3], [0, 1, 4]])
    with pytest.raises(SurfaceError, match="sheets that meet; remove them in the CAD program"):
        pc.repair_surface((vertices, triangles))
