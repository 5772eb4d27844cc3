"""Holes that repair fills on request, and what is said of surfaces with holes."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
import trimesh
from numpy.typing import NDArray

import polycontact as pc
from polycontact.cli import main


def without(surface: pc.Surface, chosen: NDArray[np.bool_]) -> pc.Surface:
    return pc.Surface(surface.vertices, surface.triangles[~chosen], name="holed")


def cap(surface: pc.Surface, height: float) -> NDArray[np.bool_]:
    return np.asarray(surface.barycentres[:, 2] > height)


def test_lid_on_a_sphere_is_flat() -> None:
    """The rim of a cap is nearly a circle: the lid of least area has its volume to that of the ball without the cap."""
    ball = pc.shapes.sphere(0.1, 4)
    holed = without(ball, cap(ball, 0.08))
    filled = pc.surfaces.repair_with_log(holed, fill_holes=0.2)
    assert filled.actions[-1] == "filled 1 hole"
    assert filled.surface.is_closed
    assert pc.check_surface(filled.surface).ok
    np.testing.assert_array_equal(filled.surface.vertices, holed.vertices[np.unique(holed.triangles)])
    hull = trimesh.convex.convex_hull(holed.vertices[np.unique(holed.triangles)])
    # The hull has the greatest volume that any lid can have, of a rim that is not quite plane; least area is near it.
    assert filled.surface.volume == pytest.approx(hull.volume, rel=2e-3)


def test_plane_holes_of_any_outline_are_filled_exactly() -> None:
    """A plate with an L-shaped hole, its rim with vertices on straight lines: area and volume come back."""
    x, y = np.meshgrid(np.arange(7.0), np.arange(7.0), indexing="ij")
    grid = np.stack((x, y, np.zeros_like(x)), axis=-1).reshape(-1, 3)
    cells = [(i, j) for i in range(6) for j in range(6)]
    corner = lambda i, j: 7 * i + j  # noqa: E731
    triangles = np.array(
        [
            triangle
            for i, j in cells
            for triangle in (
                (corner(i, j), corner(i + 1, j), corner(i + 1, j + 1)),
                (corner(i, j), corner(i + 1, j + 1), corner(i, j + 1)),
            )
        ]
    )
    hole = {(1, 1), (1, 2), (1, 3), (2, 1), (3, 1)}
    kept = np.array([cell not in hole for cell in cells]).repeat(2)
    holed = pc.Surface(grid, triangles[kept])
    filled = pc.repair_surface(holed, fill_holes=5.0)
    assert filled.areas.sum() == pytest.approx(36.0, rel=1e-12)
    np.testing.assert_allclose(filled.normals, [[0.0, 0.0, 1.0]] * filled.n_triangles, atol=1e-12)
    assert len(filled.half_edges.border_edges) == 24  # the outline is wider than 5 m, and stays


def test_only_holes_of_the_given_width() -> None:
    ball = pc.shapes.sphere(1.0, 3)
    small, large = cap(ball, 0.97), -ball.barycentres[:, 2] > 0.7
    holed = without(ball, small | large)
    assert not any("filled" in action for action in pc.surfaces.repair_with_log(holed).actions)
    one = pc.surfaces.repair_with_log(holed, fill_holes=1.0)
    assert "filled 1 hole" in one.actions
    assert not one.surface.is_closed
    both = pc.surfaces.repair_with_log(holed, fill_holes=np.inf)
    assert "filled 2 holes" in both.actions
    assert both.surface.is_closed
    assert both.surface.volume > 0.0


def test_soup_inside_out_with_a_hole() -> None:
    """Filling comes after welding and before solids are turned outward."""
    ball = pc.shapes.sphere(1.0, 3)
    triangles = ball.triangles[~cap(ball, 0.95)][:, ::-1]
    soup = ball.vertices[triangles].reshape(-1, 3), np.arange(3 * len(triangles)).reshape(-1, 3)
    filled = pc.repair_surface(soup, fill_holes=1.0)
    assert filled.is_closed
    assert filled.volume == pytest.approx(ball.volume, rel=0.02)


@pytest.mark.parametrize("width", [-1.0, np.nan])
def test_bad_width_is_refused(width: float) -> None:
    with pytest.raises(pc.SurfaceError, match="fill_holes"):
        pc.repair_surface(pc.shapes.sphere(1.0, 1), fill_holes=width)


def test_command_fills_holes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ball = pc.shapes.sphere(1.0, 3)
    pc.save_surface(without(ball, cap(ball, 0.95)), tmp_path / "holed.ply")
    words = ["repair", str(tmp_path / "holed.ply"), "-o", str(tmp_path / "whole.ply")]
    assert main([*words, "--fill-holes", "1"]) == 0
    assert "filled 1 hole" in capsys.readouterr().out
    assert pc.load_surface(tmp_path / "whole.ply").is_closed


def test_the_remedy_that_is_named_works() -> None:
    """Mass and convexity of a surface with a hole: the words of the error, done, close it."""
    ball = pc.shapes.sphere(0.1, 3)
    holed = without(ball, cap(ball, 0.09))
    with pytest.raises(pc.SurfaceError, match="fill its hole with repair_surface") as caught:
        holed.mass_properties()
    found = re.search(r"fill_holes=([\d.e-]+)", str(caught.value))
    assert found
    assert pc.repair_surface(holed, fill_holes=float(found[1])).mass_properties(1000.0).mass > 0.0
    sheet = pc.Surface([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]])
    with pytest.raises(pc.SurfaceError, match="model the sheet with a thickness") as caught:
        sheet.mass_properties()
    assert "repair_surface" not in str(caught.value)
