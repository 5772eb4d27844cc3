"""Defaults of an MJCF file: classes of attributes that elements inherit, each class from that around it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from polycontact.multibody import checks
from polycontact.robots.mjcf.mjcf_leftovers import Leftovers
from polycontact.robots.xml_elements import Element
from polycontact.surfaces.reading.source import shown

MAIN: Final = "main"
ACTUATORS: Final = (
    "general",
    "motor",
    "position",
    "velocity",
    "intvelocity",
    "damper",
    "cylinder",
    "muscle",
    "adhesion",
)
"""Tags of actuators. They share one set of defaults, so these keep their order and their tags."""

_KNOWN: Final = (
    "mesh",
    "material",
    "joint",
    "geom",
    "site",
    "pair",
    "equality",
    "default",
    *ACTUATORS,
)
_WITHOUT_EFFECT: Final = ("camera", "light", "skin", "texture", "tendon")
_PARTLY_INHERITED: Final = ("size",)
"""Attributes of which an element may give the first numbers and inherit the others."""

Attributes = Mapping[str, str]


class Defaults:
    """The <default> classes of a file, by name, each with what it inherits from the class around it."""

    def __init__(self, root: Element, leftovers: Leftovers) -> None:
        self._classes: dict[str, dict[str, Attributes]] = {MAIN: {}}
        self._actuators: dict[str, tuple[tuple[str, Attributes], ...]] = {MAIN: ()}
        waiting = [(element, MAIN, True) for element in reversed(list(root.named("default")))]
        while waiting:
            element, outer, is_top = waiting.pop()
            name = self._add(element, outer, is_top, leftovers)
            waiting += [(each, name, False) for each in reversed(list(element.named("default")))]

    def _add(self, element: Element, outer: str, is_top: bool, leftovers: Leftovers) -> str:
        name = element.attributes.get("class", MAIN if is_top else "").strip()
        if not name:
            element.fail('a <default> inside another needs a class; write <default class="…">')
        if name in self._classes and not is_top:
            element.fail(f"there is a default class {shown(name)} already; names must differ")
        leftovers.list_children(element, (*_KNOWN, *_WITHOUT_EFFECT))
        made = dict(self._classes[outer])
        actuators = list(self._actuators[outer])
        for child in element.children:
            if child.tag in ACTUATORS:
                actuators.append((child.tag, child.attributes))
            elif child.tag != "default":
                made[child.tag] = overlaid(made.get(child.tag, {}), child.attributes)
        for each in (MAIN, name) if is_top else (name,):
            self._classes[each], self._actuators[each] = made, tuple(actuators)
        return name

    def applied(self, element: Element, around: str, tag: str | None = None) -> Element:
        """An element with what it inherits: from its own class, or from that ``around`` it."""
        inherited = self._classes[self._class(element, around)].get(tag or element.tag, {})
        own = overlaid(inherited, element.attributes)
        return Element(element.file, element.tag, own, element.line, element.children)

    def actuator_chain(self, element: Element) -> Iterator[tuple[str, Attributes]]:
        """Tags and attributes of an actuator's defaults, outermost first, and at last its own."""
        yield from self._actuators[self._class(element, MAIN)]
        yield element.tag, element.attributes

    def child_class(self, element: Element, around: str) -> str:
        """The class that elements inside a body or frame inherit from."""
        name = element.attributes.get("childclass", "").strip()
        return self._known(element, name) if name else around

    def _class(self, element: Element, around: str) -> str:
        name = element.attributes.get("class", "").strip()
        return self._known(element, name) if name else around

    def _known(self, element: Element, name: str) -> str:
        try:
            return checks.known("default class", name, self._classes, element.label)
        except ValueError as error:
            element.fail(str(error))


def overlaid(inherited: Attributes, own: Attributes) -> dict[str, str]:
    """Attributes with what is inherited below them; of some the first numbers may be one's own."""
    result = {**inherited, **own}
    for key in _PARTLY_INHERITED:
        if key in inherited and key in own:
            words = own[key].split()
            result[key] = " ".join([*words, *inherited[key].split()[len(words) :]])
    orientation = ("quat", "axisangle", "euler", "xyaxes", "zaxis")
    if any(key in own for key in orientation):  # one's own orientation replaces an inherited one of another kind
        for key in orientation:
            if key not in own:
                result.pop(key, None)
    return result
