"""Files written aside: under another name first, which takes the place of the file when all of it is there.

So a full disk, an error or a kill leaves the file that was there before, or none, but never half of one.
"""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

PAUSES = (0.1, 0.3, 1.0, 3.0)
"""Windows does not replace a file while another program reads it: tried again after these pauses, s."""


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Another name for a new file, which takes the place of ``path`` in the end, or vanishes where something fails.

    It has the suffix of ``path``, by which some writers choose the format. A link stays a link. What cannot be
    replaced, a device or a file in a folder that may not be written to, is written directly.
    """
    path = path.resolve() if path.is_symlink() else path
    is_there = path.exists()
    if is_there and not (path.is_file() and os.access(path.parent, os.W_OK)):
        yield path
        return
    part = path.with_name(f"{path.name}.part{path.suffix}")
    part.unlink(missing_ok=True)
    try:
        yield part
        if is_there and path.is_file():
            shutil.copymode(path, part)
        _move(part, path)
    except OSError as error:
        if error.filename == str(part):
            error.filename = str(path)
        raise
    finally:
        part.unlink(missing_ok=True)


def is_same_file(path: str | os.PathLike[str], other: str | os.PathLike[str]) -> bool:
    """Whether two names are those of one file that is there: what is read must not be written over."""
    return os.path.exists(path) and os.path.exists(other) and os.path.samefile(path, other)


def write_whole(path: str | os.PathLike[str], content: bytes | str) -> None:
    """Write a file of bytes, or of text in UTF-8, whole or not at all."""
    target = Path(path)
    data = content.encode("utf-8") if isinstance(content, str) else content
    with replacing(target) as part:
        part.write_bytes(data)


def _move(part: Path, path: Path) -> None:
    for pause in PAUSES:
        try:
            part.replace(path)
            return
        except PermissionError:
            time.sleep(pause)
    part.replace(path)
