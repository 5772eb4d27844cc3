"""The outline of a glTF file: what its default scene places, from the JSON alone, before trimesh reads it.

trimesh leaves out some things without an error (fans, sparse values, integers that stand for fractions, meshes on
cameras). What it would read wrongly is refused here; what it leaves out shows when its meshes are counted.
"""

from __future__ import annotations

import json
from typing import Any, NamedTuple

from polycontact.surfaces.reading.limits import MAX_ACCESSOR_ITEMS, MAX_JSON_VALUES, MAX_NODE_NESTING, MAX_VERTICES
from polycontact.surfaces.reading.parts import refuse_too_many_instances
from polycontact.surfaces.reading.source import MeshSource, shown
from polycontact.tolerances import MAX_FILE_BYTES, MAX_TRIANGLES

MAGIC = b"glTF"
"""First bytes of a ``.glb`` file."""

_JSON_BEGINS = 20  # bytes of the header of a .glb file and of its first chunk
_JSON_SIZE_AT = slice(12, 16)
_TRIANGLES, _STRIP, _FAN = 4, 5, 6
_FLOAT = 5126


class _Kind(NamedTuple):
    """What an accessor has to hold."""

    type: str
    component_types: tuple[int, ...]


_POINTS = _Kind("VEC3", (5120, 5121, 5122, 5123, _FLOAT))
_INDICES = _Kind("SCALAR", (5121, 5123, 5125))
_HARMLESS = ("KHR_materials_", "KHR_texture_", "EXT_texture_", "MSFT_texture_", "KHR_lights_", "KHR_xmp")
_UNDERSTOOD = ("KHR_mesh_quantization",)


class GltfOutline(NamedTuple):
    """How often primitives of triangles are placed, and kinds of primitives in the meshes that are."""

    n_placed: int
    n_strips: int
    n_skipped: int
    n_deformed: int


class _MeshCounts(NamedTuple):
    """Primitives of one mesh: triangles in all and in strips, points or lines, with morph targets."""

    triangles: int
    strips: int
    skipped: int
    deformed: int


def outline_gltf(source: MeshSource) -> GltfOutline:
    """Count what the default scene places, and refuse what trimesh would misread."""
    tree = _parse_json(source)
    try:
        _check_extensions(source, tree)
        _check_sizes(source, tree)
        counts = [_count_primitives(source, tree, index) for index in range(len(tree.get("meshes", [])))]
        meshes = _placed_meshes(source, tree)
        n_placed = sum(counts[index].triangles for index in meshes)
    except (KeyError, IndexError, TypeError, AttributeError) as error:
        raise source.error(
            f"its JSON is not that of glTF 2.0: {type(error).__name__} {shown(str(error))}; it is damaged: "
            "export it again"
        ) from error
    if n_placed == 0:
        source.fail("places no triangles; export the mesh again as triangles, in the scene that is shown")
    refuse_too_many_instances(source, n_placed)
    used = [counts[index] for index in sorted(set(meshes))]
    return GltfOutline(
        n_placed,
        sum(each.strips for each in used),
        sum(each.skipped for each in used),
        sum(each.deformed for each in used),
    )


def _parse_json(source: MeshSource) -> dict[str, Any]:
    text = source.data
    if text.startswith(MAGIC):
        text = text[_JSON_BEGINS : _JSON_BEGINS + int.from_bytes(text[_JSON_SIZE_AT], "little")]
    values = sum(text.count(mark) for mark in (b",", b"[", b"{"))
    if values > MAX_JSON_VALUES:
        source.fail(f"its JSON has {values} values, the limit is {MAX_JSON_VALUES}; split the scene")
    try:
        tree = json.loads(text.decode("utf-8-sig"))
    except json.JSONDecodeError as error:
        source.fail(f"its JSON is damaged: {error.msg}, at column {error.colno}; export it again", line=error.lineno)
    except (ValueError, RecursionError) as error:  # UnicodeDecodeError is a ValueError
        source.fail(f"its JSON is damaged: {shown(str(error))}; export it again")
    if not isinstance(tree, dict):
        source.fail(f"its JSON is {shown(tree)}; expected an object, {{...}}: export it again")
    return tree


def _check_extensions(source: MeshSource, tree: dict[str, Any]) -> None:
    """Refuse extensions without which the geometry would be wrong or missing."""
    for name in tree.get("extensionsRequired", []):
        if not name.startswith(_HARMLESS + _UNDERSTOOD):
            source.fail(f"requires the extension {shown(name)}; export the mesh without compression and extensions")


def _check_sizes(source: MeshSource, tree: dict[str, Any]) -> None:
    """Bound what trimesh copies: many views, accessors and primitives can share the same bytes."""
    accessors = [abs(accessor["count"]) for accessor in tree.get("accessors", [])]
    primitives = [primitive for mesh in tree.get("meshes", []) for primitive in mesh["primitives"]]
    corners = [accessors[each.get("indices", each["attributes"]["POSITION"])] for each in primitives]
    points = [accessors[each["attributes"]["POSITION"]] for each in primitives]
    sizes = {
        "bytes in its buffer views": (sum(abs(v["byteLength"]) for v in tree.get("bufferViews", [])), MAX_FILE_BYTES),
        "values in its accessors": (sum(accessors), MAX_ACCESSOR_ITEMS),
        "vertices in its meshes": (sum(points), MAX_VERTICES),
        "triangles in its meshes": (sum(corners) // 3, MAX_TRIANGLES),
    }
    for what, (found, limit) in sizes.items():
        if found > limit:
            source.fail(f"it has {found} {what}, the limit is {limit}; reduce the mesh or split it")


def _count_primitives(source: MeshSource, tree: dict[str, Any], index: int) -> _MeshCounts:
    triangles = strips = skipped = deformed = 0
    for primitive in tree["meshes"][index]["primitives"]:
        mode = primitive.get("mode", _TRIANGLES)
        if mode not in range(_FAN):
            what = "a triangle fan" if mode == _FAN else f"of the unknown mode {shown(mode)}"
            source.fail(f"a primitive of meshes[{index}] is {what}; export the mesh as plain triangles")
        if mode < _TRIANGLES:
            skipped += 1
            continue
        triangles += 1
        strips += mode == _STRIP
        deformed += bool(primitive.get("targets"))
        _check_accessor(source, tree, primitive["attributes"]["POSITION"], _POINTS)
        if "indices" in primitive:
            _check_accessor(source, tree, primitive["indices"], _INDICES)
    return _MeshCounts(triangles, strips, skipped, deformed)


def _check_accessor(source: MeshSource, tree: dict[str, Any], index: int, kind: _Kind) -> None:
    accessor = tree["accessors"][index]
    if "sparse" in accessor or "bufferView" not in accessor:
        source.fail(f"accessors[{index}] is sparse or compressed, which is not supported; export the mesh without")
    if accessor.get("normalized") and accessor["componentType"] != _FLOAT:
        source.fail(f"accessors[{index}] holds integers that stand for fractions; export positions as floats")
    found = (accessor["type"], accessor["componentType"], accessor["count"])
    if found[0] != kind.type or found[1] not in kind.component_types or not isinstance(found[2], int) or found[2] < 1:
        source.fail(
            f"accessors[{index}] has type, componentType and count {found}; expected {kind.type}, one of "
            f"{kind.component_types} and at least 1: the file is damaged, export it again"
        )


def _placed_meshes(source: MeshSource, tree: dict[str, Any]) -> list[int]:
    """Indices of the meshes that the default scene places, one for each copy."""
    if not tree.get("scenes"):
        source.fail("has no scene, so that nothing is placed; export the mesh with a scene")
    waiting = [(index, 1) for index in tree["scenes"][tree.get("scene", 0)].get("nodes", [])]
    seen: set[int] = set()
    meshes = []
    while waiting:
        index, depth = waiting.pop()
        if depth > MAX_NODE_NESTING:
            source.fail(
                f"nodes[{shown(index)}] is nested more than {MAX_NODE_NESTING} nodes deep; export the scene with "
                "a flatter tree of nodes, or as STL, OBJ or PLY"
            )
        if index in seen:
            # The format asks for a tree; trimesh would keep one of the places of such a node.
            source.fail(f"nodes[{shown(index)}] is reached twice; nodes have to form a tree: export the mesh again")
        seen.add(index)
        node = tree["nodes"][index]
        if "mesh" in node:
            meshes.append(node["mesh"])
        waiting += [(child, depth + 1) for child in node.get("children", [])]
    return meshes
