"""What an MJCF file holds and nobody here understands: listed by kind, with the first place and how often."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from polycontact.robots.xml_elements import Element


class Leftovers:
    """Collects what is left out; equal things of many elements make one entry. ``main`` is the name of the file."""

    def __init__(self, main: str) -> None:
        self.main = main
        self._found: dict[str, tuple[Element, int]] = {}

    def add(self, element: Element, what: str) -> None:
        """Leave ``what``, at or in ``element``, out."""
        first, count = self._found.get(what, (element, 0))
        self._found[what] = (first, count + 1)

    def list_children(self, element: Element, known: Collection[str]) -> None:
        """Leave out all elements directly inside but the ``known`` ones."""
        for child in element.children:
            if child.tag not in known:
                self.add(child, f"<{child.tag}> in <{element.tag}>")

    def list_attributes(
        self, element: Element, known: Collection[str], harmless: Mapping[str, str] | None = None
    ) -> None:
        """Leave out all attributes but the ``known`` ones, and those whose value is the ``harmless`` one."""
        for key, value in element.attributes.items():
            if key in known or _is_harmless_value((harmless or {}).get(key), value):
                continue
            self.add(element, f"{key} of <{element.tag}>")

    def listed(self) -> tuple[str, ...]:
        """One text for each, in the order of the files."""
        by_place = sorted(
            self._found.items(), key=lambda each: (each[1][0].file != self.main, each[1][0].file, each[1][0].line)
        )
        return tuple(
            f"{'' if first.file == self.main else first.file + ': '}line {first.line}: {what}"
            + (f" ({count} times)" if count > 1 else "")
            for what, (first, count) in by_place
        )


def _is_harmless_value(harmless: str | None, value: str) -> bool:
    """Whether a value is the harmless one, as the same text or the same numbers written otherwise."""
    if harmless is None:
        return False
    if harmless == value.strip():
        return True
    try:
        return [float(word) for word in harmless.split()] == [float(word) for word in value.split()]
    except ValueError:
        return False
