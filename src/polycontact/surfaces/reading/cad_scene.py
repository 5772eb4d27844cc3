"""What trimesh reads, as parts and placements: the way of glTF, 3MF and, after tessellation, STEP.

In: bytes whose outline was checked by the module of their format. Out: parts with their placements, in the unit of
the file. trimesh is a general reader: it does not promise which exceptions it raises for damaged files, and logs where
it leaves something out. So every exception becomes a `SurfaceError`, and the callers compare what was placed with the
outline.
"""

from __future__ import annotations

import io
import warnings
from collections.abc import Callable
from typing import Any, NamedTuple, Protocol

import numpy as np

from polycontact.errors import SurfaceError
from polycontact.surfaces.reading.face_polygons import Polygons, check_polygons
from polycontact.surfaces.reading.merge import merge_identical
from polycontact.surfaces.reading.parts import Part, Placement
from polycontact.surfaces.reading.source import MeshSource, shown


class Resolver(Protocol):
    """Content of the files beside a mesh file, by the name that it gives them."""

    def __getitem__(self, name: str) -> bytes: ...


class PlacedParts(NamedTuple):
    """Parts by number and their placements; ``n_geometries`` counts the meshes of trimesh that were placed."""

    parts: dict[int, Part]
    placements: list[Placement]
    n_geometries: int

    @property
    def n_triangles(self) -> int:
        """Triangles of all placed copies."""
        return sum(len(self.parts[placement.part].triangles) for placement in self.placements)


def load_placed_parts(
    source: MeshSource, file_type: str, *, resolver: Resolver | None = None, **options: bool
) -> PlacedParts:
    """All meshes that ``source`` places, read by trimesh as ``file_type`` with its ``options``, nothing changed.

    Meshes that belong together, the primitives of a glTF mesh, become one part.
    """
    import trimesh

    load_scene: Callable[..., Any] = trimesh.load_scene
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            # Old NumPy only warns where text is no number, and leaves out what follows.
            warnings.filterwarnings("error", message="string or file could not be read")
            scene = load_scene(
                io.BytesIO(source.data), file_type=file_type, resolver=resolver, process=False, **options
            )
            return _placed_parts(source, scene)
    except (SurfaceError, MemoryError):
        raise
    except Exception as error:
        raise source.error(
            f"trimesh cannot read it as {file_type}: {type(error).__name__} {shown(str(error))}; the file is damaged "
            "or unusual: export it again, or as STL, OBJ or PLY"
        ) from error


def _placed_parts(source: MeshSource, scene: Any) -> PlacedParts:
    frames: dict[str, list[str]] = {}
    parents = scene.graph.transforms.parents
    for node in scene.graph.nodes_geometry:
        name = scene.graph[node][1]
        mesh = scene.geometry[name]
        if hasattr(mesh, "faces"):  # neither points nor curves
            frames.setdefault(parents[node] if mesh.metadata.get("from_gltf_primitive") else node, []).append(name)
    numbers: dict[tuple[str, ...], int] = {}
    placements = []
    for frame, names in frames.items():
        number = numbers.setdefault(tuple(names), len(numbers))
        placements.append(Placement(number, np.array(scene.graph[frame][0], dtype=np.float64), str(frame)))
    parts = {number: _joined(source, [scene.geometry[name] for name in names]) for names, number in numbers.items()}
    return PlacedParts(parts, placements, sum(map(len, frames.values())))


def _joined(source: MeshSource, meshes: list[Any]) -> Part:
    """Meshes of trimesh as one part, each with the indices of its own vertices."""
    vertices, triangles = [], []
    offset = 0
    for mesh in meshes:
        points, faces = np.asarray(mesh.vertices, dtype=np.float64), np.asarray(mesh.faces, dtype=np.int64)
        if points.shape[1:] != (3,) or faces.shape[1:] != (3,):
            source.fail(f"a mesh has vertices {points.shape} and faces {faces.shape}, not (n, 3); export it again")
        polygons = Polygons(faces.ravel(), np.full(len(faces), 3))
        check_polygons(source, polygons, len(points), lambda i: f"triangle {i} of a mesh")
        vertices.append(points)
        triangles.append(faces + offset)
        offset += len(points)
    return Part(np.concatenate(vertices), np.concatenate(triangles).astype(np.int32))


def merge_vertices(placed: PlacedParts) -> tuple[PlacedParts, int]:
    """Vertices of one part that are the same point to the last bit merged, and how many were.

    glTF needs copies of a vertex where normals or texture coordinates differ, which would leave every sharp edge an
    open border.
    """
    parts = {}
    for number, part in placed.parts.items():
        vertices, new_index = merge_identical(part.vertices)
        parts[number] = Part(vertices, new_index[part.triangles].reshape(-1, 3))
    before, after = (sum(len(part.vertices) for part in each.values()) for each in (placed.parts, parts))
    return placed._replace(parts=parts), before - after


def without_collapsed(placed: PlacedParts) -> tuple[PlacedParts, int]:
    """Parts without triangles that have a vertex twice, and how many had: strips of glTF have them as joints,
    OpenCASCADE makes them at the poles of spheres."""
    parts, n_collapsed = {}, 0
    for number, (vertices, triangles) in placed.parts.items():
        a, b, c = triangles.T
        kept = (a != b) & (b != c) & (c != a)
        n_collapsed += len(triangles) - int(kept.sum())
        parts[number] = Part(vertices, triangles[kept])
    return placed._replace(parts=parts), n_collapsed
