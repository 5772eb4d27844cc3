"""The mesh as a file holds it: what `read_mesh` returns and `check_surface`, `load_surface` start from.

Nothing is judged here: triangles may be degenerate, vertices duplicate or not finite, the orientation mixed.
Only what cannot be represented at all (an index out of range, say) is refused while reading.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from polycontact.wording import counted


class MeshFormat(StrEnum):
    """File formats that can be read."""

    OBJ = "obj"
    STL = "stl"
    PLY = "ply"
    OFF = "off"
    GLTF = "gltf"
    THREEMF = "3mf"
    DXF = "dxf"
    STEP = "step"


@dataclass(frozen=True, eq=False)
class RawMesh:
    """Vertices and triangles of a mesh file, unchecked.

    ``vertices`` (n, 3) float64 in units of the file, ``triangles`` (m, 3) int32, every index in range; both
    are read-only. ``unit`` is the length of one file unit in m where the format declares it, else None;
    of STEP the vertices are in m already.
    ``notes`` says what was done while reading (polygons triangulated, vertices merged, parts skipped).
    """

    vertices: NDArray[np.float64]
    triangles: NDArray[np.int32]
    source: Path
    format: MeshFormat
    unit: float | None = None
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for name in ("vertices", "triangles"):
            view = getattr(self, name).view()
            view.flags.writeable = False
            object.__setattr__(self, name, view)

    @property
    def name(self) -> str:
        """Name of the file, without its folder."""
        return self.source.name

    def __repr__(self) -> str:
        return (
            f"RawMesh({self.name!r}, {self.format.value}, "
            f"{counted(len(self.vertices), 'vertex', 'vertices')}, "
            f"{counted(len(self.triangles), 'triangle')})"
        )
