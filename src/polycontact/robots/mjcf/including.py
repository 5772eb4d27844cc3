"""An MJCF file with all that it includes, as one tree of elements."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from polycontact.errors import RobotError
from polycontact.robots.xml_elements import MAX_BYTES, MAX_ELEMENTS, Element, read_xml
from polycontact.surfaces.reading.source import shown

KIND: Final = "MJCF"

MAX_DEPTH: Final = 600
"""Deepest nesting of elements: in MJCF each body stands inside that which carries it, so a chain is as deep as long."""

MAX_INCLUDES: Final = 200
"""Most files that a model includes; the largest have a dozen."""


def read_model_elements(path: Path) -> tuple[Element, tuple[Path, ...]]:
    """The <mujoco> of an MJCF file, each <include> replaced by what the file that it names holds; and these files.

    Files are looked for beside the model, then beside the file that includes them. A file is included once, as MuJoCo
    has it, so that none can include itself.
    """
    root = read_xml(path, KIND, max_depth=MAX_DEPTH)
    if root is None or root.tag != "mujoco":
        found = "holds nothing" if root is None else f"is <{root.tag}>, in line {root.line}"
        raise RobotError(f"{path.name or path}: an MJCF file is one <mujoco> element, and this {found}; {_hint(root)}")
    inclusion = _Inclusion(path)
    inclusion.expand(root)
    return root, tuple(inclusion.files)


class _Inclusion:
    def __init__(self, main: Path) -> None:
        self._main = main
        self._seen = {_resolved(main)}
        self._n_elements = 0
        self.files: list[Path] = []

    def expand(self, root: Element) -> None:
        """Replace all includes below ``root``, also those of included files."""
        waiting = [(root, self._main, 1)]
        while waiting:
            element, file, depth = waiting.pop()
            self._count(element, depth)
            children: list[tuple[Element, Path]] = []
            for child in element.children:
                children += self._included(child, file) if child.tag == "include" else [(child, file)]
            element.children[:] = [child for child, _ in children]
            waiting += [(child, home, depth + 1) for child, home in children]

    def _included(self, element: Element, file: Path) -> list[tuple[Element, Path]]:
        """What stands in the place of an <include>, and of those that come first in the included file."""
        found: list[tuple[Element, Path]] = []
        waiting = [(element, file)]
        while waiting:
            each, home = waiting.pop()
            if each.tag != "include":
                found.append((each, home))
                continue
            path, root = self._read(each, home)
            waiting += [(child, path) for child in reversed(root.children)]
        return found

    def _read(self, element: Element, file: Path) -> tuple[Path, Element]:
        written = element.attributes.get("file", "").strip()
        if not written:
            element.fail('<include> has no file; write <include file="…"/>')
        if element.children:
            element.fail("<include> has elements inside; they belong into the file that it names")
        places = list(dict.fromkeys([self._main.parent / written, file.parent / written]))
        path = next((place for place in places if _is_file(place)), None)
        if path is None:
            looked = ", ".join(shown(str(place)) for place in places)
            element.fail(f"the included file {shown(written)} was not found; looked for {looked}; correct its path")
        if _resolved(path) in self._seen:
            element.fail(f"{shown(written)} is included twice, or includes itself; include a file once")
        if len(self._seen) > MAX_INCLUDES:
            element.fail(f"more than {MAX_INCLUDES} files are included; put some of them together")
        self._seen.add(_resolved(path))
        self.files.append(path)
        root = read_xml(path, KIND, max_depth=MAX_DEPTH, max_bytes=MAX_BYTES)
        if root is None or root.tag not in ("mujoco", "mujocoinclude"):
            element.fail(f"{shown(written)} is no part of a model: it must be one <mujocoinclude> or <mujoco>")
        return path, root

    def _count(self, element: Element, depth: int) -> None:
        self._n_elements += 1
        if self._n_elements > MAX_ELEMENTS:
            element.fail(f"more than {MAX_ELEMENTS} elements with all that is included; divide the model")
        if depth > MAX_DEPTH:
            element.fail(f"elements are nested more than {MAX_DEPTH} deep with all that is included; divide the model")


def _hint(root: Element | None) -> str:
    if root is not None and root.tag == "robot":
        return "it looks like a URDF file: read it with load_urdf"
    if root is not None and root.tag == "mujocoinclude":
        return "it is a part of a model: give the path of the model that includes it"
    return "give the path of an MJCF file"


def _resolved(path: Path) -> Path:
    try:
        return path.resolve()
    except (OSError, RuntimeError, ValueError):
        return path


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False
