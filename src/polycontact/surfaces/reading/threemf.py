"""3MF: the objects of the build with components and transforms, in the unit that the model declares, by trimesh."""

from __future__ import annotations

from polycontact.surfaces.reading.cad_extra import require_cad_packages
from polycontact.surfaces.reading.cad_scene import PlacedParts, load_placed_parts
from polycontact.surfaces.reading.parts import place_parts
from polycontact.surfaces.reading.raw_mesh import MeshFormat, RawMesh
from polycontact.surfaces.reading.source import MeshSource
from polycontact.surfaces.reading.threemf_outline import UNITS, outline_threemf
from polycontact.wording import counted


def read_threemf(source: MeshSource) -> RawMesh:
    """Read all build items of a 3MF package; the vertices stay in the unit of the model."""
    placed, metres, unit_note = load_threemf(source)
    vertices, triangles = place_parts(source, placed.parts, placed.placements)
    notes = (
        unit_note,
        f"{counted(len(placed.parts), 'mesh', 'meshes')} placed {counted(len(placed.placements), 'time')}",
    )
    return RawMesh(vertices, triangles, source.path, MeshFormat.THREEMF, unit=metres, notes=notes)


def load_threemf(source: MeshSource) -> tuple[PlacedParts, float, str]:
    """Parts of the build with their placements in units of the model, the length of one in m, and a note of that."""
    require_cad_packages(source, MeshFormat.THREEMF)
    outline = outline_threemf(source)
    # Without post-processing: it renames the bodies of some CAD programs and can lose one on the way.
    placed = load_placed_parts(source, "3mf", postprocess=False)
    if placed.n_triangles != outline.n_triangles:
        source.fail(
            f"trimesh places {placed.n_triangles} of its {outline.n_triangles} triangles (objects in several parts of "
            "the package, or with meshes and components at once); export each object once, or as STL, OBJ or PLY"
        )
    metres = UNITS[outline.unit]
    return placed, metres, f"unit of the file: {outline.unit}, {metres:g} m"
