"""What names two things in an MJCF file: equalities that close loops, contacts; and key frames."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

import numpy as np
from numpy.typing import NDArray

from polycontact.multibody import checks
from polycontact.multibody.rigid_bodies import WORLD
from polycontact.multibody.rotations import from_quaternion
from polycontact.robots import xml_values as values
from polycontact.robots.mjcf.joint_equalities import LOOPS
from polycontact.robots.mjcf.mjcf_leftovers import Leftovers
from polycontact.robots.mjcf.mjcf_model import MjcfKey, MjcfLoop, MjcfSite
from polycontact.robots.parent_frames import Frame
from polycontact.robots.xml_elements import Element
from polycontact.surfaces.reading.source import shown

_READ: Final = ("name", "class", "active", "body1", "body2", "site1", "site2", "anchor", "relpose")
_WITHOUT_EFFECT: Final = ("solref", "solimp", "torquescale")

Place = Callable[[str], Frame]


class PairParser:
    """Reads what names two things. ``place`` tells where a body stands in the configuration of the file."""

    def __init__(
        self, bodies: Mapping[str, object], sites: Mapping[str, MjcfSite], place: Place, leftovers: Leftovers
    ) -> None:
        self._bodies = (WORLD, *bodies)
        self._sites = sites
        self._place = place
        self._leftovers = leftovers

    def loops(self, equalities: Mapping[str, Element]) -> dict[str, MjcfLoop]:
        """Equalities that hold two points or frames together."""
        return {name: self._loop(element, name) for name, element in equalities.items() if element.tag in LOOPS}

    def _loop(self, element: Element, name: str) -> MjcfLoop:
        owner = f"{element.tag} {shown(name)}"
        self._leftovers.list_attributes(element, (*_READ, *_WITHOUT_EFFECT))
        if "site1" in element.attributes or "site2" in element.attributes:
            first, second = (self._site(element, key, owner) for key in ("site1", "site2"))
            body_a, body_b, frame_a, frame_b = first.body, second.body, first.frame, second.frame
        else:
            body_a = self._body(element, "body1", owner)
            body_b = self._body(element, "body2", owner) if "body2" in element.attributes else WORLD
            frame_a, frame_b = self._frames(element, body_a, body_b, owner)
        if body_a == body_b:
            element.fail(f"{owner}: both ends are on body {shown(body_a)}; name two bodies")
        return MjcfLoop(name, element.tag, body_a, body_b, frame_a, frame_b, element.line)

    def _frames(self, element: Element, body_a: str, body_b: str, owner: str) -> tuple[Frame, Frame]:
        """Frames on both bodies that coincide in the configuration of the file, or as relpose says."""
        b_in_a = self._place(body_a).inverse().then(self._place(body_b))
        if element.tag == "connect":
            anchor = np.array(values.numbers(element, "anchor", owner, 3, "m"))
            on_a = Frame(np.eye(3), anchor)
            return on_a, b_in_a.inverse().then(on_a)
        anchor = np.array(values.numbers(element, "anchor", owner, 3, "m", "0 0 0"))
        given = np.array(values.numbers(element, "relpose", owner, 7, "m and a quaternion", "0 1 0 0 0 0 0"))
        if np.linalg.norm(given[3:]) > 0.0:
            b_in_a = Frame(from_quaternion(given[3:]), given[:3])
        on_b = Frame(np.eye(3), anchor)
        return b_in_a.then(on_b), on_b

    def excludes(self, root: Element) -> tuple[tuple[str, str], ...]:
        """Pairs of bodies that never touch."""
        return tuple(
            (self._body(each, "body1", "exclude"), self._body(each, "body2", "exclude"))
            for section in root.named("contact")
            for each in section.named("exclude")
        )

    def pairs(self, root: Element, owner_of_geom: Mapping[str, str]) -> tuple[tuple[tuple[str, str], ...], set[str]]:
        """Pairs of bodies whose contact is listed, each once, and the names of their geoms."""
        found: dict[tuple[str, str], None] = {}
        geoms: set[str] = set()
        for section in root.named("contact"):
            self._leftovers.list_children(section, ("exclude", "pair"))
            for each in section.named("pair"):
                names = [_known(each, "geom", key, owner_of_geom, "pair") for key in ("geom1", "geom2")]
                geoms.update(names)
                found[owner_of_geom[names[0]], owner_of_geom[names[1]]] = None
                known = ("name", "class", "geom1", "geom2")
                self._leftovers.list_attributes(each, known, {"condim": "3", "margin": "0", "gap": "0"})
        return tuple(found), geoms

    def _body(self, element: Element, key: str, owner: str) -> str:
        return _known(element, "body", key, self._bodies, owner)

    def _site(self, element: Element, key: str, owner: str) -> MjcfSite:
        return self._sites[_known(element, "site", key, self._sites, owner)]


def parse_keys(root: Element, n_qpos: int, n_qvel: int, n_ctrl: int) -> dict[str, MjcfKey]:
    """Key frames by name; one without a name has its number."""
    keys: dict[str, MjcfKey] = {}
    for section in root.named("keyframe"):
        for element in section.named("key"):
            name = element.attributes.get("name", "").strip() or f"key {len(keys)}"
            if name in keys:
                element.fail(f"there is a key {shown(name)} already; names must differ")
            keys[name] = MjcfKey(
                name,
                _values(element, "qpos", n_qpos),
                _values(element, "qvel", n_qvel),
                _values(element, "ctrl", n_ctrl),
                element.line,
            )
    return keys


def _values(element: Element, key: str, count: int) -> NDArray[np.float64] | None:
    if key not in element.attributes:
        return None
    words = element.attributes[key].split()
    if len(words) != count:
        element.fail(f"{element.label}: {key} has {len(words)} numbers, and the model {count}; correct it")
    owner = f"{element.label}: {key}"
    return np.array([values.number_of(element, owner, word, element.attributes[key], "SI units") for word in words])


def _known(element: Element, what: str, key: str, names: Mapping[str, object] | tuple[str, ...], owner: str) -> str:
    name = values.text(element, key, owner)
    try:
        return checks.known(what, name, names, owner)
    except ValueError as error:
        element.fail(str(error))
