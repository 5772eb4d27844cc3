"""Geoms of an MJCF file: kinds, sizes, places, and what counts of them for mass, contact and picture."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import numpy as np

from polycontact.multibody import checks
from polycontact.robots import xml_values as values
from polycontact.robots.mjcf.mjcf_leftovers import Leftovers
from polycontact.robots.mjcf.mjcf_model import MESH, PLANE, MjcfGeom
from polycontact.robots.mjcf.mjcf_placement import PLACEMENT, along, parse_frame
from polycontact.robots.mjcf.settings import CompilerSettings
from polycontact.robots.parent_frames import Frame
from polycontact.robots.xml_elements import Element
from polycontact.surfaces.reading.source import shown

_SIZES: Final = {PLANE: 0, "sphere": 1, "capsule": 2, "cylinder": 2, "ellipsoid": 3, "box": 3, MESH: 0}
"""How many numbers of its size each kind of geom needs."""

_FROM_TO: Final = ("capsule", "cylinder", "ellipsoid", "box")
_NOT_READ: Final = ("hfield", "sdf")
_READ: Final = (
    *PLACEMENT,
    "name",
    "class",
    "type",
    "size",
    "fromto",
    "mesh",
    "mass",
    "density",
    "shellinertia",
    "contype",
    "conaffinity",
    "group",
    "friction",
    "rgba",
    "material",
)
_WITHOUT_EFFECT: Final = ("user", "fitscale", "fluidcoef")
_HARMLESS: Final = {"margin": "0", "gap": "0", "condim": "3", "priority": "0", "fluidshape": "none"}
_PLANE_SIZE: Final = 10.0
"""Half width of what stands for a plane, m, unless the file draws a larger one: planes of MuJoCo have no end."""

_PLANE_DEPTH: Final = 1.0
"""Thickness of that plate, m."""


class GeomParser:
    """Makes geoms of elements; ``colours`` by names of materials, ``meshes`` are names of assets."""

    def __init__(
        self, settings: CompilerSettings, colours: Mapping[str, str], meshes: Mapping[str, object], leftovers: Leftovers
    ) -> None:
        self._settings = settings
        self._colours = colours
        self._meshes = meshes
        self._leftovers = leftovers

    def parse(self, element: Element, around: Frame, owner: str) -> MjcfGeom | None:
        """The geom of an element, which stands in the frame ``around``; None for one that is left out and listed."""
        name = element.attributes.get("name", "").strip()
        owner = f"{owner}: geom {shown(name)}" if name else f"{owner}: geom"
        self._leftovers.list_attributes(element, (*_READ, *_WITHOUT_EFFECT), _HARMLESS)
        self._leftovers.list_children(element, ())
        kind = element.attributes.get("type", "sphere").strip()
        if kind == "hfield":  # it has no mass, so that nothing else depends on it
            self._leftovers.add(element, "<geom> of the type hfield: a height field")
            return None
        if kind not in _SIZES:
            hint = "; it has a mass and a shape of its own: put a mesh in its place" if kind in _NOT_READ else ""
            element.fail(f"{owner}: type is {shown(kind)}; read are {', '.join(_SIZES)}{hint}")
        if values_are_true(element, "shellinertia"):
            element.fail(f"{owner}: shellinertia is not read; give the body an <inertial> instead")
        mesh = self._mesh(element, kind, owner)
        frame, size = self._frame_and_size(element, kind, owner)
        if kind == PLANE:
            frame = frame.then(Frame(np.eye(3), np.array([0.0, 0.0, -0.5 * _PLANE_DEPTH])))
            self._leftovers.add(
                element,
                f"<geom> of the type plane: in place of a plane without end, a plate of {size[0]:g} m × {size[1]:g} m",
            )
        integers = {key: _integer(element, key, owner, default) for key, default in _INTEGERS.items()}
        return MjcfGeom(
            name,
            kind,
            _arguments(kind, size),
            around.then(frame),
            mesh,
            bool(integers["contype"] or integers["conaffinity"]),
            values.number(element, "mass", owner, "kg", negative=False) if "mass" in element.attributes else None,
            values.number(element, "density", owner, "kg/m³", "1000", negative=False),
            integers["group"],
            _first(element, "friction", owner, 1.0),
            self._colour(element, owner),
            element.line,
        )

    def _mesh(self, element: Element, kind: str, owner: str) -> str:
        name = element.attributes.get("mesh", "").strip()
        if kind != MESH:
            if name:
                element.fail(
                    f"{owner}: a {kind} is to be fitted to the mesh {shown(name)}, which is not done here; write "
                    f'type="mesh" for the mesh itself, or give the {kind} its size'
                )
            return ""
        if not name:
            element.fail(f'{owner}: it is a mesh, and names none; write mesh="…"')
        try:
            return checks.known("mesh", name, self._meshes, owner)
        except ValueError as error:
            element.fail(str(error))

    def _frame_and_size(self, element: Element, kind: str, owner: str) -> tuple[Frame, list[float]]:
        """Place and dimensions: half lengths, as the file has them, but for planes, whose plate it is."""
        if kind == MESH:
            return parse_frame(element, self._settings, owner), []
        size = _up_to(element, "size", owner, 3, "m")
        if kind == PLANE:
            frame = parse_frame(element, self._settings, owner)
            return frame, [2.0 * max(_PLANE_SIZE, *size[i : i + 1]) for i in range(2)]
        if "fromto" in element.attributes:
            if kind not in _FROM_TO:
                element.fail(f"{owner}: fromto is given, and a {kind} has no two ends; give it pos and size")
            frame, half = _from_to(element, owner)
            size = [*size[:1], half] if kind in ("capsule", "cylinder") else [*size[:1], *size[:1], half]
        else:
            frame = parse_frame(element, self._settings, owner)
        count = _SIZES[kind]
        if len(size) < count or min(size[:count]) <= 0.0:
            element.fail(
                f"{owner}: size is {shown(element.attributes.get('size', ''))}; a {kind} needs {count} positive "
                f"numbers, half lengths in m"
            )
        return frame, size[:count]

    def _colour(self, element: Element, owner: str) -> str | None:
        if "rgba" in element.attributes:
            return parse_colour(element, owner)
        name = element.attributes.get("material", "").strip()
        return self._colours.get(name)


def parse_colour(element: Element, owner: str) -> str:
    """ "#rrggbb" of an rgba; parts beyond 0 and 1 are taken as these."""
    rgba = values.numbers(element, "rgba", owner, 4, "1")
    return "#" + "".join(f"{round(255 * min(1.0, max(0.0, part))):02x}" for part in rgba[:3])


def values_are_true(element: Element, key: str) -> bool:
    """Whether the attribute ``key`` is "true"; false where it is missing."""
    return element.attributes.get(key, "false").strip() == "true"


_INTEGERS: Final = {"contype": 1, "conaffinity": 1, "group": 0}


def _integer(element: Element, key: str, owner: str, default: int) -> int:
    value = values.number(element, key, owner, "1", str(default))
    if value != int(value) or abs(value) > 2**31:
        element.fail(f"{owner}: {key} is {value:g}; give a whole number")
    return int(value)


def _first(element: Element, key: str, owner: str, default: float) -> float:
    numbers = _up_to(element, key, owner, 3, "1")
    return numbers[0] if numbers else default


def _up_to(element: Element, key: str, owner: str, most: int, unit: str) -> list[float]:
    """The numbers of an attribute, at most so many; empty where it is missing."""
    value = element.attributes.get(key, "")
    words = value.split(maxsplit=most)
    if len(words) > most:
        element.fail(f"{owner}: {key} is {shown(value)}; expected at most {most} numbers, in {unit}")
    return [values.number_of(element, f"{owner}: {key}", word, value, unit) for word in words]


def _from_to(element: Element, owner: str) -> tuple[Frame, float]:
    """Middle and half length of a geom between two points, its z axis from the second to the first."""
    ends = np.array(values.numbers(element, "fromto", owner, 6, "m"))
    vector = ends[:3] - ends[3:]
    length = float(np.linalg.norm(vector))
    if not length > 0.0:
        element.fail(f"{owner}: fromto names one point twice; give two")
    return Frame(along(vector / length), 0.5 * (ends[:3] + ends[3:])), 0.5 * length


def _arguments(kind: str, size: list[float]) -> dict[str, Any]:
    """Arguments of the shape of ``polycontact.shapes``; that of a plane is a box."""
    if kind == MESH:
        return {}
    if kind == PLANE:
        return {"size": (*size, _PLANE_DEPTH)}
    if kind == "sphere":
        return {"radius": size[0]}
    if kind in ("capsule", "cylinder"):
        return {"radius": size[0], "length": 2.0 * size[1]}
    if kind == "ellipsoid":
        return {"semi_axes": tuple(size)}
    return {"size": tuple(2.0 * half for half in size)}
