"""The node hierarchy of a glTF scene: which mesh stands where."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from polycontact.surfaces.reading.json_object import JsonObject
from polycontact.surfaces.reading.parts import Placement


def place_meshes(document: JsonObject) -> list[Placement]:
    """A placement for each mesh in the scene that is shown by default; ``part`` is the index of the mesh."""
    n_nodes, n_meshes = len(document.array("nodes")), len(document.array("meshes"))
    if n_nodes == 0:
        return [Placement(mesh, np.eye(4)) for mesh in range(n_meshes)]
    placements: list[Placement] = []
    seen: set[int] = set()
    waiting = [(node, np.eye(4)) for node in reversed(_root_nodes(document, n_nodes))]
    while waiting:
        index, parent_matrix = waiting.pop()
        node = document.item("nodes", index)
        if index in seen:
            # The specification asks for a tree; this also stops cycles and exponential instancing.
            document.source.fail(f"{node.where} is reached twice; nodes have to form a tree: export the mesh again")
        seen.add(index)
        with np.errstate(all="ignore"):
            matrix = parent_matrix @ node_matrix(node)
        if "mesh" in node:
            placements.append(Placement(node.integer("mesh", most=n_meshes - 1), matrix))
        waiting += [(child, matrix) for child in reversed(node.indices("children", n_nodes))]
    return placements


def _root_nodes(document: JsonObject, n_nodes: int) -> list[int]:
    """Roots of the default scene, of the first scene, or of everything where there is no scene."""
    if document.array("scenes"):
        return document.item("scenes", document.integer("scene", 0)).indices("nodes", n_nodes)
    children = {child for node in document.items("nodes") for child in node.indices("children", n_nodes)}
    return [node for node in range(n_nodes) if node not in children]


def node_matrix(node: JsonObject) -> NDArray[np.float64]:
    """The 4 x 4 matrix of a node, from its matrix (column by column) or translation, rotation and scale."""
    if "matrix" in node:
        return np.array(node.numbers("matrix", 16)).reshape(4, 4).T
    matrix = np.eye(4)
    if "rotation" in node:
        matrix[:3, :3] = _rotation(node)
    if "scale" in node:
        matrix[:3, :3] *= np.array(node.numbers("scale", 3))
    if "translation" in node:
        matrix[:3, 3] = node.numbers("translation", 3)
    return matrix


def _rotation(node: JsonObject) -> NDArray[np.float64]:
    """Rotation matrix of the quaternion (x, y, z, w), which is normalised first."""
    quaternion = np.array(node.numbers("rotation", 4))
    norm = float(np.linalg.norm(quaternion))
    if not (np.isfinite(norm) and norm > 0):
        node.refuse("rotation", "a quaternion of length 1")
    x, y, z, w = (quaternion / norm).tolist()
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
        ]
    )
