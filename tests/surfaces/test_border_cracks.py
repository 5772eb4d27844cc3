"""Open meshes whose border looks like cracks warn when they are made or loaded; honest sheets do not."""

from __future__ import annotations

import itertools
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

import polycontact as pc
from polycontact.surfaces.inspection import cracks
from scenes import random_rotation

SPHERE = pc.shapes.sphere(0.5, 3)
Mesh = tuple[NDArray[np.float64], NDArray[np.int32]]


def cut(surface: pc.Surface, above: NDArray[np.bool_], gap: float, seed: int = 0) -> Mesh:
    """The triangles ``above`` with vertices of their own, each moved by ``gap`` times the size somewhere."""
    rng = np.random.default_rng(seed)
    away = rng.normal(size=surface.vertices.shape)
    moved = surface.vertices + gap * surface.size * away / np.linalg.norm(away, axis=1)[:, None]
    triangles = np.where(above[:, None], surface.triangles + len(surface.vertices), surface.triangles)
    return np.concatenate((surface.vertices, moved)), triangles


def cracked(gap: float, seed: int = 0) -> Mesh:
    """A sphere in two halves that lie on each other within ``gap`` times its size."""
    return cut(SPHERE, SPHERE.barycentres[:, 2] > 0.05, gap, seed)


def t_junctions(n: int) -> Mesh:
    """A cube; the face at z = 1 has ``n`` more vertices along its edge at y = 0, which the other face there has not."""
    corners = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (0, 0, 1), (1, 0, 1), (1, 1, 1), (0, 1, 1)]
    sides = [
        (0, 2, 1),
        (0, 3, 2),
        (0, 1, 5),
        (0, 5, 4),
        (1, 2, 6),
        (1, 6, 5),
        (2, 3, 7),
        (2, 7, 6),
        (3, 0, 4),
        (3, 4, 7),
    ]
    chain = [4, *range(8, 8 + n), 5]
    lid = [(a, b, 7) for a, b in itertools.pairwise(chain)] + [(5, 6, 7)]
    extra = [((k + 1) / (n + 1), 0, 1) for k in range(n)]
    return np.array(corners + extra, dtype=float), np.array(sides + lid, dtype=np.int32)


def quiet(vertices: NDArray[np.float64], triangles: NDArray[np.int32]) -> pc.Surface:
    """A surface whose cracks are known to the test."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", pc.SurfaceWarning)
        return pc.Surface(vertices, triangles)


def saved(path: Path, mesh: Mesh) -> Path:
    vertices, triangles = mesh
    lines = [f"v {x!r} {y!r} {z!r}" for x, y, z in vertices.tolist()]
    lines += [f"f {a} {b} {c}" for a, b, c in (triangles + 1).tolist()]
    path.write_text("\n".join(lines))
    return path


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("gap", [0.0, 1e-9, 5e-7, 0.99e-6])
def test_cracked_sphere(tmp_path: Path, gap: float, seed: int) -> None:
    path = saved(tmp_path / "ball.obj", cracked(gap, seed))
    told = r"ball\.obj: the mesh has cracks \(1, along 80 of 80 border edges, the first at \(.*\) m\): .* 1.7e-06 m, "
    with pytest.warns(pc.SurfaceWarning, match=told + r".*repair_surface or 'polycontact repair'$"):
        surface = pc.load_surface(path)
    assert surface.cracks is not None
    assert abs(surface.cracks.position[2] - 0.05) < 0.05  # on the cut, within an edge
    mended = pc.repair_surface(path)  # a warning would be an error
    assert mended.is_closed
    assert mended.cracks is None
    assert mended.volume == pytest.approx(SPHERE.volume, rel=1e-5)  # moved by 1e-6 of the size


@pytest.mark.parametrize("gap", [2e-6, 5e-6, 9e-6])
def test_wider_cracks_are_told_with_the_tolerance_that_closes_them(gap: float) -> None:
    vertices, triangles = cracked(gap)
    with pytest.warns(pc.SurfaceWarning, match="'polycontact repair', with a tolerance of 1.75e-05 m"):
        pc.Surface(vertices, triangles)
    assert pc.repair_surface((vertices, triangles), tolerance=1.75e-5).is_closed
    with pytest.warns(pc.SurfaceWarning, match="the mesh has cracks"):
        assert not pc.repair_surface((vertices, triangles)).is_closed  # and says so


def test_repeated_and_turned_meshes_warn_in_any_frame() -> None:
    vertices, triangles = cracked(5e-7)
    rng = np.random.default_rng(4)
    for _ in range(10):
        with pytest.warns(pc.SurfaceWarning, match=r"cracks \(1, along 80 of 80"):
            pc.Surface(vertices @ random_rotation(rng).T * 1e-3 + rng.uniform(-1e-2, 1e-2, 3), triangles)


def test_cracks_are_counted() -> None:
    vertices, triangles = cut(SPHERE, np.abs(SPHERE.barycentres[:, 2]) > 0.2, 5e-7)
    with pytest.warns(pc.SurfaceWarning, match=r"cracks \(2, along"):
        pc.Surface(vertices, triangles)


@pytest.mark.parametrize("n", [1, 2, 7])
def test_t_junctions(n: int) -> None:
    vertices, triangles = t_junctions(n)
    told = rf"cracks \(1, along {n + 2} of {n + 2} border edges, the first at .* m; T-junctions: {n}\)"
    with pytest.warns(pc.SurfaceWarning, match=told):
        surface = pc.Surface(vertices, triangles)
    mended = pc.repair_surface(surface)
    assert mended.is_closed
    assert mended.volume == pytest.approx(1.0, rel=1e-12)


def test_staggered_sides_are_one_crack() -> None:
    """Two strips that share no corner: each has vertices within edges of the other."""
    upper = [(0.0, 0, 0), (0.4, 0, 0), (1.0, 0, 0), (0.5, 1, 0)]
    lower = [(-0.3, 0, 0), (0.7, 0, 0), (1.3, 0, 0), (0.5, -1, 0)]
    triangles = [[0, 1, 3], [1, 2, 3], [5, 4, 7], [6, 5, 7]]
    with pytest.warns(pc.SurfaceWarning, match=r"cracks \(1, along 4 of 8 .*T-junctions: 4"):
        pc.Surface(upper + lower, triangles)


def bowl() -> pc.Surface:
    """Half a sphere, open at its rim."""
    lower = SPHERE.triangles[SPHERE.barycentres[:, 2] < -0.05]
    return pc.Surface(SPHERE.vertices, lower)


def sheet_with_a_slit(width: float) -> pc.Surface:
    """Two sheets of 1 m in one surface, with a slit of ``width`` (m) between them."""
    half = pc.shapes.plane((1.0, 0.5), (20, 10))
    upper = half.vertices + np.array([0.0, 0.5 + width, 0.0])
    triangles = np.concatenate((half.triangles, half.triangles + len(half.vertices)))
    return pc.Surface(np.concatenate((half.vertices, upper)), triangles)


def graded_sheet() -> pc.Surface:
    """A sheet of 1 m whose edges get as short as 1e-5 m at one side."""
    x = np.concatenate(([0.0], np.geomspace(1e-5, 1.0, 60)))
    sheet = pc.shapes.plane(1.0, (60, 60))
    grid = np.round((sheet.vertices[:, :2] + 0.5) * 60).astype(int)
    return pc.Surface(np.column_stack((x[grid[:, 0]], x[grid[:, 1]], 0.0 * x[grid[:, 0]])), sheet.triangles)


HONEST = {
    "plane": lambda: pc.shapes.plane(1.0, 20),
    "strip": lambda: pc.shapes.plane((1.0, 1e-3), (400, 2)),
    "disc": lambda: pc.shapes.disc(0.3),
    "container": pc.shapes.container,
    "bowl": bowl,
    "slit of 0.1 mm": lambda: sheet_with_a_slit(1e-4),
    "graded": graded_sheet,
    "one triangle": lambda: pc.Surface([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]]),
    "needle": lambda: pc.Surface([[0, 0, 0], [1, 0, 0], [0.5, 1e-7, 0]], [[0, 1, 2]]),
}


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("name", HONEST)
def test_honest_sheets_do_not_warn(name: str) -> None:
    surface = HONEST[name]()
    assert not surface.is_closed
    assert surface.cracks is None


def test_a_closed_slit_warns() -> None:
    with pytest.warns(pc.SurfaceWarning, match=r"cracks \(1, along 40 of 120 border edges"):
        sheet_with_a_slit(1e-7)


def test_what_is_derived_says_nothing_again() -> None:
    surface = quiet(*cracked(5e-7))
    for derived in (  # a warning would be an error
        surface.transformed(np.eye(3), (1.0, 0.0, 0.0)),
        surface.scaled(2.0),
        surface.flipped(),
        surface.with_vertices(surface.vertices),
    ):
        assert derived.cracks is not None
        assert derived.cracks.n_edges == 80


def test_the_warning_points_to_the_caller(tmp_path: Path) -> None:
    mesh = cracked(5e-7)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        pc.Surface(*mesh)
        pc.load_surface(saved(tmp_path / "ball.obj", mesh))
    assert [entry.filename for entry in caught] == [__file__, __file__]


def test_of_a_huge_border_a_part_is_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cracks, "MOST_EDGES", 100)
    alone = SPHERE.vertices[SPHERE.triangles].reshape(-1, 3)
    with pytest.warns(pc.SurfaceWarning, match=r"along \d+ of 100 border edges"):
        pc.Surface(alone, np.arange(len(alone)).reshape(-1, 3))


def test_closed_meshes_pay_nothing() -> None:
    """Neither kernels nor SciPy are needed to make a closed surface."""
    program = (
        "import sys, polycontact as pc; pc.shapes.sphere(1.0, 2); print('numba' in sys.modules, 'scipy' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "False"]
