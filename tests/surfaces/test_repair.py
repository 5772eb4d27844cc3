"""Repair mends what it says, keeps the shape, and says what it cannot mend."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import trimesh
from any_meshes import any_mesh
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from polycontact.errors import SurfaceError
from polycontact.surfaces.check import ProblemKind, check_surface
from polycontact.surfaces.repair import RepairResult, repair_surface, repair_with_log
from polycontact.surfaces.surface import Surface
from raw_meshes import Arrays, box, joined, moebius_band, sphere, welded
from scenes import Tally, examples


def soup(vertices: NDArray[np.float64], triangles: NDArray[np.int64]) -> Arrays:
    return vertices[triangles].reshape(-1, 3), np.arange(triangles.size).reshape(-1, 3)


def repaired(mesh: Arrays, *, volume: float, actions: int | None = None) -> RepairResult:
    """Repair, check that the result is sound and encloses ``volume``, and how many actions it took."""
    result = repair_with_log(mesh)
    assert result.surface.is_closed
    assert result.surface.volume == pytest.approx(volume, rel=1e-6)
    assert actions is None or len(result.actions) == actions, result.actions
    assert check_surface(result.surface).ok
    again = repair_with_log(result.surface)
    assert again.actions == ()
    assert np.array_equal(again.surface.vertices, result.surface.vertices)
    assert np.array_equal(again.surface.triangles, result.surface.triangles)
    return result


def test_sound_surface_stays_as_it_is() -> None:
    vertices, triangles = sphere()
    result = repaired((vertices, triangles), volume=trimesh.Trimesh(vertices, triangles).volume, actions=0)
    assert np.array_equal(result.surface.vertices, vertices)
    assert np.array_equal(result.surface.triangles, triangles)


def test_open_sheet_stays_open() -> None:
    vertices, triangles = box()
    surface = repair_surface((vertices, triangles[2:]))
    assert not surface.is_closed
    assert surface.n_triangles == 10


def test_soup_is_welded() -> None:
    result = repaired(soup(*box()), volume=1.0, actions=1)
    assert len(result.surface.vertices) == 8
    assert "welded 28 vertices" in result.actions[0]


def test_welding_keeps_to_the_tolerance() -> None:
    vertices, triangles = soup(*box())
    rng = np.random.default_rng(1)
    direction = rng.normal(size=vertices.shape)
    direction /= np.linalg.norm(direction, axis=1)[:, None]
    near = vertices + 2e-4 * direction * rng.random((len(vertices), 1))
    assert not repair_surface((near, triangles)).is_closed
    result = repair_with_log((near, triangles), tolerance=1e-3)
    assert result.surface.is_closed
    assert result.tolerance == 1e-3
    assert result.surface.volume == pytest.approx(1.0, abs=1e-2)


def test_chains_do_not_drift() -> None:
    """Vertices in steps of 0.9 tolerances: none is welded onto one farther than the tolerance."""
    tolerance = 1e-2
    x = np.arange(40) * 0.9 * tolerance
    vertices = np.zeros((41 * 3, 3))
    base = 3 * np.arange(40)
    vertices[base, 0] = x
    vertices[base + 1] = np.stack((x, 0 * x + 1, 0 * x), axis=1) * (1, 1, 1) + (0, 0.1, 0)
    vertices[base + 2] = vertices[base + 1] + (0.0, 0.1, 0.3)
    triangles = np.stack((base, base + 1, base + 2), axis=1)
    surface = repair_surface((vertices, triangles), tolerance=tolerance)
    kept = np.unique(surface.vertices[surface.vertices[:, 1] == 0.0, 0])
    assert len(kept) == 20
    assert np.all(np.abs(x[:, None] - kept[None]).min(axis=1) <= tolerance)


@pytest.mark.parametrize(("first", "second"), [(8, 9), (9, 8)])
def test_t_junctions_are_stitched(first: int, second: int) -> None:
    vertices, triangles = box()
    a, b, c = triangles[0]
    added = np.empty((2, 3))
    added[first - 8] = vertices[a] + 0.25 * (vertices[b] - vertices[a])
    added[second - 8] = vertices[a] + 0.5 * (vertices[b] - vertices[a])
    split = [[a, first, c], [first, second, c], [second, b, c]]
    mesh = np.concatenate((vertices, added)), np.vstack((triangles[1:], split))
    result = repaired(mesh, volume=1.0, actions=1)
    assert result.surface.n_triangles == 16
    assert "T-junctions" in result.actions[0]


def test_staggered_borders_are_stitched() -> None:
    upper = [(0, 0, 0), (0.4, 0, 0), (1, 0, 0), (0.5, 1, 0)]
    lower = [(0, 0, 0), (0.7, 0, 0), (1, 0, 0), (0.5, -1, 0)]
    triangles = [[0, 1, 3], [1, 2, 3], [5, 4, 7], [6, 5, 7]]
    surface = repair_surface((np.array(upper + lower, float), triangles))
    assert surface.n_triangles == 6
    assert surface.areas.sum() == pytest.approx(1.0)
    assert len(surface.half_edges.border_edges) == 4


def test_triangles_without_area_are_removed_and_the_gap_closed() -> None:
    vertices, triangles = box()
    a, b, c = triangles[0]
    vertices = np.concatenate((vertices, [(vertices[a] + vertices[b]) / 2]))
    mesh = vertices, np.vstack((triangles[1:], [[a, 8, c], [8, b, c], [b, 8, a], [a, a, c]]))
    result = repaired(mesh, volume=1.0)
    assert any("without area" in action for action in result.actions)


def test_zero_length_edge_is_closed() -> None:
    """Two vertices of a closed mesh in the same place, joined by an edge with two triangles without area."""
    vertices, triangles = sphere(1)
    v = 0
    around = np.flatnonzero((triangles == v).any(axis=1))
    ring = {int(t[(list(t).index(v) + 1) % 3]): int(t[(list(t).index(v) + 2) % 3]) for t in triangles[around]}
    start = next(iter(ring))
    order = [start]
    while ring[order[-1]] != start:
        order.append(ring[order[-1]])
    new = len(vertices)
    half = len(order) // 2
    fan = [[v if k < half else new, p, ring[p]] for k, p in enumerate(order)]
    slivers = [[v, order[half], new], [new, order[0], v]]
    mesh = (
        np.concatenate((vertices, vertices[[v]])),
        np.vstack((np.delete(triangles, around, axis=0), fan, slivers)),
    )
    assert trimesh.Trimesh(*mesh, process=False).is_watertight
    result = repaired(mesh, volume=trimesh.Trimesh(vertices, triangles).volume)
    assert result.surface.n_triangles == len(triangles)


@pytest.mark.parametrize("extra", [slice(0, 1), slice(3, 6), slice(None)])
@pytest.mark.parametrize("order", [(1, 2, 0), (2, 1, 0)])
def test_repeated_faces_are_removed(extra: slice, order: tuple[int, int, int]) -> None:
    vertices, triangles = box()
    mesh = vertices, np.concatenate((triangles, triangles[extra][:, order]))
    assert repaired(mesh, volume=1.0, actions=1).surface.n_triangles == 12


def test_repeated_shell_is_removed() -> None:
    assert repaired(joined(box(), box()), volume=1.0, actions=1).surface.n_triangles == 12


def test_broken_vertices_lose_their_triangles() -> None:
    vertices, triangles = joined(box(), box((3, 0, 0)))
    vertices[12] = np.nan
    triangles = np.vstack((triangles, [[0, 1, 99]]))
    result = repair_with_log((vertices, triangles))
    assert not result.surface.is_closed
    assert any("not finite" in action for action in result.actions)
    assert any("missing" in action for action in result.actions)
    assert np.all(np.isfinite(result.surface.vertices))


def test_unused_vertices_are_removed() -> None:
    vertices, triangles = box()
    result = repaired((np.concatenate((np.full((2, 3), 9.0), vertices)), triangles + 2), volume=1.0, actions=1)
    assert len(result.surface.vertices) == 8


# Orientation ----------------------------------------------------------------------------------------------


def test_reversed_triangles_are_turned() -> None:
    vertices, triangles = sphere()
    triangles[::3] = triangles[::3, ::-1]
    repaired((vertices, triangles), volume=trimesh.Trimesh(*sphere()).volume, actions=1)


def test_inside_out_solid_is_turned() -> None:
    vertices, triangles = box()
    repaired((vertices, triangles[:, ::-1]), volume=1.0, actions=1)


def test_cavities_stay_cavities() -> None:
    outer, inner = box(size=4.0), box()
    ball = 0.3 * sphere(1)[0], sphere(1)[1]
    ball_volume = trimesh.Trimesh(*ball).volume
    cavity = joined(outer, (inner[0], inner[1][:, ::-1]))
    repaired(cavity, volume=63.0, actions=0)
    repaired(joined(cavity, ball), volume=63.0 + ball_volume, actions=0)
    # All of it inside out, and only the ball in the cavity inside out.
    whole = joined(cavity, ball)
    repaired((whole[0], whole[1][:, ::-1]), volume=63.0 + ball_volume, actions=1)
    repaired(joined(cavity, (ball[0], ball[1][:, ::-1])), volume=63.0 + ball_volume, actions=1)


def test_what_lies_in_a_turned_shell_is_turned_with_it_by_the_innermost() -> None:
    """Four boxes, each in the last: solid, cavity, and in it a solid that is inside out with its own cavity."""
    shells = [box(size=size) for size in (4.0, 3.0, 2.0, 1.0)]
    given = joined(*((points, turned if outward else turned[:, ::-1]) for (points, turned), outward in zip(
        shells, (True, False, False, True), strict=True
    )))  # fmt: skip
    result = repaired(given, volume=64.0 - 27.0 + 8.0 - 1.0)
    triangles = result.surface.vertices[result.surface.triangles]
    volumes = np.einsum("ij,ij->i", triangles[:, 0], np.cross(triangles[:, 1], triangles[:, 2])) / 6.0
    size = np.abs(triangles).max(axis=(1, 2))
    for half, volume in ((2.0, 64.0), (1.5, -27.0), (1.0, 8.0), (0.5, -1.0)):
        assert volumes[np.isclose(size, half)].sum() == pytest.approx(volume)


def test_open_sheet_keeps_the_side_of_its_majority() -> None:
    vertices, triangles = box()
    sheet = triangles[vertices[triangles][:, :, 2].min(axis=1) < 0.4]  # without its lid
    turned = sheet.copy()
    turned[1] = turned[1, ::-1]
    result = repair_surface((vertices, turned))
    assert np.array_equal(np.sort(result.normals, axis=0), np.sort(repair_surface((vertices, sheet)).normals, axis=0))


# Parts that touch -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("offset", [(1, 1, 0), (1, 1, 1), (1, 0, 0)], ids=["edge", "vertex", "face"])
def test_touching_solids_are_separated(offset: tuple[float, float, float]) -> None:
    mesh = welded(*joined(box(), box(offset)))
    result = repaired(mesh, volume=2.0, actions=1)
    assert len(result.surface.vertices) == 16
    assert check_surface(result.surface).n_components == 2


@pytest.mark.parametrize("offset", [(1, 1, 0), (1, 1, 1), (1, 0, 0)])
def test_touching_solids_as_soup(offset: tuple[float, float, float]) -> None:
    result = repaired(soup(*joined(box(), box(offset))), volume=2.0)
    assert check_surface(result.surface).n_components == 2


def test_wall_between_mirrored_solids_is_kept() -> None:
    """Both solids have the same triangles on their common face, once each way round."""
    mirrored = box()[0] * (-1, 1, 1) + (1, 0, 0), box()[1][:, ::-1]
    mesh = welded(*joined(box(), mirrored))
    result = repaired(mesh, volume=2.0)
    assert result.surface.n_triangles == 24


def test_solid_that_touches_itself_is_separated() -> None:
    """A closed chain of cubes in which the last touches the first along an edge."""
    cells = [(0, 0, 0), (1, 0, 0), (2, 0, 0), (2, 1, 0), (2, 2, 0), (1, 2, 0), (1, 1, 1), (1, 2, 1)]
    solid = np.zeros((5, 5, 4), dtype=bool)
    for i, j, k in cells:
        solid[i + 1, j + 1, k + 1] = True
    mesh = voxel_surface(solid)
    assert ProblemKind.NON_MANIFOLD_EDGES in {p.kind for p in check_surface(mesh).errors}
    repaired(mesh, volume=float(len(cells)))


def voxel_surface(solid: NDArray[np.bool_]) -> Arrays:
    vertices: dict[tuple[int, int, int], int] = {}
    triangles = []
    for cell in np.argwhere(solid).tolist():
        for axis in range(3):
            for side in (0, 1):
                beyond = list(cell)
                beyond[axis] += 2 * side - 1
                if solid[tuple(beyond)]:
                    continue
                u, v = (axis + 1) % 3, (axis + 2) % 3
                corners = []
                for du, dv in ((0, 0), (1, 0), (1, 1), (0, 1)):
                    p = list(cell)
                    p[axis] += side
                    p[u] += du
                    p[v] += dv
                    corners.append(vertices.setdefault((p[0], p[1], p[2]), len(vertices)))
                a, b, c, d = corners if side else corners[::-1]
                triangles += [[a, b, c], [a, c, d]]
    return np.array(list(vertices), dtype=float), np.array(triangles)


@settings(max_examples=examples(40), deadline=None)
@given(cells=st.lists(st.tuples(*[st.integers(1, 3)] * 3), min_size=1, max_size=14, unique=True))
def test_voxel_solids_are_separated(cells: list[tuple[int, int, int]]) -> None:
    """Cubes that touch in every way."""
    solid = np.zeros((5, 5, 5), dtype=bool)
    solid[tuple(np.array(cells).T)] = True
    result = repaired(voxel_surface(solid), volume=float(len(cells)))
    assert not np.any(find_fans_per_vertex(result.surface) > 1)


def find_fans_per_vertex(surface: Surface) -> NDArray[np.int64]:
    """Pieces into which the triangles at each vertex fall, by walking from neighbour to neighbour."""
    pieces = np.zeros(len(surface.vertices), dtype=np.int64)
    for v in range(len(surface.vertices)):
        left = set(np.flatnonzero((surface.triangles == v).any(axis=1)).tolist())
        while left:
            pieces[v] += 1
            queue = [left.pop()]
            while queue:
                near = left & set(surface.half_edges.neighbours[queue.pop()].tolist())
                left -= near
                queue += near
    return pieces


# What cannot be mended ------------------------------------------------------------------------------------


def test_inner_wall_is_refused() -> None:
    vertices, triangles = joined(box(), box((1, 0, 0)))
    second_wall = (np.abs(vertices[triangles][:, :, 0] - 0.5) < 1e-9).all(axis=1) & (np.arange(24) >= 12)
    mesh = welded(vertices, triangles[~second_wall])
    with pytest.raises(SurfaceError, match=r"4 edges have more than two triangles .* inner wall"):
        repair_surface(mesh)


def test_one_sided_surface_is_refused() -> None:
    with pytest.raises(SurfaceError, match="Möbius"):
        repair_surface(moebius_band())


@pytest.mark.parametrize("mesh", [([], []), (np.zeros((3, 3)), [[0, 1, 2]]), (np.full((3, 3), np.nan), [[0, 1, 2]])])
def test_nothing_left_is_refused(mesh: Arrays) -> None:
    with pytest.raises(SurfaceError, match="no triangle"):
        repair_surface(mesh)


@pytest.mark.parametrize("tolerance", [-1e-9, np.nan, np.inf])
def test_bad_tolerance_is_refused(tolerance: float) -> None:
    with pytest.raises(SurfaceError, match="tolerance"):
        repair_surface(box(), tolerance=tolerance)


def test_file_that_cannot_be_read_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SurfaceError):
        repair_surface(tmp_path / "missing.stl")


def test_source_is_not_changed() -> None:
    vertices, triangles = soup(*box())
    triangles[2] = triangles[2, ::-1]
    before = vertices.copy(), triangles.copy()
    repair_surface((vertices, triangles))
    assert np.array_equal(vertices, before[0])
    assert np.array_equal(triangles, before[1])
    surface = Surface(*box(), name="part")
    assert repair_surface(surface).name == "part"


# Any damage -----------------------------------------------------------------------------------------------


@settings(max_examples=examples(40), deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1),
    shape=st.sampled_from([box, lambda: sphere(1), lambda: joined(box(), box((5, 0, 0)))]),
    share_split=st.floats(0, 1),
    share_flipped=st.floats(0, 0.4),
    noise=st.sampled_from([0.0, 1e-8]),
)
def test_shuffled_split_and_flipped_mesh_gets_its_volume_back(
    seed: int, shape: object, share_split: float, share_flipped: float, noise: float
) -> None:
    assert callable(shape)
    vertices, triangles = shape()
    rng = np.random.default_rng(seed)
    damaged_vertices, damaged = damage(rng, vertices, triangles, share_split, share_flipped, noise)
    surface = repair_surface((damaged_vertices, damaged))
    original = trimesh.Trimesh(vertices, triangles)
    assert surface.is_closed
    assert surface.n_triangles == len(triangles)
    assert len(surface.vertices) == len(vertices)
    assert surface.volume == pytest.approx(original.volume, rel=1e-6)
    oracle = trimesh.Trimesh(surface.vertices, surface.triangles, process=False)
    assert oracle.is_watertight
    assert oracle.is_winding_consistent
    assert oracle.euler_number == original.euler_number


def damage(
    rng: np.random.Generator,
    vertices: NDArray[np.float64],
    triangles: NDArray[np.int64],
    share_split: float,
    share_flipped: float,
    noise: float,
) -> Arrays:
    """The mesh with some corners on vertices of their own, in another order, some triangles reversed."""
    corners = triangles.ravel().copy()
    split = np.flatnonzero(rng.random(corners.size) < share_split)
    shaken = vertices[corners[split]] + noise * rng.uniform(-1, 1, (len(split), 3))
    corners[split] = len(vertices) + np.arange(len(split))
    everything = np.concatenate((vertices, shaken))
    result = corners.reshape(-1, 3)
    flipped = rng.random(len(result)) < share_flipped
    result[flipped] = result[flipped, ::-1]
    order = rng.permutation(len(everything))
    place = np.empty(len(order), dtype=np.int64)
    place[order] = np.arange(len(order))
    result = place[result]
    turned = np.array([np.roll(t, k) for t, k in zip(result, rng.integers(0, 3, len(result)), strict=True)])
    return everything[order], turned[rng.permutation(len(turned))]


def test_anything_is_repaired_or_refused() -> None:
    usable, changed = Tally(), Tally()

    @settings(max_examples=examples(150), deadline=None)
    @given(any_mesh)
    def check(mesh: Arrays) -> None:
        try:
            result = repair_with_log(mesh)
        except SurfaceError:
            usable.note(False)
            return
        usable.note(True)
        changed.note(result.actions)
        report = check_surface(result.surface)
        # What repair leaves alone by design.
        left = {ProblemKind.SELF_INTERSECTIONS, ProblemKind.DUPLICATE_FACES}
        assert {p.kind for p in report.errors} <= left

    check()
    usable.assert_share(0.1)
    changed.assert_share(0.08)


@pytest.mark.parametrize("order", [(0, 1, 2), (1, 2, 0)])
def test_copy_that_shares_some_vertices_is_removed(order: tuple[int, int, int]) -> None:
    vertices, triangles = box()
    copy = triangles[5].copy()
    copy[0] = len(vertices)
    mesh = np.vstack((vertices, vertices[triangles[5, 0]])), np.vstack((triangles, copy[list(order)]))
    repaired(mesh, volume=1.0)


def test_nothing_is_left_for_a_second_repair() -> None:
    """Also where turning a solid outward makes it a copy of a lone triangle, which faced the other way before."""
    vertices, triangles = box()
    own = np.arange(3)[None, :] + len(vertices)
    mesh = np.vstack((vertices, vertices[triangles[0]])), np.vstack((triangles[:, ::-1], own))
    first = repair_with_log(mesh)
    assert repair_with_log(first.surface).actions == ()
    assert check_surface(first.surface).ok
