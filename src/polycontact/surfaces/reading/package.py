"""The zip package of a 3MF file, checked before anything of it is decompressed, so that no zip bomb unfolds.

What the package declares is what it can unfold to: `zipfile` stops reading a part at its declared size.
"""

from __future__ import annotations

import io
import zipfile
import zlib
from collections.abc import Iterator
from typing import NoReturn

from polycontact.surfaces.reading.limits import (
    MAX_UNZIPPED_BYTES,
    MAX_ZIP_ENTRIES,
    MAX_ZIP_RATIO,
    MIN_BOMB_BYTES,
)
from polycontact.surfaces.reading.source import MeshSource, shown

_CHUNK_BYTES = 1 << 20
_ENTRY_MARK = b"PK\x01\x02"
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
# What zipfile raises for damaged packages, found by changing and cutting valid ones.
_DAMAGE = (zipfile.BadZipFile, zlib.error, EOFError, OSError, ValueError, NotImplementedError, RuntimeError)


class Package:
    """Parts of a zip file by name; names do not distinguish upper and lower case."""

    def __init__(self, source: MeshSource) -> None:
        self.source = source
        entries = source.data.count(_ENTRY_MARK)
        if entries > MAX_ZIP_ENTRIES:
            source.fail(f"the package has {entries} entries, the limit is {MAX_ZIP_ENTRIES}; export it again")
        try:
            self._zip = zipfile.ZipFile(io.BytesIO(source.data))
        except _DAMAGE as error:
            self._refuse(error)
        self._entries = {_normal(entry.filename): entry for entry in self._zip.infolist()}
        for entry in self._zip.infolist():
            self._check_entry(entry)
        unzipped = sum(entry.file_size for entry in self._zip.infolist())
        if unzipped > MAX_UNZIPPED_BYTES:
            source.fail(f"the package unfolds to {unzipped} bytes, the limit is {MAX_UNZIPPED_BYTES}; reduce the mesh")

    def names(self) -> list[str]:
        """Names of all parts, in lower case without a slash in front."""
        return list(self._entries)

    def chunks(self, name: str) -> Iterator[bytes]:
        """Content of a part, decompressed piece by piece."""
        entry = self._entries.get(_normal(name))
        if entry is None:
            self.source.fail(f"the package has no part {shown(name)}; it is damaged: export it again")
        try:
            with self._zip.open(entry) as part:
                while chunk := part.read(_CHUNK_BYTES):
                    yield chunk
        except _DAMAGE as error:
            self._refuse(error)

    def _check_entry(self, entry: zipfile.ZipInfo) -> None:
        """Refuse other compression than the format allows, and parts that unfold like a zip bomb."""
        name, size, compressed = entry.filename, entry.file_size, min(entry.compress_size, len(self.source.data))
        if entry.compress_type not in _METHODS:
            self.source.fail(
                f"part {shown(name)} is compressed by method {entry.compress_type}; 3MF only allows deflate (8): "
                "export it again"
            )
        if size > MIN_BOMB_BYTES and size > MAX_ZIP_RATIO * compressed:
            self.source.fail(
                f"part {shown(name)} unfolds to {size} bytes, more than {MAX_ZIP_RATIO} times its {compressed}, like a "
                "zip bomb; export the mesh again"
            )

    def _refuse(self, error: Exception) -> NoReturn:
        reason = shown(str(error) or type(error).__name__)
        raise self.source.error(f"is no readable zip package: {reason}; it is damaged: export it again") from error


def _normal(name: str) -> str:
    return name.replace("\\", "/").lstrip("/").lower()
