"""XML of a file that cannot be trusted: start tags handed to a function, without building a tree.

Document types and entities, the means of XML bombs, are refused; so are tags of absurd length.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NoReturn
from xml.parsers import expat

from polycontact.errors import PolycontactError
from polycontact.surfaces.reading.limits import MAX_XML_TOKEN
from polycontact.surfaces.reading.source import MeshSource

Attributes = dict[str, str]
"""Attributes of a tag; names in a namespace are ``namespace name``."""


class XmlEvents:
    """Parses one XML part; start and end tags go to functions, names with their namespace in front.

    ``part`` names it in errors; without ``namespaces`` names are as they are written.
    """

    def __init__(self, source: MeshSource, part: str, *, namespaces: bool = True) -> None:
        self.source = source
        self.part = part
        self.namespaces: dict[str, str] = {}
        self._parser = expat.ParserCreate(namespace_separator=" " if namespaces else None)
        self._parser.StartDoctypeDeclHandler = self._refuse_doctype
        self._parser.EntityDeclHandler = self._refuse_doctype
        self._parser.StartNamespaceDeclHandler = self._on_namespace

    def parse(
        self,
        chunks: Iterable[bytes],
        on_start: Callable[[str, Attributes], None],
        on_end: Callable[[str], None] | None = None,
    ) -> None:
        """Parse the chunks of a document; each element calls ``on_start`` and, where given, ``on_end``."""
        parser = self._parser
        parser.StartElementHandler = on_start
        parser.EndElementHandler = on_end
        fed = 0
        try:
            for chunk in chunks:
                fed += len(chunk)
                parser.Parse(chunk, False)
                # An unfinished tag is scanned again with every chunk: without a bound that is quadratic.
                if fed - parser.CurrentByteIndex > MAX_XML_TOKEN + len(chunk):
                    self.fail(f"a tag or comment is longer than {MAX_XML_TOKEN} bytes")
            parser.Parse(b"", True)
        except PolycontactError:
            raise
        except (expat.ExpatError, ValueError, LookupError) as error:
            self.fail(f"damaged XML: {error}")

    @property
    def line(self) -> int:
        """Number of the line, from 1, that is being read."""
        return self._parser.CurrentLineNumber

    def fail(self, message: str) -> NoReturn:
        """Raise an error that names the part of the package and the line."""
        self.source.fail(f"{self.part}, line {self.line}: {message}; the file is damaged: export it again")

    def _on_namespace(self, prefix: str | None, uri: str) -> None:
        self.namespaces[prefix or ""] = uri

    def _refuse_doctype(self, *_: object) -> None:
        self.source.fail(
            f"{self.part}, line {self.line}: contains a DOCTYPE or entities, which are never read; remove them, or "
            f"export the file again"
        )
