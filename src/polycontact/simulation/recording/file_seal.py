"""The seal of a file: a checksum of what HDF5 itself wrote, behind the end of what HDF5 knows.

HDF5 follows addresses and lengths that it finds in a file. Where one of them is damaged it can wait for ever or read
something else, and not all of its structure has checksums. So a file that we have laid out bears a seal, and nothing of
it is given to HDF5 before the seal has been compared:

    HDF5's part | gaps, checksum, length of that part | length of the seal, its own checksum, b"polycontact seal"

The gaps are the places of rows, which are written later and have checksums of their own (`row_sums`). All other bytes
never change. Programs that read HDF5 do not see a seal; one that changes the file breaks it.
"""

from __future__ import annotations

import os
import struct
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, BinaryIO, Final, Literal

MAGIC: Final = b"polycontact seal"
END: Final = struct.Struct(f"<II{len(MAGIC)}s")
"""Length of the seal without this end, its checksum, and the magic word."""

GAP: Final = struct.Struct("<QQ")
"""First byte of a place of rows, and how many bytes it has."""

SUM: Final = struct.Struct("<IQ")
"""Checksum and length of HDF5's part."""

MOST_GAPS: Final = 1 << 16
"""A file has some thirty; more are no seal of ours."""

SLAB: Final = 1 << 22
"""Bytes read at a time."""

HDF5_SIGNATURE: Final = b"\x89HDF\r\n\x1a\n"
END_ADDRESS: Final = struct.Struct("<28xQ")
"""Where superblocks of versions 2 and 3 say how long the file is."""


class BrokenSealError(OSError):
    """The file is not as it was written; the message says what differs."""


def seal(stream: Any, gaps: Iterable[tuple[int, int]]) -> None:
    """Write the seal behind the end of the file ``stream``; ``gaps``: first byte and length of the places of rows."""
    length = stream.seek(0, os.SEEK_END)
    places = sorted((start, n) for start, n in gaps if n)
    content = b"".join(GAP.pack(*place) for place in places) + SUM.pack(_checksum(stream, places, length), length)
    stream.seek(length)
    stream.write(content + END.pack(len(content), zlib.crc32(content), MAGIC))


def has_seal(path: Path) -> bool:
    """Whether the file ends with a seal, whole or broken."""
    with path.open("rb") as stream:
        stream.seek(max(stream.seek(0, os.SEEK_END) - len(MAGIC), 0))
        return stream.read() == MAGIC


def check_seal(path: Path) -> Literal["sealed", "without seal"]:
    """Whether the file bears a seal; one that does not fit raises `BrokenSealError`."""
    with path.open("rb") as stream:
        size = stream.seek(0, os.SEEK_END)
        found = _read_seal(stream, size)
        if found is None:
            return "without seal"
        places, checksum, length = found
        if _checksum(stream, places, length) != checksum:
            raise BrokenSealError("the checksum of its structure differs")
    return "sealed"


def bytes_too_many(path: Path) -> int:
    """By how much a file is longer than HDF5's newer superblock says: negative where it was cut off.

    0 for other files, which are left to HDF5.
    """
    with path.open("rb") as stream:
        head = stream.read(END_ADDRESS.size)
        size = stream.seek(0, os.SEEK_END)
    if not head.startswith(HDF5_SIGNATURE) or (len(head) > 9 and (head[8] not in (2, 3) or head[9] != 8)):
        return 0
    return size - int(END_ADDRESS.unpack(head)[0]) if len(head) == END_ADDRESS.size else -1


def _read_seal(stream: BinaryIO, size: int) -> tuple[list[tuple[int, int]], int, int] | None:
    """The gaps, the checksum and the length of HDF5's part; None where there is no seal."""
    if size < END.size:
        return None
    stream.seek(size - END.size)
    n, own, magic = END.unpack(stream.read(END.size))
    if magic != MAGIC:
        return None
    if not SUM.size <= n <= min(size - END.size, MOST_GAPS * GAP.size):
        raise BrokenSealError("its checksums are damaged")
    stream.seek(size - END.size - n)
    content = stream.read(n)
    checksum, length = SUM.unpack(content[-SUM.size :])
    if zlib.crc32(content) != own or length != size - END.size - n:
        raise BrokenSealError("its checksums are damaged")
    return list(GAP.iter_unpack(content[: -SUM.size])), checksum, length


def _checksum(stream: Any, gaps: list[tuple[int, int]], length: int) -> int:
    """CRC-32 of the first ``length`` bytes without the gaps, which are in order."""
    total = 0
    for start, end in _between(gaps, length):
        stream.seek(start)
        while start < end:
            part = stream.read(min(end - start, SLAB))
            if not part:
                raise BrokenSealError("the file has become shorter while it was read")
            total, start = zlib.crc32(part, total), start + len(part)
    return total


def _between(gaps: list[tuple[int, int]], length: int) -> Iterator[tuple[int, int]]:
    start = 0
    for gap, n in gaps:
        yield start, min(gap, length)
        start = gap + n
    yield start, length
