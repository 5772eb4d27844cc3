"""VTK's XML files, as ParaView reads them: triangle meshes with values (.vtp) and time series of files (.pvd).

Arrays stand in the file as base64 of zlib-compressed little-endian numbers. Format: VTK file formats, XML, in the VTK
user's guide.
"""

from __future__ import annotations

import base64
import os
import zlib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple
from xml.sax.saxutils import quoteattr

import numpy as np
from numpy.typing import NDArray

from polycontact.replacing import replacing

BLOCK = 1 << 20
"""Bytes of an array that are compressed at a time."""

TYPES = {"<f4": "Float32", "<f8": "Float64", "<i4": "Int32", "<i8": "Int64", "|u1": "UInt8", "|i1": "Int8"}

HEADER = (
    '<?xml version="1.0"?>\n<VTKFile type="{kind}" version="1.0" byte_order="LittleEndian" header_type="UInt64" '
    'compressor="vtkZLibDataCompressor">\n'
)


class SeriesFile(NamedTuple):
    """A file of a time series: ``time`` s, ``part`` number and its ``name``, ``path`` relative to the .pvd file."""

    time: float
    part: int
    name: str
    path: str


def write_mesh(
    path: Path,
    points: NDArray[np.float64],
    triangles: NDArray[np.integer],
    cell_data: Mapping[str, NDArray[np.generic]],
) -> None:
    """Write triangles (m, 3) of ``points`` (n, 3) m with arrays (m,) or (m, 3) of values, a .vtp file."""
    n = len(triangles)
    ends = 3 * np.arange(1, n + 1, dtype="<i8")
    with replacing(path) as part, part.open("w", encoding="ascii", newline="\n") as file:
        file.write(HEADER.format(kind="PolyData"))
        file.write(
            f'<PolyData>\n<Piece NumberOfPoints="{len(points)}" NumberOfVerts="0" NumberOfLines="0" '
            f'NumberOfStrips="0" NumberOfPolys="{n}">\n'
        )
        file.write(f"<Points>\n{_array('Points', np.asarray(points, '<f8'))}</Points>\n<Polys>\n")
        file.write(_array("connectivity", np.asarray(triangles, "<i8").ravel()) + _array("offsets", ends))
        file.write("</Polys>\n<CellData>\n")
        for name, values in cell_data.items():
            file.write(_array(name, values))
        file.write("</CellData>\n</Piece>\n</PolyData>\n</VTKFile>\n")


def write_series(path: Path, files: Iterable[SeriesFile]) -> None:
    """Write a .pvd file: which files belong to which time."""
    with replacing(path) as part, part.open("w", encoding="utf-8", newline="\n") as file:
        file.write('<?xml version="1.0"?>\n<VTKFile type="Collection" version="0.1" byte_order="LittleEndian">\n')
        file.write("<Collection>\n")
        for each in files:
            relative = each.path.replace(os.sep, "/")
            file.write(
                f'<DataSet timestep="{each.time!r}" part="{each.part}" name={quoteattr(each.name)} '
                f"file={quoteattr(relative)}/>\n"
            )
        file.write("</Collection>\n</VTKFile>\n")


def _array(name: str, values: NDArray[np.generic]) -> str:
    """An array as an element of the file."""
    kind = TYPES[values.dtype.newbyteorder("<").str if values.dtype.itemsize > 1 else values.dtype.str]
    data = np.ascontiguousarray(values, values.dtype.newbyteorder("<"))
    components = f' NumberOfComponents="{data.shape[1]}"' if data.ndim == 2 else ""
    head = f'<DataArray type={quoteattr(kind)} Name={quoteattr(name)}{components} format="binary">'
    return f"{head}{_encode(data.tobytes())}</DataArray>\n"


def _encode(data: bytes) -> str:
    """Base64 of a header (number of blocks, their size, that of the last, compressed sizes) and of the blocks."""
    blocks = [data[i : i + BLOCK] for i in range(0, len(data), BLOCK)]
    packed = [zlib.compress(block, 6) for block in blocks]
    last = len(blocks[-1]) % BLOCK if blocks else 0
    header = np.array([len(blocks), BLOCK, last, *(len(block) for block in packed)], "<u8")
    return base64.b64encode(header.tobytes()).decode() + base64.b64encode(b"".join(packed)).decode()
