"""glTF 2.0 (``.gltf`` and ``.glb``): all triangles of the default scene, in metres, read by trimesh."""

from __future__ import annotations

from polycontact.surfaces.reading.cad_extra import require_cad_packages
from polycontact.surfaces.reading.cad_scene import PlacedParts, load_placed_parts, merge_vertices, without_collapsed
from polycontact.surfaces.reading.gltf_outline import MAGIC, outline_gltf
from polycontact.surfaces.reading.parts import place_parts
from polycontact.surfaces.reading.raw_mesh import MeshFormat, RawMesh
from polycontact.surfaces.reading.siblings import Siblings
from polycontact.surfaces.reading.source import MeshSource


def read_gltf(source: MeshSource) -> RawMesh:
    """Read all triangles of the default scene of a glTF file."""
    placed, notes = load_gltf(source)
    vertices, triangles = place_parts(source, placed.parts, placed.placements)
    return RawMesh(vertices, triangles, source.path, MeshFormat.GLTF, unit=1.0, notes=notes)


def load_gltf(source: MeshSource) -> tuple[PlacedParts, tuple[str, ...]]:
    """Parts of the default scene with their placements, in m, and what was done."""
    require_cad_packages(source, MeshFormat.GLTF)
    outline = outline_gltf(source)
    file_type = "glb" if source.data.startswith(MAGIC) else "gltf"
    placed = load_placed_parts(source, file_type, resolver=Siblings(source), skip_materials=True)
    if placed.n_geometries != outline.n_placed:
        source.fail(
            f"trimesh places {placed.n_geometries} of its {outline.n_placed} meshes (primitives of triangles, with "
            "copies); export it again without cameras and extensions, or as STL, OBJ or PLY"
        )
    placed, n_merged = merge_vertices(placed)
    n_joints = 0
    if outline.n_strips:
        placed, n_joints = without_collapsed(placed)
    notes = {
        "vertices merged where bit-identical within a mesh": n_merged,
        "triangles without area, joints of strips, left out": n_joints,
        "primitives of points or lines skipped": outline.n_skipped,
        "primitives with morph targets read in their base shape": outline.n_deformed,
        "further copies of meshes placed": len(placed.placements) - len(placed.parts),
    }
    return placed, tuple(f"{count} {what}" for what, count in notes.items() if count)
