"""Links of a URDF file: inertia, shapes and colours."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from polycontact.errors import MultibodyError
from polycontact.multibody.rigid_bodies import RigidMass, check_inertia
from polycontact.robots import xml_values as values
from polycontact.robots.parent_frames import Frame
from polycontact.robots.urdf.urdf_leftovers import Leftovers
from polycontact.robots.urdf.urdf_robot import PRIMITIVES, UrdfLink, UrdfShape
from polycontact.robots.xml_elements import Element
from polycontact.surfaces.reading.source import shown

Colours = Mapping[str, str]

_MOMENTS = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")


def parse_link(element: Element, colours: Colours, leftovers: Leftovers) -> UrdfLink:
    """The mass properties and shapes of a <link> element; what it has besides goes to ``leftovers``."""
    name = values.text(element, "name", "a link")
    owner = f"link {shown(name)}"
    leftovers.list_others(element, ("inertial", "visual", "collision"), owner)
    return UrdfLink(
        name,
        _mass(element.only("inertial"), owner, leftovers),
        tuple(_shape(each, owner, colours, leftovers) for each in element.named("visual")),
        tuple(_shape(each, owner, colours, leftovers) for each in element.named("collision")),
        element.line,
    )


def parse_frame(element: Element, owner: str, leftovers: Leftovers) -> Frame:
    """The <origin> of an element; the identity where there is none."""
    origin = element.only("origin")
    if origin is not None:
        leftovers.list_attributes(origin, ("xyz", "rpy", "quat_xyzw"), owner)
    return Frame(values.rotation(origin, owner), values.vector(origin, "xyz", owner, "m"))


def parse_colours(robot: Element, leftovers: Leftovers) -> Colours:
    """Colours of all named materials: those of the robot before those of single links."""
    visuals = (visual for link in robot.named("link") for visual in link.named("visual"))
    inside = [material for visual in visuals for material in visual.named("material")]
    colours: dict[str, str] = {}
    for material in (*robot.named("material"), *inside):
        name = material.attributes.get("name", "")
        colour = _colour(material, leftovers)
        if name and colour is not None:
            colours.setdefault(name, colour)
    for material in (*robot.named("material"), *inside):
        for texture in material.named("texture"):
            leftovers.add(texture, f"{material.label}: its texture")
    return colours


def _mass(element: Element | None, owner: str, leftovers: Leftovers) -> RigidMass | None:
    """Mass properties in the link's frame; None where there is no <inertial> or all of it is zero."""
    if element is None:
        return None
    leftovers.list_others(element, ("origin", "mass", "inertia"), f"{owner}: inertial")
    mass_element, inertia_element = element.only("mass"), element.only("inertia")
    if mass_element is None or inertia_element is None:
        missing = "mass" if mass_element is None else "inertia"
        element.fail(f"{owner}: <inertial> has no <{missing}>; add it, or leave the whole <inertial> out")
    mass = values.number(mass_element, "value", f"{owner}: mass", "kg", negative=False)
    moments = {key: values.number(inertia_element, key, f"{owner}: inertia", "kg m²") for key in _MOMENTS}
    frame = parse_frame(element, f"{owner}: inertial", leftovers)
    if mass == 0.0 and not any(moments.values()):
        return None
    if mass == 0.0:
        mass_element.fail(
            f"{owner}: mass is 0 kg, and its inertia is not; give a positive mass, or leave the whole <inertial> out"
        )
    own = np.array([[moments["i" + "".join(sorted(a + b))] for b in "xyz"] for a in "xyz"])
    inertia = frame.rotation @ own @ frame.rotation.T
    try:
        check_inertia(owner, own)
    except MultibodyError as error:
        inertia_element.fail(str(error))
    return RigidMass(mass, frame.position, 0.5 * (inertia + inertia.T))


def _shape(element: Element, owner: str, colours: Colours, leftovers: Leftovers) -> UrdfShape:
    """The shape of a <visual> or <collision>."""
    owner = f"{owner}: {element.tag}"
    leftovers.list_others(element, ("origin", "geometry", "material"), owner)
    geometry = element.only("geometry")
    if geometry is None or not geometry.children:
        element.fail(f"{owner} has no geometry; give it {_allowed()}, or leave it out")
    if len(geometry.children) > 1:
        geometry.children[1].fail(f"{owner} has two geometries; give each a <{element.tag}> of its own")
    (found,) = geometry.children
    frame = parse_frame(element, owner, leftovers)
    colour = _shape_colour(element, owner, colours, leftovers)
    if found.tag == "mesh":
        leftovers.list_attributes(found, ("filename", "scale"), owner)
        scale = values.vector(found, "scale", f"{owner}: mesh", "1", "1 1 1")
        if not scale.all():
            found.fail(f"{owner}: mesh: scale is {scale.tolist()}; no factor may be zero")
        file = values.text(found, "filename", owner)
        x, y, z = scale.tolist()
        return UrdfShape("mesh", {}, frame, found.line, file, (x, y, z), colour)
    if found.tag not in PRIMITIVES:
        found.fail(f"{owner}: <{found.tag}> is not read; give it {_allowed()}")
    return UrdfShape(found.tag, _dimensions(found, f"{owner}: {found.tag}"), frame, found.line, colour=colour)


def _dimensions(element: Element, owner: str) -> dict[str, Any]:
    """Arguments of the function of ``polycontact.shapes``; the axis of a cylinder is z there as well."""
    if element.tag == "box":
        size = values.numbers(element, "size", owner, 3, "m")
        if min(size) <= 0.0:
            element.fail(f"{owner}: size is {size} m; all edges must be positive")
        return {"size": tuple(size)}
    keys = ("radius", "length") if element.tag == "cylinder" else ("radius",)
    return {key: values.number(element, key, owner, "m", positive=True) for key in keys}


def _shape_colour(element: Element, owner: str, colours: Colours, leftovers: Leftovers) -> str | None:
    material = element.only("material")
    if material is None:
        return None
    name = material.attributes.get("name", "")
    if material.only("color") is not None:
        return _colour(material, leftovers)
    if name and name not in colours and material.only("texture") is None:
        leftovers.add(material, f"{owner}: material {shown(name)}, whose colour the file does not tell")
    return colours.get(name)


def _colour(material: Element, leftovers: Leftovers) -> str | None:
    """ "#rrggbb" of a <material>; None where it has no colour, or one that is none."""
    element = material.only("color")
    if element is None:
        return None
    rgba = values.numbers(element, "rgba", material.label, 4, "1")
    if not all(0.0 <= part <= 1.0 for part in rgba):
        leftovers.add(element, f"{material.label}: the colour {rgba}, whose parts must lie between 0 and 1")
        return None
    return "#" + "".join(f"{round(255 * part):02x}" for part in rgba[:3])


def _allowed() -> str:
    return ", ".join(f"<{kind}>" for kind in PRIMITIVES) + " or <mesh>"
