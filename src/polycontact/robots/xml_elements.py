"""An XML file of a model as a tree of elements with their lines: read safely, nothing of it understood yet."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, NoReturn

from polycontact.errors import RobotError, SurfaceError
from polycontact.surfaces.reading.source import MeshSource, read_regular_file, shown
from polycontact.surfaces.reading.xml_events import Attributes, XmlEvents

MAX_BYTES: Final = 16 * 1024**2
"""Largest robot file: the largest robots have one of a megabyte or two, and their meshes are files of their own."""

MAX_ELEMENTS: Final = 200_000
"""Most elements of a robot file, some hundred bytes of memory each."""

MAX_DEPTH: Final = 64
"""Deepest nesting of elements: a robot in URDF needs six levels, plug-ins of simulators some more."""

_CHUNK: Final = 1 << 16
_XACRO: Final = "this is a xacro file, from which a robot is yet to be made: run 'xacro FILE > robot.urdf' first"


@dataclass(eq=False, slots=True)
class Element:
    """One element of the ``file``: its tag, its attributes, the ``line`` of its start tag and what is inside."""

    file: str
    tag: str
    attributes: Attributes
    line: int
    children: list[Element] = field(default_factory=list)

    @property
    def label(self) -> str:
        """The element for messages: its tag and, where it has one, its name."""
        name = self.attributes.get("name")
        return self.tag if name is None else f"{self.tag} {shown(name)}"

    def named(self, tag: str) -> Iterator[Element]:
        """The elements of a tag directly inside."""
        return (child for child in self.children if child.tag == tag)

    def only(self, tag: str) -> Element | None:
        """The one element of a tag directly inside, None where there is none; two are refused."""
        found = list(self.named(tag))
        if len(found) > 1:
            found[1].fail(f"a second <{tag}> in {self.label}, which has one in line {found[0].line}; leave one out")
        return found[0] if found else None

    def fail(self, message: str) -> NoReturn:
        """Raise an error that names the file and the line."""
        raise RobotError(f"{self.file}: line {self.line}: {message}")


def read_xml(path: Path, kind: str, *, max_depth: int = MAX_DEPTH, max_bytes: int = MAX_BYTES) -> Element | None:
    """The outermost element of a file of a ``kind``, URDF for example, None where there is none.

    What is no file of XML, too large or too deep, and what has a document type or entities, is refused.
    """
    name = path.name or str(path)
    try:
        data = read_regular_file(
            path, name, limit=max_bytes, kind=kind, too_large=f"a {kind} file of a robot is far smaller"
        )
        return _parse(MeshSource(path, data), name, kind, max_depth)
    except SurfaceError as error:
        raise RobotError(str(error)) from error


def _parse(source: MeshSource, name: str, kind: str, max_depth: int) -> Element | None:
    if not source.data.strip():
        raise RobotError(f"{name}: the file is empty ({len(source.data)} bytes); export the robot again")
    if b"<" not in source.data[:4096].replace(b"\0", b""):
        raise RobotError(f"{name}: this is no XML: there is no tag at its beginning; give the path of a {kind} file")
    events = XmlEvents(source, "XML", namespaces=False)
    roots: list[Element] = []
    open_elements: list[Element] = []
    n_elements = 0

    def on_start(tag: str, attributes: Attributes) -> None:
        nonlocal n_elements
        n_elements += 1
        element = Element(name, tag, attributes, events.line)
        if n_elements > MAX_ELEMENTS:
            element.fail(f"more than {MAX_ELEMENTS} elements; this is no robot, or several: divide the file")
        if len(open_elements) >= max_depth:
            element.fail(f"elements are nested more than {max_depth} deep; a robot needs fewer: export it again")
        (open_elements[-1].children if open_elements else roots).append(element)
        open_elements.append(element)

    chunks = (source.data[i : i + _CHUNK] for i in range(0, len(source.data), _CHUNK))
    events.parse(chunks, on_start, lambda tag: open_elements.__delitem__(-1))
    return roots[0] if roots else None


def refuse_xacro_value(element: Element, value: str) -> None:
    """Refuse a value that xacro would have computed."""
    if "${" in value or "$(" in value:
        refuse_xacro(element, shown(value))


def refuse_xacro(element: Element, what: str) -> NoReturn:
    """Refuse a file from which xacro is yet to make a robot, for ``what`` stands there."""
    element.fail(f"{what}: {_XACRO}")


def as_path(path: str | os.PathLike[str], kind: str) -> Path:
    """The path of a file of a ``kind`` that a user gave."""
    try:
        return Path(os.fsdecode(path))
    except TypeError:
        raise RobotError(f"the path of the {kind} file is {path!r}; give a text or a Path") from None
