"""What a URDF file holds and nobody here understands: listed once, never dropped in silence."""

from __future__ import annotations

from collections.abc import Sequence

from polycontact.robots.xml_elements import Element


class Leftovers:
    """Collects what is left out, each thing once, with its line."""

    def __init__(self) -> None:
        self._found: dict[tuple[int, str], None] = {}

    def add(self, element: Element, what: str) -> None:
        """Leave ``what``, at or in ``element``, out."""
        self._found[element.line, what] = None

    def list_others(self, element: Element, known: Sequence[str], owner: str = "") -> None:
        """Leave out all elements directly inside but the ``known`` ones."""
        for child in element.children:
            if child.tag not in known:
                self.add(child, f"{owner}: <{child.tag}>" if owner else f"<{child.label}>")

    def list_attributes(self, element: Element, known: Sequence[str], owner: str) -> None:
        """Leave out all attributes but the ``known`` ones."""
        for key in element.attributes:
            if key not in known:
                self.add(element, f"{owner}: {key} of <{element.tag}>")

    def listed(self) -> tuple[str, ...]:
        """One text for each, in the order of the file."""
        return tuple(f"line {line}: {what}" for line, what in sorted(self._found))
