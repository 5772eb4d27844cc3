"""The zip package of a 3MF file, read in chunks with bounds, so that no zip bomb unfolds."""

from __future__ import annotations

import io
import zipfile
import zlib
from collections.abc import Iterator
from typing import NoReturn

from polycontact.errors import SurfaceError
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
        self._unzipped = 0
        entries = source.data.count(_ENTRY_MARK)
        if entries > MAX_ZIP_ENTRIES:
            source.fail(f"the package has {entries} entries, the limit is {MAX_ZIP_ENTRIES}; export it again")
        try:
            self._zip = zipfile.ZipFile(io.BytesIO(source.data))
        except _DAMAGE as error:
            self._refuse(error)
        self._entries = {_normal(entry.filename): entry for entry in self._zip.infolist()}

    def __contains__(self, name: str) -> bool:
        return _normal(name) in self._entries

    def names(self) -> list[str]:
        """Names of all parts, in lower case without a slash in front."""
        return list(self._entries)

    def chunks(self, name: str) -> Iterator[bytes]:
        """Content of a part, decompressed piece by piece and counted."""
        entry = self._entries.get(_normal(name))
        if entry is None:
            self.source.fail(f"the package has no part {shown(name)}; it is damaged: export it again")
        if entry.compress_type not in _METHODS:
            self.source.fail(
                f"part {shown(name)} is compressed by method {entry.compress_type}; only deflate (8) is "
                "allowed in "
                f"3MF: export it again"
            )
        size = 0
        try:
            with self._zip.open(entry) as part:
                while chunk := part.read(_CHUNK_BYTES):
                    size += len(chunk)
                    self._unzipped += len(chunk)
                    self._refuse_bomb(name, size, min(entry.compress_size, len(self.source.data)))
                    yield chunk
        except SurfaceError:
            raise
        except _DAMAGE as error:
            self._refuse(error)

    def _refuse_bomb(self, name: str, size: int, compressed: int) -> None:
        if self._unzipped > MAX_UNZIPPED_BYTES:
            self.source.fail(f"the package unfolds to more than {MAX_UNZIPPED_BYTES} bytes; reduce the mesh")
        if size > MIN_BOMB_BYTES and size > MAX_ZIP_RATIO * compressed:
            self.source.fail(
                f"part {shown(name)} unfolds to more than {MAX_ZIP_RATIO} times its {compressed} bytes, "
                "like a zip "
                f"bomb; export the mesh again"
            )

    def _refuse(self, error: Exception) -> NoReturn:
        reason = shown(str(error) or type(error).__name__)
        raise self.source.error(f"is no readable zip package: {reason}; it is damaged: export it again") from error


def _normal(name: str) -> str:
    return name.replace("\\", "/").lstrip("/").lower()
