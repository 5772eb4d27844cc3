"""From a mesh file to a `Surface` in metres: the usual way to get one."""

from __future__ import annotations

import math
import os
import warnings
from dataclasses import replace

import numpy as np

from polycontact.errors import SurfaceError, SurfaceWarning, level_of_the_caller
from polycontact.surfaces.file_units import UNITS
from polycontact.surfaces.reading import MeshFormat, RawMesh, read_mesh
from polycontact.surfaces.surface import Surface
from polycontact.tolerances import LARGEST_IN_METRES


def load_surface(
    path: str | os.PathLike[str],
    *,
    scale: float = 1.0,
    unit: str | None = None,
    flip: bool = False,
    name: str | None = None,
) -> Surface:
    """Load a surface from an OBJ, STL, PLY, OFF, ASCII DXF or, with the extra ``cad``, glTF, 3MF or STEP file.

    ``unit`` is the length of one unit of the file: "m", "mm", "cm", "um", "in" or "ft". Without it, the unit
    that the file declares is used (3MF, glTF, STEP), otherwise metres; that of a STEP file cannot be
    replaced. Coordinates are multiplied by ``scale`` as
    well. ``flip`` reverses all triangles, for a mesh that is inside out. ``name`` is the name of the surface,
    by default that of the file without its extension.

    A file or geometry that makes no surface raises a `SurfaceError`. One that makes a surface although `check_surface`
    finds errors in it, such as shells that overlap or are inside out, warns with what that says.
    """
    mesh = read_mesh(path)
    factor = _metres_per_unit(mesh, unit) * _checked_scale(mesh, scale)
    with np.errstate(over="ignore", invalid="ignore"):  # Surface refuses what overflows
        vertices = mesh.vertices if factor == 1.0 else mesh.vertices * factor
    triangles = mesh.triangles[:, ::-1] if flip else mesh.triangles
    # Errors and warnings name the file, which is where the cause is; only then the surface gets its own name.
    surface = Surface(vertices, triangles, name=mesh.name)
    _warn_of_errors(surface)
    surface.name = mesh.source.stem if name is None else name
    return surface


def _warn_of_errors(surface: Surface) -> None:
    """Say what a check finds wrong, but for cracks, of which every surface tells when it is made."""
    from polycontact.surfaces.check import ProblemKind, check_surface

    for problem in check_surface(surface).errors:
        if problem.kind is not ProblemKind.CRACKS:
            where = f", {problem.examples[0]}" if problem.examples else ""
            warnings.warn(
                f"{surface.name}: {problem.title} ({problem.count}{where}): {problem.message}; {problem.remedy}",
                SurfaceWarning,
                stacklevel=level_of_the_caller(),
            )


def in_unit(mesh: RawMesh, unit: str | None) -> RawMesh:
    """The mesh of a file, one unit of which is ``unit`` long; as the file declares, or m, if None."""
    return mesh if unit is None else replace(mesh, unit=_metres_per_unit(mesh, unit))


def doubtful_size(mesh: RawMesh) -> str:
    """A question where a mesh that declares no unit is as large as a house, and so perhaps in mm; else empty."""
    if mesh.unit is not None or not len(mesh.vertices) or mesh.format is MeshFormat.STEP:
        return ""
    size = float(np.ptp(mesh.vertices, axis=0).max())
    if not LARGEST_IN_METRES < size < math.inf:
        return ""
    return (
        f"{mesh.name}: {size:.3g} m across, since the file declares no unit and metres are taken; if it is in "
        f'millimetres, {1e-3 * size:.3g} m, say so: --unit mm, unit = "mm" in a scenario, unit="mm" in Python'
    )


def _metres_per_unit(mesh: RawMesh, unit: str | None) -> float:
    if unit is None:
        return 1.0 if mesh.unit is None else mesh.unit
    if mesh.format is MeshFormat.STEP:
        raise SurfaceError(
            f"{mesh.name}: unit {unit!r} is given, but a STEP file declares its own, and it is converted to m; "
            "leave the unit out, or give a scale"
        )
    if unit not in UNITS:
        raise SurfaceError(f"{mesh.name}: unit {unit!r} is unknown; give one of {', '.join(UNITS)}")
    return UNITS[unit]


def _checked_scale(mesh: RawMesh, scale: float) -> float:
    if not (math.isfinite(scale) and scale > 0):
        raise SurfaceError(f"{mesh.name}: scale {scale} must be positive and finite; mirror a mesh with flip=True")
    return scale
