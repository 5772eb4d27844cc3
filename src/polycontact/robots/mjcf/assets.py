"""Assets of an MJCF file: meshes and the colours of materials."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import Final

import numpy as np
from numpy.typing import NDArray

from polycontact.robots import xml_values as values
from polycontact.robots.mjcf.defaults import MAIN, Defaults
from polycontact.robots.mjcf.geom_parsing import parse_colour
from polycontact.robots.mjcf.mjcf_leftovers import Leftovers
from polycontact.robots.mjcf.mjcf_model import MjcfMesh
from polycontact.robots.mjcf.mjcf_placement import rotation_of_quaternion
from polycontact.robots.mjcf.settings import CompilerSettings, choice
from polycontact.robots.parent_frames import Frame
from polycontact.robots.xml_elements import Element
from polycontact.surfaces.reading.source import shown

INERTIAS: Final = ("legacy", "exact", "convex", "shell")
_READ: Final = ("name", "class", "file", "vertex", "face", "scale", "refpos", "refquat", "inertia")
_WITHOUT_EFFECT: Final = (
    "normal",
    "texcoord",
    "smoothnormal",
    "maxhullvert",
    "content_type",
    "material",
    "octree_maxdepth",
)


def parse_colours(root: Element, defaults: Defaults) -> dict[str, str]:
    """Colours of materials by name."""
    colours = {}
    for asset in root.named("asset"):
        for each in asset.named("material"):
            element = defaults.applied(each, MAIN)
            if "rgba" in element.attributes:
                colours[element.attributes.get("name", "").strip()] = parse_colour(element, element.label)
    return colours


def parse_meshes(
    root: Element, settings: CompilerSettings, defaults: Defaults, leftovers: Leftovers
) -> dict[str, MjcfMesh]:
    """The meshes of the <asset> elements by name; a name that is given twice raises an error."""
    meshes: dict[str, MjcfMesh] = {}
    for asset in root.named("asset"):
        leftovers.list_children(asset, ("mesh", "material", "texture"))
        for each in asset.named("mesh"):
            mesh = _mesh(defaults.applied(each, MAIN), settings, leftovers)
            if mesh.name in meshes:
                each.fail(f"there is a mesh {shown(mesh.name)} in line {meshes[mesh.name].line} already; names differ")
            meshes[mesh.name] = mesh
    return meshes


def _mesh(element: Element, settings: CompilerSettings, leftovers: Leftovers) -> MjcfMesh:
    leftovers.list_attributes(element, (*_READ, *_WITHOUT_EFFECT))
    leftovers.list_children(element, ())
    file = element.attributes.get("file", "").strip()
    name = element.attributes.get("name", "").strip() or PurePosixPath(file).stem
    if not name:
        element.fail("a mesh has neither name nor file; give it both, or a name and vertices")
    owner = f"mesh {shown(name)}"
    vertices = _points(element, "vertex", owner, "m")
    faces = _points(element, "face", owner, "1")
    if file and vertices is not None:
        element.fail(f"{owner}: it has a file and vertices; leave one out")
    if not file and vertices is None:
        element.fail(f"{owner}: it has neither a file nor vertices; give one of them")
    scale = values.numbers(element, "scale", owner, 3, "1", "1 1 1")
    if 0.0 in scale:
        element.fail(f"{owner}: scale is {scale}; no factor may be zero")
    reference = Frame(
        rotation_of_quaternion(element, "refquat", owner, "1 0 0 0"),
        np.array(values.numbers(element, "refpos", owner, 3, "m", "0 0 0")),
    )
    x, y, z = scale
    return MjcfMesh(
        name,
        PurePosixPath(file.replace("\\", "/")).name if settings.strip_path else file,
        vertices,
        None if faces is None else _indices(element, faces, vertices, owner),
        (x, y, z),
        reference,
        choice(element, "inertia", "legacy", *INERTIAS),
        element.line,
    )


def _points(element: Element, key: str, owner: str, unit: str) -> NDArray[np.float64] | None:
    if key not in element.attributes:
        return None
    value = element.attributes[key]
    words = value.split()
    if not words or len(words) % 3:
        element.fail(f"{owner}: {key} has {len(words)} numbers; give three for each")
    return np.array([values.number_of(element, f"{owner}: {key}", word, value, unit) for word in words]).reshape(-1, 3)


def _indices(
    element: Element, faces: NDArray[np.float64], vertices: NDArray[np.float64] | None, owner: str
) -> NDArray[np.int64]:
    if vertices is None:
        element.fail(f"{owner}: it has faces and no vertices; give both")
    whole = faces.astype(np.int64)
    if not np.array_equal(whole, faces) or whole.min() < 0 or whole.max() >= len(vertices):
        element.fail(f"{owner}: face has numbers that are no vertices; there are {len(vertices)}, from 0")
    return whole
