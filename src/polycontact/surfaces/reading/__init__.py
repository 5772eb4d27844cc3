"""Reading mesh files: `read_mesh` returns what a file holds, unchecked, as a `RawMesh`.

A file goes through: `source` (bytes, safely) → `sniffing` (which format) → one module for each format →
`face_polygons` (faces to triangles) → `RawMesh`.

OBJ, STL, PLY, OFF and DXF are read here. glTF, 3MF and STEP need the extra ``cad``: an outline of the file is checked
here, then trimesh reads it (`cad_scene`), and its placed copies become one mesh (`parts`).
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from polycontact.errors import SurfaceError
from polycontact.surfaces.reading.dxf import read_dxf
from polycontact.surfaces.reading.gltf import read_gltf
from polycontact.surfaces.reading.obj import read_obj
from polycontact.surfaces.reading.off import read_off
from polycontact.surfaces.reading.ply import read_ply
from polycontact.surfaces.reading.raw_mesh import MeshFormat, RawMesh
from polycontact.surfaces.reading.sniffing import EXTENSIONS, recognise
from polycontact.surfaces.reading.source import MeshSource, open_source
from polycontact.surfaces.reading.step_file import read_step
from polycontact.surfaces.reading.stl import read_stl
from polycontact.surfaces.reading.threemf import read_threemf

__all__ = ["MeshFormat", "RawMesh", "read_mesh"]

_READERS: dict[MeshFormat, Callable[[MeshSource], RawMesh]] = {
    MeshFormat.OBJ: read_obj,
    MeshFormat.STL: read_stl,
    MeshFormat.PLY: read_ply,
    MeshFormat.OFF: read_off,
    MeshFormat.GLTF: read_gltf,
    MeshFormat.THREEMF: read_threemf,
    MeshFormat.DXF: read_dxf,
    MeshFormat.STEP: read_step,
}


def read_mesh(path: str | os.PathLike[str]) -> RawMesh:
    """Read a mesh file: OBJ, STL, PLY, OFF or ASCII DXF; with the extra ``cad`` also glTF, 3MF and STEP.

    Polygons are split into triangles. Coordinates stay in units of the file (of STEP they are in m), also
    where they are not finite.
    A file that cannot be read raises a `SurfaceError` with the place, the value and what to do; time and
    memory are bounded whatever the file claims.
    """
    return read_source(open_source(path))


def read_source(source: MeshSource) -> RawMesh:
    """Read a mesh file whose bytes are at hand; see `read_mesh`."""
    found = recognise(source)
    try:
        # Coordinates may be anything, signalling nan included: what they are worth is judged later.
        with np.errstate(all="ignore"):
            mesh = _READERS[found](source)
    except MemoryError as error:
        size = len(source.data)
        raise SurfaceError(
            f"{source.name}: {size} bytes of {found.value} need more memory than there is; reduce the mesh"
        ) from error
    if EXTENSIONS.get(source.path.suffix.lower()) is found:
        return mesh
    return replace(mesh, notes=(f"read as {found.value}, as its content shows", *mesh.notes))
