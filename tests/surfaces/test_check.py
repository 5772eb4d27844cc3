"""Every problem is made on purpose and found; sound meshes are found sound; nothing raises."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import trimesh
from any_meshes import any_mesh
from hypothesis import given, settings

from polycontact.errors import SurfaceError
from polycontact.surfaces.check import ProblemKind, Severity, SurfaceReport, check_surface
from polycontact.surfaces.surface import Surface
from raw_meshes import Arrays, box, joined, moebius_band, sphere, welded
from scenes import Tally, examples


def kinds(report: SurfaceReport, *severities: Severity) -> set[ProblemKind]:
    return {p.kind for p in report.problems if not severities or p.severity in severities}


def errors(report: SurfaceReport) -> set[ProblemKind]:
    return kinds(report, Severity.ERROR)


# Sound meshes ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "mesh",
    [
        trimesh.creation.box(),
        trimesh.creation.icosphere(subdivisions=3),
        trimesh.creation.cylinder(radius=0.3, height=2.0),
        trimesh.creation.torus(major_radius=1.0, minor_radius=0.2),
        trimesh.creation.annulus(r_min=0.5, r_max=1.0, height=0.2),
        trimesh.creation.capsule(),
        trimesh.creation.cone(radius=1.0, height=0.5),
    ],
    ids=["box", "sphere", "cylinder", "torus", "annulus", "capsule", "cone"],
)
def test_sound_mesh_has_no_problem_and_right_numbers(mesh: trimesh.Trimesh) -> None:
    report = check_surface((mesh.vertices, mesh.faces))
    assert report.problems == ()
    assert report.ok
    assert report.is_closed
    assert report.n_components == 1
    assert (report.n_vertices, report.n_triangles) == (len(mesh.vertices), len(mesh.faces))
    assert report.volume == pytest.approx(mesh.volume, rel=1e-12)
    assert report.area == pytest.approx(mesh.area, rel=1e-12)
    assert np.asarray(report.bounds) == pytest.approx(mesh.bounds)


@pytest.mark.parametrize("scale", [1e-200, 1e-9, 1e9, 1e60, 1e200])
def test_result_does_not_depend_on_the_unit(scale: float) -> None:
    vertices, triangles = sphere()
    report = check_surface((vertices * scale + scale, triangles))
    usable = 1e-70 < scale < 1e70  # beyond that areas under- or overflow, and Surface refuses them
    assert report.ok is usable
    assert report.is_closed


def test_flat_open_sheet_is_only_noted_as_open() -> None:
    x, y = np.meshgrid(np.arange(5.0), np.arange(4.0), indexing="ij")
    vertices = np.stack((x.ravel(), y.ravel(), 0 * x.ravel()), axis=1)
    corner = np.arange(20).reshape(5, 4)
    a, b, c, d = corner[:-1, :-1], corner[1:, :-1], corner[1:, 1:], corner[:-1, 1:]
    triangles = np.concatenate([np.stack([p.ravel() for p in t], axis=1) for t in ((a, b, c), (a, c, d))])
    report = check_surface((vertices, triangles))
    assert report.ok
    assert kinds(report) == {ProblemKind.BORDER_EDGES}
    assert report.problems[0].severity is Severity.NOTE
    assert report.problems[0].count == 14
    assert report.volume is None
    assert not report.is_closed


def test_surface_and_file_give_the_same_report(tmp_path: Path) -> None:
    vertices, triangles = box()
    path = tmp_path / "box.off"
    trimesh.Trimesh(vertices, triangles, process=False).export(path)
    by_surface = check_surface(Surface(vertices, triangles, name="box.off"))
    assert check_surface(path) == by_surface
    assert check_surface(str(path)) == by_surface


# Problems made on purpose ---------------------------------------------------------------------------------


def test_non_finite_coordinates() -> None:
    vertices, triangles = box()
    vertices[3, 1] = np.nan
    vertices[5, 0] = np.inf
    report = check_surface((vertices, triangles))
    problem = report.find(ProblemKind.NON_FINITE_COORDINATES)
    assert problem is not None
    assert problem.severity is Severity.ERROR
    assert problem.count == 2
    assert [e.indices for e in problem.examples] == [(3,), (5,)]
    assert json.loads(json.dumps(report.to_dict(), allow_nan=False))["ok"] is False


def test_invalid_indices() -> None:
    vertices, triangles = box()
    triangles[2] = (0, 1, 8)
    triangles[4] = (-1, 1, 2)
    report = check_surface((vertices, triangles))
    problem = report.find(ProblemKind.INVALID_INDICES)
    assert problem is not None
    assert problem.count == 2
    assert "[0, 1, 8]" in problem.message


@pytest.mark.parametrize("mesh", [([], []), (np.zeros((3, 3)), []), ([], np.zeros((0, 3), int))])
def test_no_triangles(mesh: Arrays) -> None:
    report = check_surface(mesh)
    assert errors(report) == {ProblemKind.NO_TRIANGLES}
    assert report.area == 0.0
    assert report.bounds is None


def test_only_unusable_triangles() -> None:
    report = check_surface((np.full((3, 3), np.nan), [[0, 1, 2]]))
    assert errors(report) == {ProblemKind.NON_FINITE_COORDINATES}
    report = check_surface((np.zeros((3, 3)), [[0, 1, 2]]))
    assert ProblemKind.DEGENERATE_FACES in errors(report)


def test_unwelded_mesh_has_duplicate_vertices_and_cracks() -> None:
    vertices, triangles = box()
    soup = vertices[triangles].reshape(-1, 3), np.arange(36).reshape(-1, 3)
    report = check_surface(soup)
    assert errors(report) == {ProblemKind.CRACKS}
    cracks, twice = report.find(ProblemKind.CRACKS), report.find(ProblemKind.DUPLICATE_VERTICES)
    assert cracks is not None
    assert cracks.count == 36
    assert twice is not None
    assert twice.count == 28
    assert twice.severity is Severity.WARNING
    assert report.find(ProblemKind.BORDER_EDGES) is None


@pytest.mark.parametrize(("gap", "is_crack"), [(0.5e-6, True), (2e-6, False)])
def test_duplicate_within_the_tolerance_only(gap: float, is_crack: bool) -> None:
    vertices, triangles = box()
    moved = vertices[triangles[0]] + gap * np.sqrt(3.0) * np.array([0.6, 0.0, 0.8])
    triangles[0] = (8, 9, 10)
    report = check_surface((np.concatenate((vertices, moved)), triangles))
    assert (ProblemKind.CRACKS in errors(report)) is is_crack
    assert (ProblemKind.BORDER_EDGES in kinds(report)) is not is_crack
    assert check_surface((np.concatenate((vertices, moved)), triangles), tolerance=1e-4).find(ProblemKind.CRACKS)


def t_junction() -> Arrays:
    """A box with one edge split on one of its two sides only."""
    vertices, triangles = box()
    a, b, c = triangles[0]
    vertices = np.concatenate((vertices, [(vertices[a] + vertices[b]) / 2]))
    return vertices, np.concatenate((triangles[1:], [[a, 8, c], [8, b, c]]))


def test_t_junction_is_a_crack() -> None:
    report = check_surface(t_junction())
    assert errors(report) == {ProblemKind.CRACKS}
    problem = report.find(ProblemKind.CRACKS)
    assert problem is not None
    assert problem.count == 3
    assert "T-junctions" in problem.message


def test_staggered_borders_are_cracks() -> None:
    """Two strips whose common border has no vertex in common, but for its ends."""
    upper = [(0, 0, 0), (0.4, 0, 0), (1, 0, 0), (0.5, 1, 0)]
    lower = [(0, 0, 0), (0.7, 0, 0), (1, 0, 0), (0.5, -1, 0)]
    triangles = [[0, 1, 3], [1, 2, 3], [5, 4, 7], [6, 5, 7]]
    problem = check_surface((np.array(upper + lower, float), triangles)).find(ProblemKind.CRACKS)
    assert problem is not None
    assert problem.count == 4


def test_corner_on_a_border_is_no_crack() -> None:
    vertices = np.array([(0, 0, 0), (2, 0, 0), (1, 1, 0), (1, 0, 0), (2, -1, 0), (0, -1, 0)], float)
    report = check_surface((vertices, [[0, 1, 2], [3, 5, 4]]))
    assert report.ok


def test_non_manifold_edge() -> None:
    report = check_surface(welded(*joined(box(), box((1, 1, 0)))))
    assert errors(report) == {ProblemKind.NON_MANIFOLD_EDGES}
    problem = report.find(ProblemKind.NON_MANIFOLD_EDGES)
    assert problem is not None
    assert problem.count == 1
    assert problem.examples[0].position == pytest.approx((0.5, 0.5, 0.0))


def test_fin_on_a_solid() -> None:
    vertices, triangles = box()
    a, b, _ = triangles[0]
    report = check_surface((np.concatenate((vertices, [[3.0, 3.0, 3.0]])), np.vstack((triangles, [a, b, 8]))))
    assert ProblemKind.NON_MANIFOLD_EDGES in errors(report)


def test_non_manifold_vertex() -> None:
    report = check_surface(welded(*joined(box(), box((1, 1, 1)))))
    assert report.ok
    problem = report.find(ProblemKind.NON_MANIFOLD_VERTICES)
    assert problem is not None
    assert problem.severity is Severity.WARNING
    assert problem.count == 1
    assert problem.examples[0].position == pytest.approx((0.5, 0.5, 0.5))


def test_inconsistent_orientation() -> None:
    vertices, triangles = sphere()
    triangles[[3, 70]] = triangles[[3, 70], ::-1]
    report = check_surface((vertices, triangles))
    assert errors(report) == {ProblemKind.INCONSISTENT_ORIENTATION}
    problem = report.find(ProblemKind.INCONSISTENT_ORIENTATION)
    assert problem is not None
    assert problem.count == 6
    assert "2 triangles are reversed" in problem.message


def test_one_sided_surface() -> None:
    problem = check_surface(moebius_band()).find(ProblemKind.INCONSISTENT_ORIENTATION)
    assert problem is not None
    assert "Möbius" in problem.message


def test_inward_orientation_but_not_cavities() -> None:
    small, large = sphere(1), box(size=4.0)
    inside_out = small[0], small[1][:, ::-1]
    assert errors(check_surface(inside_out)) == {ProblemKind.INWARD_ORIENTATION}
    cavity = joined(large, inside_out)
    report = check_surface(cavity)
    assert report.ok
    assert report.volume == pytest.approx(64 - trimesh.Trimesh(*small).volume)
    beside = joined(large, (inside_out[0] + 5.0, inside_out[1]))
    assert errors(check_surface(beside)) == {ProblemKind.INWARD_ORIENTATION}
    # A ball inside the cavity is solid again; inward, it would be wrong.
    ball = 0.5 * small[0], small[1]
    assert check_surface(joined(cavity, ball)).ok
    assert not check_surface(joined(cavity, (ball[0], ball[1][:, ::-1]))).ok


def test_degenerate_faces() -> None:
    vertices, triangles = t_junction()
    report = check_surface((vertices, np.vstack((triangles, [[1, 1, 2], [0, 0, 0]]))))
    problem = report.find(ProblemKind.DEGENERATE_FACES)
    assert problem is not None
    assert problem.count == 2
    on_a_line = [[0, 0, 0], [0.1, 0.2, 0.3], [0.3, 0.6, 0.9]]
    assert ProblemKind.DEGENERATE_FACES in errors(check_surface((np.array(on_a_line), [[0, 1, 2]])))


def test_needle_is_a_warning() -> None:
    vertices = np.array([[0, 0, 0], [1, 0, 0], [0.5, 1e-8, 0], [0.5, -1, 0]])
    report = check_surface((vertices, [[0, 1, 2], [0, 3, 1]]))
    assert report.ok
    problem = report.find(ProblemKind.NEEDLE_FACES)
    assert problem is not None
    assert problem.severity is Severity.WARNING
    assert problem.examples[0].indices == (0,)


def test_needle_is_no_crack() -> None:
    report = check_surface((np.array([[0, 0, 0], [1, 0, 0], [0.5, 1e-8, 0]]), [[0, 1, 2]]))
    assert report.ok
    assert report.find(ProblemKind.NEEDLE_FACES)


@pytest.mark.parametrize("order", [(0, 1, 2), (1, 2, 0), (2, 1, 0), (0, 2, 1)])
def test_duplicate_faces(order: tuple[int, int, int]) -> None:
    vertices, triangles = box()
    report = check_surface((vertices, np.vstack((triangles, triangles[4, list(order)]))))
    assert errors(report) == {ProblemKind.DUPLICATE_FACES}
    problem = report.find(ProblemKind.DUPLICATE_FACES)
    assert problem is not None
    assert [e.indices for e in problem.examples] == [(12,)]


def test_same_shell_twice() -> None:
    assert errors(check_surface(joined(sphere(1), sphere(1)))) == {ProblemKind.DUPLICATE_FACES}


def test_parts_that_rest_on_each_other_are_a_warning() -> None:
    for offset in (0.0, 0.3):
        report = check_surface(joined(box(), box((1.0, offset, 0.0))))
        assert report.ok
        problem = report.find(ProblemKind.TOUCHING_FACES)
        assert problem is not None
        assert problem.severity is Severity.WARNING
    mirrored = box()[0] * (-1, 1, 1), box()[1][:, ::-1]
    report = check_surface(joined(box(), (mirrored[0] + (1.0, 0.0, 0.0), mirrored[1])))
    problem = report.find(ProblemKind.TOUCHING_FACES)
    assert problem is not None
    assert problem.count == 2


@pytest.mark.parametrize(
    "offset", [(0.5, 0.4, 0.3), (0.5, 0.5, 0.5), (0.5, 0.0, 0.0), (0.9, 0.0, 0.2), (0.01, 0.02, 0.03)]
)
def test_overlapping_solids_intersect(offset: tuple[float, float, float]) -> None:
    report = check_surface(joined(box(), box(offset)))
    assert errors(report) == {ProblemKind.SELF_INTERSECTIONS}


def test_sheet_through_an_edge_line_intersects() -> None:
    """The sheet meets the other one along an edge of its own only."""
    floor = np.array([(-1, -1, 0), (2, -1, 0), (0.5, 3, 0)], float)
    wall = np.array([(0.2, 0.1, 0), (0.8, 0.2, 0), (0.5, 0.1, 1), (0.5, 0.1, -1)], float)
    report = check_surface((np.concatenate((floor, wall)), [[0, 1, 2], [3, 4, 5], [4, 3, 6]]))
    assert errors(report) == {ProblemKind.SELF_INTERSECTIONS}
    resting = wall.copy()
    resting[3] = (0.5, 0.6, 1.0)
    report = check_surface((np.concatenate((floor, resting)), [[0, 1, 2], [3, 4, 5], [4, 3, 6]]))
    assert report.ok


def test_folded_neighbours_intersect() -> None:
    vertices = np.array([(0, 0, 0), (1, 0, 0), (0.5, 1, 0), (0.6, 0.5, 0)], float)
    report = check_surface((vertices, [[0, 1, 2], [1, 0, 3]]))
    assert errors(report) == {ProblemKind.SELF_INTERSECTIONS}


def test_neighbours_at_one_vertex_that_cross() -> None:
    vertices = np.array([(0, 0, 0), (2, -1, 0), (2, 1, 0), (2, 0, -1), (2, 0, 1)], float)
    assert not check_surface((vertices, [[0, 1, 2], [0, 3, 4]])).ok
    vertices[3:, 0] *= -1
    assert check_surface((vertices, [[0, 1, 2], [0, 3, 4]])).ok


def test_dented_sphere_intersects_itself() -> None:
    vertices, triangles = sphere(3)
    vertices[np.argmax(vertices[:, 2])] = (0.0, 0.0, -1.5)
    assert errors(check_surface((vertices, triangles))) == {ProblemKind.SELF_INTERSECTIONS}


def test_several_components_and_unused_vertices_are_notes() -> None:
    vertices, triangles = joined(box(), box((3, 0, 0)))
    report = check_surface((np.concatenate((vertices, [[9.0, 9.0, 9.0]])), triangles))
    assert report.ok
    assert kinds(report) == {ProblemKind.SEVERAL_COMPONENTS, ProblemKind.UNUSED_VERTICES}
    assert report.n_components == 2
    assert report.bounds is not None
    assert report.bounds[1][0] == 3.5


# The report -----------------------------------------------------------------------------------------------


def test_report_reads_well_and_fits_json() -> None:
    vertices, triangles = box()
    report = check_surface((vertices[triangles].reshape(-1, 3), np.arange(36).reshape(-1, 3)))
    text = str(report)
    assert "not ok, 1 error, 1 warning" in text
    assert "remedy: weld" in text
    record = json.loads(json.dumps(report.to_dict(), allow_nan=False))
    assert record["ok"] is False
    assert record["volume"] is None
    assert {p["kind"] for p in record["problems"]} == {p.kind.value for p in report.problems}
    for problem in report.problems:
        assert 1 <= len(problem.examples) <= 5
        assert problem.message
        assert problem.remedy
    assert "ok" in str(check_surface(box()))


def test_errors_come_first() -> None:
    vertices, triangles = box()
    report = check_surface((vertices[triangles].reshape(-1, 3), np.arange(36).reshape(-1, 3)))
    order = [list(Severity).index(p.severity) for p in report.problems]
    assert order == sorted(order)


@pytest.mark.parametrize(
    "source",
    [
        (np.zeros((3, 2)), [[0, 1, 2]]),
        (np.zeros((3, 3)), [[0.0, 1.0, 2.0]]),
        (np.zeros((3, 3)), [[0, 1, 2, 2]]),
        ("a", "b"),
        (np.zeros((3, 3)),),
        7,
        "no such file.obj",
    ],
)
def test_what_is_no_mesh_is_refused(source: object) -> None:
    with pytest.raises(SurfaceError):
        check_surface(source)  # type: ignore[arg-type]


@pytest.mark.parametrize("tolerance", [-1.0, np.nan, np.inf])
def test_bad_tolerance_is_refused(tolerance: float) -> None:
    with pytest.raises(SurfaceError, match="tolerance"):
        check_surface(box(), tolerance=tolerance)


@pytest.mark.filterwarnings("ignore::polycontact.SurfaceWarning")  # what is open or overlaps may be ok
def test_nothing_raises_and_ok_means_that_a_surface_can_be_made() -> None:
    ok = Tally()

    @settings(max_examples=examples(150), deadline=None)
    @given(any_mesh)
    def check(mesh: Arrays) -> None:
        report = check_surface(mesh)
        json.dumps(report.to_dict(), allow_nan=False)
        str(report)
        if report.ok:
            assert Surface(*mesh).is_closed == report.is_closed
        ok.note(report.ok)

    check()
    ok.assert_share(0.03)
