"""The optional packages behind glTF, 3MF and STEP files, which come with the extra ``cad``."""

from __future__ import annotations

from importlib.util import find_spec

from polycontact.surfaces.reading.raw_mesh import MeshFormat
from polycontact.surfaces.reading.source import MeshSource

_PACKAGES = {
    MeshFormat.GLTF: ("trimesh",),
    MeshFormat.THREEMF: ("trimesh", "networkx", "lxml"),
    MeshFormat.STEP: ("trimesh", "cascadio"),
}
"""What trimesh needs for each format, itself included; cascadio is OpenCASCADE, which makes triangles of STEP."""


def require_cad_packages(source: MeshSource, found: MeshFormat) -> None:
    """Refuse a file whose format needs packages that are not installed."""
    missing = [name for name in _PACKAGES[found] if find_spec(name) is None]
    if missing:
        source.fail(
            f"{found.value} files are read by the package {' and '.join(missing)}, which is not installed; "
            'pip install "polycontact[cad]", or convert the file to STL, OBJ, PLY or OFF'
        )
