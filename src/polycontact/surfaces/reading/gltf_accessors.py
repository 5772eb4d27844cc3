"""glTF accessors: typed arrays in the buffers of a file, checked against the buffers before they are made."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from polycontact.surfaces.reading.gltf_container import GltfContainer
from polycontact.surfaces.reading.json_object import JsonObject

_COMPONENTS = {5120: "<i1", 5121: "<u1", 5122: "<i2", 5123: "<u2", 5125: "<u4", 5126: "<f4"}
_SIZES = {"SCALAR": 1, "VEC3": 3}


def read_positions(container: GltfContainer, index: int) -> NDArray[np.float64]:
    """Points (n, 3) of a POSITION accessor; normalised integers are mapped to -1 ... 1 or 0 ... 1."""
    accessor = container.json.item("accessors", index)
    raw = _read(container, accessor, "VEC3")
    points = raw.astype(np.float64)
    if accessor.fields.get("normalized", False) and raw.dtype.kind in "iu":
        points = np.maximum(points / np.iinfo(raw.dtype).max, -1.0)
    return points


def read_indices(container: GltfContainer, index: int) -> NDArray[np.int64]:
    """Vertex indices of a primitive."""
    accessor = container.json.item("accessors", index)
    raw = _read(container, accessor, "SCALAR")
    if raw.dtype.kind != "u":
        accessor.refuse("componentType", "5121, 5123 or 5125 (unsigned integers) for indices")
    return raw.astype(np.int64).ravel()


def _read(container: GltfContainer, accessor: JsonObject, kind: str) -> NDArray[Any]:
    if "sparse" in accessor:
        accessor.refuse("sparse", "no sparse accessor (not supported); export the mesh without")
    if "bufferView" not in accessor:
        accessor.refuse("bufferView", "a buffer view (compressed meshes are not supported; export without)")
    if accessor.string("type", "") != kind:
        accessor.refuse("type", repr(kind))
    component = accessor.integer("componentType")
    if component not in _COMPONENTS:
        accessor.refuse("componentType", f"one of {', '.join(map(str, _COMPONENTS))}")
    return _view_array(container, accessor, np.dtype(_COMPONENTS[component]), _SIZES[kind])


def _view_array(container: GltfContainer, accessor: JsonObject, component: np.dtype[Any], size: int) -> NDArray[Any]:
    """The (count, size) array in the buffer; it is read-only and takes no memory of its own."""
    view = container.json.item("bufferViews", accessor.integer("bufferView"))
    data = container.buffer(view.integer("buffer"))
    begin, length = view.integer("byteOffset", 0), view.integer("byteLength", least=1)
    if begin + length > len(data):
        view.refuse("byteLength", f"at most {max(len(data) - begin, 0)}, what the buffer has after byte {begin}")
    item = component.itemsize * size
    stride = view.integer("byteStride", item, least=item, most=252)
    offset, count = accessor.integer("byteOffset", 0), accessor.integer("count", least=1)
    if offset + stride * (count - 1) + item > length:
        fitting = max((length - offset - item) // stride + 1, 0)
        accessor.refuse("count", f"at most {fitting}, what {view.where} has room for")
    return np.ndarray((count, size), component, data, begin + offset, strides=(stride, component.itemsize))
