"""The bytes of a mesh file, read safely, and errors that name it.

Only regular files are opened (a FIFO or a device could block for ever), and only up to `MAX_FILE_BYTES`.
"""

from __future__ import annotations

import os
import reprlib
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

from polycontact.errors import SurfaceError
from polycontact.tolerances import MAX_FILE_BYTES

_SHOWN_CHARACTERS = 60
_UTF8_MARK = b"\xef\xbb\xbf"


@dataclass(frozen=True)
class MeshSource:
    """A mesh file: where it is and what it holds."""

    path: Path
    data: bytes

    @property
    def name(self) -> str:
        """Name of the file, without its folder: every message starts with it."""
        return self.path.name

    def fail(self, message: str, *, line: int | None = None) -> NoReturn:
        """Raise a `SurfaceError` that names the file and, where given, the line."""
        raise self.error(message, line=line)

    def error(self, message: str, *, line: int | None = None) -> SurfaceError:
        """A `SurfaceError` that names the file and, where given, the line."""
        where = f"line {line}: " if line is not None else ""
        return SurfaceError(f"{self.name}: {where}{message}")

    def line_at(self, position: int) -> int:
        """Number of the line, from 1, that holds byte ``position``; lines end with LF, CRLF or CR."""
        feeds, returns, both = (self.data.count(end, 0, position) for end in (b"\n", b"\r", b"\r\n"))
        return feeds + returns - both + 1

    def require_utf8(self) -> None:
        """Refuse a text file in another encoding."""
        if self.data.isascii():
            return
        try:
            self.data.decode("utf-8")
        except UnicodeDecodeError as error:
            found = self.data[error.start]
            self.fail(
                f"byte 0x{found:02x} at offset {error.start} is not UTF-8 text; save the file as UTF-8 or ASCII",
                line=self.line_at(error.start),
            )

    def text_bytes(self) -> bytes:
        """The content as UTF-8 with a byte order mark blanked; the length stays the same."""
        self.require_utf8()
        if self.data.startswith(_UTF8_MARK):
            return b"   " + self.data[3:]
        return self.data


def shown(value: object) -> str:
    """``value`` for a message: quoted and cut to a readable length."""
    if isinstance(value, bytes):
        value = value[: 4 * _SHOWN_CHARACTERS].decode("utf-8", "backslashreplace")
    text = repr(value[: 2 * _SHOWN_CHARACTERS]) if isinstance(value, str) else reprlib.repr(value)
    return text if len(text) <= _SHOWN_CHARACTERS else text[:_SHOWN_CHARACTERS] + "..."


def open_source(path: str | os.PathLike[str]) -> MeshSource:
    """Read a whole mesh file; anything but a regular, readable, non-empty file of sane size is refused."""
    where = Path(os.fsdecode(path))
    data = read_regular_file(where, where.name or str(where), limit=MAX_FILE_BYTES)
    if not data:
        raise SurfaceError(f"{where.name}: the file is empty (0 bytes); export the mesh again")
    return MeshSource(where, data)


def read_regular_file(
    path: Path,
    label: str,
    *,
    limit: int,
    kind: str = "mesh",
    too_large: str = "reduce the mesh or split it into parts",
) -> bytes:
    """Content of a regular file of at most ``limit`` bytes; ``label`` and ``kind`` name it in errors."""
    try:
        _require_regular(os.stat(path), label, kind)
        # O_NONBLOCK: should the path become a FIFO between the two calls, opening must not wait for a writer.
        flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
        with open(os.open(path, flags), "rb") as file:
            status = os.fstat(file.fileno())
            _require_regular(status, label, kind)
            _require_size(status.st_size, label, limit, too_large)
            return file.read(status.st_size)
    except FileNotFoundError as error:
        folder = path.parent
        raise SurfaceError(f"{label}: no such file in {shown(str(folder))}; check the path") from error
    except PermissionError as error:
        raise SurfaceError(f"{label}: no permission to read it; change its access rights") from error
    except OSError as error:
        raise SurfaceError(f"{label}: cannot be read: {error.strerror}; check the path") from error
    except ValueError as error:
        if isinstance(error, SurfaceError):
            raise
        raise SurfaceError(f"{shown(label)}: is not a valid path: {error}") from error


def _require_regular(status: os.stat_result, label: str, kind: str) -> None:
    if stat.S_ISREG(status.st_mode):
        return
    found = "a folder" if stat.S_ISDIR(status.st_mode) else "a FIFO, socket or device"
    raise SurfaceError(f"{label}: is {found}; give the path of a regular {kind} file")


def _require_size(size: int, label: str, limit: int, too_large: str) -> None:
    if size > limit:
        raise SurfaceError(f"{label}: the file has {size} bytes, the limit is {limit}; {too_large}")
