"""glTF 2.0 (``.gltf`` and ``.glb``): all triangles of the default scene, in metres.

Vertices of one mesh that are the same point to the last bit are merged: the format needs copies of a vertex
where normals or texture coordinates differ, which would leave every sharp edge an open border.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from polycontact.surfaces.reading.gltf_accessors import read_indices, read_positions
from polycontact.surfaces.reading.gltf_container import GltfContainer
from polycontact.surfaces.reading.gltf_nodes import place_meshes
from polycontact.surfaces.reading.json_object import JsonObject
from polycontact.surfaces.reading.limits import MAX_VERTICES
from polycontact.surfaces.reading.merge import merge_identical
from polycontact.surfaces.reading.parts import Part, Placement, place_parts
from polycontact.surfaces.reading.polygons import Polygons, check_polygons, refuse_too_many
from polycontact.surfaces.reading.raw import MeshFormat, RawMesh
from polycontact.surfaces.reading.source import MeshSource

_TRIANGLES, _STRIP, _FAN = 4, 5, 6
_COMPRESSED = ("KHR_draco_mesh_compression", "EXT_meshopt_compression", "KHR_meshopt_compression")
_HARMLESS = ("KHR_materials_", "KHR_texture_", "EXT_texture_", "MSFT_texture_", "KHR_lights_", "KHR_xmp")
_UNDERSTOOD = ("KHR_mesh_quantization",)


def read_gltf(source: MeshSource) -> RawMesh:
    """Read all triangles of the default scene of a glTF file."""
    container = GltfContainer(source)
    document = container.json
    _check_version(document)
    _check_extensions(document)
    placements = place_meshes(document)
    reader = _MeshReader(container)
    parts = {mesh: reader.read(mesh) for mesh in sorted({placement.part for placement in placements})}
    vertices, triangles = place_parts(source, parts, placements)
    return RawMesh(vertices, triangles, source.path, MeshFormat.GLTF, unit=1.0, notes=reader.notes(placements))


def _check_version(document: JsonObject) -> None:
    asset = document.object("asset")
    if not asset.string("version", "").startswith("2."):
        asset.refuse("version", "'2.0' (export the mesh as glTF 2.0)")


def _check_extensions(document: JsonObject) -> None:
    """Refuse extensions without which the geometry would be wrong or missing."""
    for name in document.array("extensionsRequired"):
        if name in _COMPRESSED:
            document.refuse("extensionsRequired", f"no {name}; export the mesh without compression")
        if not isinstance(name, str) or not name.startswith(_HARMLESS + _UNDERSTOOD):
            document.refuse("extensionsRequired", "only extensions for materials, textures and quantization")


class _MeshReader:
    """Reads meshes and keeps count of what is skipped and merged."""

    def __init__(self, container: GltfContainer) -> None:
        self.container = container
        self.n_triangles = 0
        self.n_vertices = 0
        self.n_merged = 0
        self.skipped = 0
        self.deformed = 0

    def read(self, index: int) -> Part:
        """Mesh ``index`` with its primitives joined."""
        mesh = self.container.json.item("meshes", index)
        points: list[NDArray[np.float64]] = [np.zeros((0, 3))]
        faces: list[NDArray[np.int64]] = [np.zeros((0, 3), dtype=np.int64)]
        offset = 0
        for primitive in mesh.items("primitives"):
            part = self._read_primitive(primitive)
            if part is not None:
                points.append(part.vertices)
                faces.append(part.triangles.astype(np.int64) + offset)
                offset += len(part.vertices)
        vertices, merged = merge_identical(np.concatenate(points))
        self.n_merged += offset - len(vertices)
        return Part(vertices, merged[np.concatenate(faces)].reshape(-1, 3))

    def notes(self, placements: list[Placement]) -> tuple[str, ...]:
        """What was done."""
        copies = len(placements) - len({placement.part for placement in placements})
        notes = {
            "vertices merged where bit-identical within a mesh": self.n_merged,
            "primitives of points or lines skipped": self.skipped,
            "primitives with morph targets read in their base shape": self.deformed,
            "further copies of meshes placed": copies,
        }
        return tuple(f"{count} {what}" for what, count in notes.items() if count)

    def _read_primitive(self, primitive: JsonObject) -> Part | None:
        mode = primitive.integer("mode", _TRIANGLES, most=_FAN)
        if mode < _TRIANGLES:
            self.skipped += 1
            return None
        self.deformed += bool(primitive.array("targets"))
        attributes = primitive.object("attributes")
        points = read_positions(self.container, attributes.integer("POSITION"))
        if "indices" in primitive:
            corners = read_indices(self.container, primitive.integer("indices"))
        else:
            corners = np.arange(len(points))
        self._count(primitive.source, len(points), len(corners) // 3 if mode == _TRIANGLES else len(corners) - 2)
        triangles = _triangles_of(primitive, mode, corners)
        polygons = Polygons(triangles.ravel(), np.full(len(triangles), 3))
        check_polygons(primitive.source, polygons, len(points), lambda i: f"{primitive.where}, triangle {i}")
        return Part(points, triangles.astype(np.int32))

    def _count(self, source: MeshSource, vertices: int, triangles: int) -> None:
        """Many accessors can share the same bytes: bound what they become in memory."""
        self.n_vertices += vertices
        self.n_triangles += triangles
        refuse_too_many(source, self.n_triangles)
        if self.n_vertices > MAX_VERTICES:
            source.fail(f"its meshes have more than {MAX_VERTICES} vertices; reduce the mesh or split it")


def _triangles_of(primitive: JsonObject, mode: int, corners: NDArray[np.int64]) -> NDArray[np.int64]:
    """Triangles (m, 3) of a list, strip or fan of ``corners``."""
    if len(corners) < 3 or (mode == _TRIANGLES and len(corners) % 3):
        primitive.source.fail(
            f"{primitive.where} has {len(corners)} corners, which make no whole triangles: export the mesh again"
        )
    if mode == _TRIANGLES:
        return corners.reshape(-1, 3)
    first, second, third = corners[:-2], corners[1:-1], corners[2:]
    if mode == _FAN:
        return np.stack((np.broadcast_to(corners[0], len(second)), second, third), axis=1)
    # Every other triangle of a strip runs the other way round. Degenerate ones only join strips.
    odd = np.arange(len(first)) % 2 == 1
    strip = np.stack((first, np.where(odd, third, second), np.where(odd, second, third)), axis=1)
    joining = (strip[:, 0] == strip[:, 1]) | (strip[:, 1] == strip[:, 2]) | (strip[:, 2] == strip[:, 0])
    return np.asarray(strip[~joining])
