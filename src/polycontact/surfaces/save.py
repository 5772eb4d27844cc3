"""Writing meshes: OBJ and OFF as text, STL and PLY in binary.

Text has the shortest digits that give back the same float64; PLY holds float64. STL holds float32 only, about
seven digits, as the format demands.
"""

from __future__ import annotations

import os
import warnings
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from polycontact.errors import SurfaceError, SurfaceWarning, level_of_the_caller
from polycontact.replacing import write_whole
from polycontact.surfaces.reading import RawMesh
from polycontact.surfaces.reading.merge import merge_identical
from polycontact.surfaces.reading.stl import HEADER_BYTES, RECORD
from polycontact.surfaces.surface import Surface


def save_surface(surface: Surface | RawMesh, path: str | os.PathLike[str]) -> None:
    """Write a mesh to an .obj, .stl, .ply or .off file; a surface in m, a raw mesh in its own unit.

    An existing file is overwritten. STL has no vertices, only corners in single precision: where vertices fall together
    in it, so that parts which were apart touch again, a `SurfaceWarning` says so.
    """
    target = Path(path)
    encode = _ENCODERS.get(target.suffix.lower())
    if encode is None:
        raise SurfaceError(
            f"{target.name}: cannot write the format {target.suffix!r}; give the file one of the extensions "
            f"{' '.join(_ENCODERS)}"
        )
    content = encode(surface.vertices, surface.triangles, target.name)
    if encode is _encode_stl and isinstance(surface, Surface):
        _warn_of_lost_vertices(surface, target.name)
    try:
        write_whole(target, content)
    except OSError as error:
        raise SurfaceError(
            f"{target}: cannot be written: {error.strerror}; check the folder, its access rights and the space left"
        ) from error


def _encode_obj(vertices: NDArray[np.float64], triangles: NDArray[np.int32], _: str) -> bytes:
    lines = [f"v {x!r} {y!r} {z!r}" for x, y, z in vertices.tolist()]
    lines += [f"f {a} {b} {c}" for a, b, c in (triangles + 1).tolist()]
    return ("\n".join(lines) + "\n").encode("ascii")


def _encode_off(vertices: NDArray[np.float64], triangles: NDArray[np.int32], _: str) -> bytes:
    lines = ["OFF", f"{len(vertices)} {len(triangles)} 0"]
    lines += [f"{x!r} {y!r} {z!r}" for x, y, z in vertices.tolist()]
    lines += [f"3 {a} {b} {c}" for a, b, c in triangles.tolist()]
    return ("\n".join(lines) + "\n").encode("ascii")


def _encode_ply(vertices: NDArray[np.float64], triangles: NDArray[np.int32], _: str) -> bytes:
    header = [
        "ply",
        "format binary_little_endian 1.0",
        f"element vertex {len(vertices)}",
        *(f"property double {axis}" for axis in "xyz"),
        f"element face {len(triangles)}",
        "property list uchar int vertex_indices",
        "end_header",
    ]
    faces = np.empty(len(triangles), dtype=[("count", "u1"), ("corners", "<i4", 3)])
    faces["count"], faces["corners"] = 3, triangles
    return ("\n".join(header) + "\n").encode("ascii") + vertices.astype("<f8").tobytes() + faces.tobytes()


def _encode_stl(vertices: NDArray[np.float64], triangles: NDArray[np.int32], name: str) -> bytes:
    corners = vertices[triangles]
    with np.errstate(all="ignore"):
        area_vectors = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
        lengths = np.linalg.norm(area_vectors, axis=1, keepdims=True)
        normals = np.where((lengths > 0) & np.isfinite(lengths), area_vectors / lengths, 0.0)
        single = corners.astype("<f4")
    lost = np.flatnonzero((np.isinf(single) & np.isfinite(corners)).any(axis=(1, 2)))
    if len(lost):
        raise SurfaceError(
            f"{name}: triangle {int(lost[0])} has coordinates beyond the range of STL (float32, 3.4e38); write .ply"
        )
    records = np.zeros(len(triangles), dtype=RECORD)
    records["normal"], records["corners"] = normals, single
    comment = b"polycontact".ljust(HEADER_BYTES - 4, b" ")  # must not begin with "solid"
    return comment + len(triangles).to_bytes(4, "little") + records.tobytes()


def _warn_of_lost_vertices(surface: Surface, name: str) -> None:
    used = surface.vertices[np.unique(surface.triangles)]
    lost = len(used) - len(merge_identical(used.astype("<f4"))[0])
    if lost > 0:
        fall = "vertex falls" if lost == 1 else "vertices fall"
        warnings.warn(
            f"{name}: {lost} {fall} together with others in STL, which has corners only, in single precision: parts "
            "that were apart may touch; write .ply, .obj or .off to keep them apart",
            SurfaceWarning,
            stacklevel=level_of_the_caller(),
        )


_ENCODERS = {".obj": _encode_obj, ".stl": _encode_stl, ".ply": _encode_ply, ".off": _encode_off}
