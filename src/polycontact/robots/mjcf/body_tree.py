"""Bodies of an MJCF file, from the world outwards: each with its joints, geoms and sites, frames dissolved."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Final, NamedTuple

from polycontact.multibody.rigid_bodies import WORLD
from polycontact.robots.mjcf.defaults import MAIN, Defaults
from polycontact.robots.mjcf.geom_parsing import GeomParser
from polycontact.robots.mjcf.masses import BodyMasses, scaled_to
from polycontact.robots.mjcf.mjcf_joints import parse_joint
from polycontact.robots.mjcf.mjcf_leftovers import Leftovers
from polycontact.robots.mjcf.mjcf_model import N_QVEL, MjcfBody, MjcfGeom, MjcfJoint, MjcfSite
from polycontact.robots.mjcf.mjcf_placement import PLACEMENT, parse_frame
from polycontact.robots.mjcf.settings import CompilerSettings
from polycontact.robots.parent_frames import Frame, identity_frame
from polycontact.robots.xml_elements import Element
from polycontact.surfaces.reading.source import shown

MAX_BODIES: Final = 5000
"""Most bodies of a model; the largest humanoids have some hundred."""

MOST_SPEEDS: Final = 6
"""Degrees of freedom of a body against its parent; MuJoCo allows no more either."""

_READ: Final = ("inertial", "joint", "freejoint", "geom", "site", "body", "frame")
_WITHOUT_EFFECT: Final = ("camera", "light")
_MAKES_BODIES: Final = ("replicate", "attach", "composite", "flexcomp")
_BODY_ATTRIBUTES: Final = (*PLACEMENT, "name", "childclass", "user", "sleep")
_HARMLESS: Final = {"gravcomp": "0", "mocap": "false"}


class _Inside(NamedTuple):
    """An element of a body: the frame in which it stands, in the body, and the default class around it."""

    element: Element
    around: Frame
    class_around: str


class _Waiting(NamedTuple):
    """A body that is yet to be read: its element, its parent's name, the frame around it in the parent, the class."""

    element: Element
    parent: str
    around: Frame
    class_around: str


@dataclass(eq=False)
class BodyTree:
    """All bodies, joints, geoms and sites of a model, as far as they were read."""

    settings: CompilerSettings
    defaults: Defaults
    geom_parser: GeomParser
    masses: BodyMasses
    leftovers: Leftovers
    bodies: dict[str, MjcfBody] = field(default_factory=dict)
    joints: dict[str, MjcfJoint] = field(default_factory=dict)
    sites: dict[str, MjcfSite] = field(default_factory=dict)
    world_geoms: list[MjcfGeom] = field(default_factory=list)
    owner_of_geom: dict[str, str] = field(default_factory=dict)

    def read(self, root: Element) -> None:
        """Read all <worldbody> elements."""
        waiting: list[_Waiting] = []
        taken = _names_in_file(root)
        for world in root.named("worldbody"):
            self.leftovers.list_attributes(world, ())
            inside = list(self._inside(world, MAIN))
            for each in inside:
                if each.element.tag in ("joint", "freejoint", "inertial"):
                    each.element.fail(f"<{each.element.tag}> in the world, which does not move; put it into a <body>")
            self.world_geoms += self._geoms(inside, WORLD)
            self._sites(inside, WORLD)
            waiting += [_Waiting(each.element, WORLD, each.around, each.class_around) for each in _bodies(inside)]
        waiting.reverse()
        while waiting:
            waiting += reversed(self._read_body(waiting.pop(), taken))
        self._set_total_mass()
        self._rename_joints()

    def _read_body(self, waiting: _Waiting, taken: set[str]) -> list[_Waiting]:
        """Read one body; returns those that it carries."""
        element, parent = waiting.element, waiting.parent
        name = element.attributes.get("name", "").strip() or _free_name(f"body {len(self.bodies) + 1}", taken)
        owner = f"body {shown(name)}"
        if name == WORLD:
            element.fail(f"{owner}: this is the name of the world itself; choose another")
        if name in self.bodies:
            element.fail(f"there is a {owner} in line {self.bodies[name].line} already; names must differ")
        if len(self.bodies) >= MAX_BODIES:
            element.fail(f"the model has more than {MAX_BODIES} bodies; divide it into several")
        self.leftovers.list_attributes(element, _BODY_ATTRIBUTES, _HARMLESS)
        frame = waiting.around.then(parse_frame(element, self.settings, owner))
        inside = list(self._inside(element, self.defaults.child_class(element, waiting.class_around)))
        joints = self._joints(inside, name, parent)
        geoms = tuple(self._geoms(inside, name))
        self._sites(inside, name)
        mass = self.masses.of_body(element, owner, geoms)
        self.bodies[name] = MjcfBody(name, parent, frame, mass, joints, geoms, element.line)
        return [_Waiting(each.element, name, each.around, each.class_around) for each in _bodies(inside)]

    def _inside(self, element: Element, class_around: str) -> Iterator[_Inside]:
        """What stands in a body, in the order of the file; frames are dissolved."""
        waiting = [_Inside(child, identity_frame(), class_around) for child in reversed(element.children)]
        while waiting:
            each = waiting.pop()
            child = each.element
            if child.tag == "frame":
                inner = each.around.then(parse_frame(child, self.settings, child.label))
                its_class = self.defaults.child_class(child, each.class_around)
                self.leftovers.list_attributes(child, (*PLACEMENT, "name", "childclass"))
                waiting += [_Inside(grandchild, inner, its_class) for grandchild in reversed(child.children)]
            elif child.tag in _READ:
                yield each
            elif child.tag in _MAKES_BODIES:
                child.fail(
                    f"<{child.tag}> makes bodies of its own, and is not read; let MuJoCo write the whole model out: "
                    f"load it there, and mj_saveLastXML"
                )
            elif child.tag not in _WITHOUT_EFFECT:
                self.leftovers.add(child, f"<{child.tag}> in <{element.tag}>")

    def _joints(self, inside: list[_Inside], body: str, parent: str) -> tuple[MjcfJoint, ...]:
        found = [each for each in inside if each.element.tag in ("joint", "freejoint")]
        made: list[MjcfJoint] = []
        n_speeds = 0
        for k, (element, around, its_class) in enumerate(found):
            if element.tag == "joint":
                element = self.defaults.applied(element, its_class)
            unnamed = body if len(found) == 1 else f"{body} joint {k + 1}"
            name = element.attributes.get("name", "").strip() or unnamed
            if name in self.joints:
                element.fail(
                    f"there is a joint {shown(name)} in line {self.joints[name].line} already; names must differ"
                )
            joint = parse_joint(element, name, body, around, self.settings, self.leftovers)
            if joint.kind == "free" and (len(found) > 1 or parent != WORLD):
                element.fail(
                    f"joint {shown(name)}: a free joint is the only one of a body that stands in the world directly; "
                    f"take three slides and a ball elsewhere"
                )
            n_speeds += N_QVEL[joint.kind]
            if n_speeds > MOST_SPEEDS:
                element.fail(
                    f"body {shown(body)}: its {len(found)} joints give it more than {MOST_SPEEDS} degrees of freedom, "
                    f"which a body cannot have; leave out those from joint {shown(name)} on, or give each its own body"
                )
            self.joints[name] = joint
            made.append(joint)
        return tuple(made)

    def _geoms(self, inside: list[_Inside], body: str) -> Iterator[MjcfGeom]:
        for element, around, its_class in inside:
            if element.tag != "geom":
                continue
            geom = self.geom_parser.parse(self.defaults.applied(element, its_class), around, f"body {shown(body)}")
            if geom is None:
                continue
            if geom.name in self.owner_of_geom:
                element.fail(f"there is a geom {shown(geom.name)} already; names must differ")
            if geom.name:
                self.owner_of_geom[geom.name] = body
            yield geom

    def _sites(self, inside: list[_Inside], body: str) -> None:
        for element, around, its_class in inside:
            if element.tag != "site":
                continue
            own = self.defaults.applied(element, its_class)
            name = own.attributes.get("name", "").strip()
            if "fromto" in own.attributes:
                self.leftovers.add(element, "fromto of <site>: it is no marker")
            elif name in self.sites:
                element.fail(f"there is a site {shown(name)} already; names must differ")
            elif name:
                frame = around.then(parse_frame(own, self.settings, f"site {shown(name)}"))
                self.sites[name] = MjcfSite(name, body, frame)

    def _set_total_mass(self) -> None:
        if self.settings.total_mass is None:
            return
        masses = scaled_to(self.settings.total_mass, {name: body.mass for name, body in self.bodies.items()})
        self.bodies = {name: replace(body, mass=masses[name]) for name, body in self.bodies.items()}

    def _rename_joints(self) -> None:
        """In a system a joint must not have the name of a body that it does not carry; in the file it may."""
        last = {body.joints[-1].name: name for name, body in self.bodies.items() if body.joints}
        new_names: dict[str, str] = {}
        for name in self.joints:
            if name in self.bodies and last.get(name) != name:
                new_names[name] = _free_name(f"{name} joint", {*self.joints, *self.bodies})
        if not new_names:
            return
        for old, new in new_names.items():
            where = Element(self.leftovers.main, "joint", {}, self.joints[old].line)
            self.leftovers.add(where, f"the name of joint {shown(old)}, which a body has: it is called {shown(new)}")
        joints = [replace(joint, name=new_names.get(joint.name, joint.name)) for joint in self.joints.values()]
        self.joints = {joint.name: joint for joint in joints}
        self.new_names = new_names
        by_body: dict[str, list[MjcfJoint]] = {}
        for joint in joints:
            by_body.setdefault(joint.body, []).append(joint)
        self.bodies = {name: replace(body, joints=tuple(by_body.get(name, ()))) for name, body in self.bodies.items()}

    new_names: dict[str, str] = field(default_factory=dict)
    """Names of joints in the file that had to be changed, and what they have become."""

    def joints_of_the_file(self) -> dict[str, MjcfJoint]:
        """The joints by the names that the rest of the file has for them."""
        return {**self.joints, **{old: self.joints[new] for old, new in self.new_names.items()}}


def _bodies(inside: list[_Inside]) -> list[_Inside]:
    return [each for each in inside if each.element.tag == "body"]


def _names_in_file(root: Element) -> set[str]:
    """Names of all elements; names that are made up must differ from them."""
    names = {WORLD}
    waiting = [root]
    while waiting:
        element = waiting.pop()
        names.add(element.attributes.get("name", "").strip())
        waiting += element.children
    return names


def _free_name(name: str, taken: set[str]) -> str:
    while name in taken:
        name += "′"
    taken.add(name)
    return name
