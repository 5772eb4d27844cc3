"""Settings of an MJCF file: <compiler>, which says how to read the rest, and <option>."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from polycontact.robots import xml_values as values
from polycontact.robots.mjcf.mjcf_leftovers import Leftovers
from polycontact.robots.xml_elements import Element
from polycontact.surfaces.reading.source import shown

_READ: Final = (
    "angle",
    "coordinate",
    "eulerseq",
    "meshdir",
    "assetdir",
    "strippath",
    "autolimits",
    "inertiafromgeom",
    "inertiagrouprange",
    "boundmass",
    "boundinertia",
    "settotalmass",
    "balanceinertia",
)
_WITHOUT_EFFECT: Final = (
    "texturedir",
    "discardvisual",
    "usethread",
    "fusestatic",
    "saveinertial",
    "exactmeshinertia",
    "convexhull",
    "fitaabb",
    "conflict",
    "lengthrange",
)
_GRAVITY: Final = "0 0 -9.81"
_TIMESTEP: Final = "0.002"


@dataclass(frozen=True)
class CompilerSettings:
    """What <compiler> says. ``angle_unit`` in rad; ``euler_sequence``: axes, small letters turn with the frame.

    ``inertia_from_geoms``: "auto", "true" or "false"; ``total_mass`` (kg) is None where it is not set.
    """

    angle_unit: float = math.radians(1.0)
    euler_sequence: str = "xyz"
    mesh_folder: str = ""
    strip_path: bool = False
    auto_limits: bool = True
    inertia_from_geoms: str = "auto"
    inertia_groups: tuple[int, int] = (0, 5)
    least_mass: float = 0.0
    least_inertia: float = 0.0
    total_mass: float | None = None
    balance_inertia: bool = False


def parse_compiler(root: Element, leftovers: Leftovers) -> CompilerSettings:
    """The settings of all <compiler> elements; later ones come before earlier ones."""
    merged: dict[str, str] = {}
    last = root
    for element in root.named("compiler"):
        leftovers.list_attributes(element, (*_READ, *_WITHOUT_EFFECT), {"alignfree": "false"})
        leftovers.list_children(element, ("lengthrange",))
        merged.update(element.attributes)
        last = element
    element = Element(last.file, "compiler", merged, last.line)
    if merged.get("coordinate", "local") != "local":
        element.fail(
            f"compiler: coordinate is {shown(merged['coordinate'])}, which MuJoCo itself has given up; save the model "
            f"with local coordinates"
        )
    low, high = values.numbers(element, "inertiagrouprange", "compiler", 2, "1", "0 5")
    total = values.number(element, "settotalmass", "compiler", "kg", "-1")
    return CompilerSettings(
        angle_unit={"degree": math.radians(1.0), "radian": 1.0}[choice(element, "angle", "degree", "degree", "radian")],
        euler_sequence=_sequence(element),
        mesh_folder=merged.get("meshdir", merged.get("assetdir", "")),
        strip_path=switch(element, "strippath", False),
        auto_limits=switch(element, "autolimits", True),
        inertia_from_geoms=choice(element, "inertiafromgeom", "auto", "auto", "true", "false"),
        inertia_groups=(int(low), int(high)),
        least_mass=values.number(element, "boundmass", "compiler", "kg", "0", negative=False),
        least_inertia=values.number(element, "boundinertia", "compiler", "kg m²", "0", negative=False),
        total_mass=total if total > 0.0 else None,
        balance_inertia=switch(element, "balanceinertia", False),
    )


@dataclass(frozen=True, eq=False)
class ModelOptions:
    """What <option> says: ``gravity`` (3,) m/s² and ``timestep`` (s)."""

    gravity: NDArray[np.float64]
    timestep: float


def parse_options(root: Element, leftovers: Leftovers) -> ModelOptions:
    """The settings of all <option> elements."""
    merged: dict[str, str] = {}
    last, weightless = root, False
    for element in root.named("option"):
        harmless = {"wind": "0 0 0", "density": "0", "viscosity": "0", "magnetic": "0 -0.5 0"}
        leftovers.list_attributes(element, ("gravity", "timestep"), harmless)
        leftovers.list_children(element, ("flag",))
        merged.update(element.attributes)
        last = element
        for flag in element.named("flag"):
            leftovers.list_attributes(flag, ("gravity",))
            if "gravity" in flag.attributes:
                weightless = choice(flag, "gravity", "enable", "enable", "disable") == "disable"
    element = Element(last.file, "option", merged, last.line)
    gravity = np.array(values.numbers(element, "gravity", "option", 3, "m/s²", _GRAVITY))
    return ModelOptions(
        np.zeros(3) if weightless else gravity,
        values.number(element, "timestep", "option", "s", _TIMESTEP, positive=True),
    )


def choice(element: Element, key: str, default: str, *allowed: str) -> str:
    """A word out of those ``allowed``."""
    value = element.attributes.get(key, default).strip()
    if value not in allowed:
        element.fail(f"{element.label}: {key} is {shown(value)}; allowed: {', '.join(allowed)}")
    return value


def switch(element: Element, key: str, default: bool) -> bool:
    """Whether a switch is true."""
    return choice(element, key, "true" if default else "false", "true", "false") == "true"


def _sequence(element: Element) -> str:
    sequence = element.attributes.get("eulerseq", "xyz").strip()
    if len(sequence) != 3 or any(axis not in "xyzXYZ" for axis in sequence):
        element.fail(f"compiler: eulerseq is {shown(sequence)}; give three of x, y, z, X, Y, Z, such as xyz or XYZ")
    return sequence
