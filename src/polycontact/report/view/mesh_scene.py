"""The scene of a mesh with its problems: faces, edges and vertices in the colours of what is wrong with them."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from polycontact.errors import SurfaceError
from polycontact.report.view.boxes import try_level_boxes
from polycontact.report.view.display_units import AREA, DEPTH, VOLUME
from polycontact.report.view.mesh_places import ProblemPlaces, find_places, reversed_faces
from polycontact.report.view.run_scene import is_open
from polycontact.report.view.viewer_colours import SURFACE
from polycontact.report.view.viewer_scene import Layer, LayerKind, Part, Scene, SceneBody, SceneKind, still
from polycontact.surfaces.check import SurfaceReport, check_surface
from polycontact.surfaces.inspection.surface_problems import ElementKind, ProblemKind, Severity
from polycontact.surfaces.inspection.unchecked_mesh import Mesh, SurfaceSource, mesh_from

COLOURS: Final = {
    ProblemKind.CRACKS: "#d6249f",
    ProblemKind.NON_MANIFOLD_EDGES: "#8b2fc9",
    ProblemKind.NON_MANIFOLD_VERTICES: "#8b2fc9",
    ProblemKind.INCONSISTENT_ORIENTATION: "#e8590c",
    ProblemKind.INWARD_ORIENTATION: "#e8590c",
    ProblemKind.DEGENERATE_FACES: "#c92a2a",
    ProblemKind.NEEDLE_FACES: "#f08c00",
    ProblemKind.DUPLICATE_FACES: "#b08900",
    ProblemKind.SELF_INTERSECTIONS: "#e03131",
    ProblemKind.TOUCHING_FACES: "#c2a83e",
    ProblemKind.BORDER_EDGES: "#1098ad",
    ProblemKind.DUPLICATE_VERTICES: "#3b5bdb",
    ProblemKind.UNUSED_VERTICES: "#868e96",
    ProblemKind.SEVERAL_COMPONENTS: "#5c7cfa",
}
"""Related problems have related colours."""

HARMLESS_KINDS: Final = (ProblemKind.SEVERAL_COMPONENTS, ProblemKind.UNUSED_VERTICES)
"""Of no consequence: listed, and marked only when switched on."""

INVISIBLE_FLATNESS: Final = 1e-5
"""Twice the area over the square of the longest side below which a triangle is too thin to be seen as one."""

_KINDS: Final = {
    ElementKind.VERTEX: LayerKind.POINTS,
    ElementKind.EDGE: LayerKind.LINES,
    ElementKind.TRIANGLE: LayerKind.FACES,
}
_WIDTHS: Final = {LayerKind.POINTS: 9.0, LayerKind.LINES: 3.2, LayerKind.FACES: 3.2}


def mesh_scene(source: SurfaceSource) -> Scene:
    """The scene of a mesh: a file, a `Surface`, or (vertices (n, 3) m, triangles (m, 3)); it may be broken."""
    mesh = mesh_from(source)
    report = check_surface(source)
    drawable = _drawable(mesh)
    if not drawable.any():
        raise SurfaceError(
            f"{mesh.name}: no triangle of the mesh can be drawn ({report.verdict}); see 'polycontact check'"
        )
    triangles = mesh.triangles[drawable]
    vertices = np.where(np.isfinite(mesh.vertices), mesh.vertices, 0.0)
    layers = [_layer(places, mesh) for places in find_places(mesh)]
    severities = list(Severity)
    layers.sort(key=lambda layer: severities.index(Severity(layer.severity)))
    layers += _reversed_layer(mesh)
    times, positions, quaternions = still(1)
    return Scene(
        kind=SceneKind.MESH,
        title=mesh.name,
        subtitle=report.verdict,
        bodies=(SceneBody(mesh.name, SURFACE),),
        parts=(
            Part(
                0,
                mesh.name,
                vertices,
                triangles,
                SURFACE,
                is_open(triangles),
                try_level_boxes(vertices, triangles, np.eye(3), np.zeros(3)),
            ),
        ),
        times=times,
        positions=positions,
        quaternions=quaternions,
        layers=tuple(layers),
        facts=_facts(report),
        notes=report.notes,
    )


def _drawable(mesh: Mesh) -> NDArray[np.bool_]:
    """(m,) Triangles with three existing, finite corners."""
    known = np.asarray(((mesh.triangles >= 0) & (mesh.triangles < len(mesh.vertices))).all(axis=1))
    finite = np.asarray(np.isfinite(mesh.vertices).all(axis=1))
    known[known] = finite[mesh.triangles[known]].all(axis=1)
    return known


def _layer(places: ProblemPlaces, mesh: Mesh) -> Layer:
    problem = places.problem
    kind, data = _geometry(places.element, places.indices, mesh)
    return Layer(
        key=problem.kind.value,
        label=problem.title,
        kind=kind,
        body=0,
        data=data,
        colour=COLOURS.get(problem.kind, "#868e96"),
        count=problem.count,
        is_on=problem.kind not in HARMLESS_KINDS and len(data) > 0,
        width=_WIDTHS[kind],
        text=problem.message,
        remedy=problem.remedy,
        severity=problem.severity.value,
    )


def _geometry(element: ElementKind, indices: NDArray[np.int64], mesh: Mesh) -> tuple[LayerKind, NDArray[np.float64]]:
    """Points (n, k, 3) of vertices, edges or triangles. Triangles without area are drawn as their longest side."""
    if element is ElementKind.TRIANGLE:
        corners = mesh.vertices[mesh.triangles[np.unique(indices)]]
        area = np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1)
        longest = np.abs(corners - np.roll(corners, 1, axis=1)).max(axis=(1, 2), initial=0.0)
        if len(corners) and np.all(area <= INVISIBLE_FLATNESS * longest**2):
            sides = np.stack((corners, np.roll(corners, -1, axis=1)), axis=2)
            chosen = np.linalg.norm(sides[:, :, 1] - sides[:, :, 0], axis=2).argmax(axis=1)
            return LayerKind.LINES, sides[np.arange(len(sides)), chosen]
        return LayerKind.FACES, corners
    points = mesh.vertices[indices]
    return _KINDS[element], points[np.isfinite(points).all(axis=(1, 2))]


def _reversed_layer(mesh: Mesh) -> list[Layer]:
    """The triangles to turn so that neighbours agree: the problem itself names edges only."""
    faces = reversed_faces(mesh)
    if not len(faces):
        return []
    return [
        Layer(
            key="reversed_faces",
            label="reversed triangles",
            kind=LayerKind.FACES,
            body=0,
            data=mesh.vertices[mesh.triangles[faces]],
            colour="#f59f45",
            count=len(faces),
            text="turned over, the orientation would be consistent; back sides are shown in dark red",
            severity=Severity.ERROR.value,
        )
    ]


def _facts(report: SurfaceReport) -> tuple[tuple[str, str], ...]:
    facts = [
        ("vertices", f"{report.n_vertices:,}"),
        ("triangles", f"{report.n_triangles:,}"),
        ("components", str(report.n_components)),
        ("closed", "yes" if report.is_closed else "no"),
        ("area", AREA.text(report.area)),
    ]
    if report.volume is not None:
        facts.append(("volume", VOLUME.text(report.volume)))
    if report.bounds is not None:
        low, high = report.bounds
        sizes = " × ".join(DEPTH.text(b - a) for a, b in zip(low, high, strict=True))
        facts.append(("size", sizes))
    return tuple(facts)
