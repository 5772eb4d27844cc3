"""Files beside a glTF file that hold its buffers. Nothing outside its folder is opened, nothing is fetched."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote_to_bytes

from polycontact.surfaces.reading.source import MeshSource, read_regular_file, shown
from polycontact.tolerances import MAX_FILE_BYTES


@dataclass
class Siblings:
    """Content of files in the folder of ``source``, by relative URI; in all they are as bounded as one file."""

    source: MeshSource
    loaded: int = 0

    def __getitem__(self, uri: str) -> bytes:
        data = read_regular_file(
            self._path(uri), f"{self.source.name}: its buffer {shown(uri)}", limit=MAX_FILE_BYTES - self.loaded
        )
        self.loaded += len(data)
        return data

    def _path(self, uri: str) -> Path:
        name = unquote_to_bytes(uri).decode("utf-8", "surrogateescape")
        folder = self.source.path.parent.resolve()
        is_plain = name and not name.startswith("/") and not any(mark in name for mark in "\0:\\")
        path = _resolved(folder / name) if is_plain else None
        if path is None or not path.is_relative_to(folder):
            self.source.fail(
                f"its buffer {shown(uri)} is no file in the folder of this one, and nothing else is opened; "
                "export it as .glb"
            )
        return path


def _resolved(path: Path) -> Path | None:
    """``path`` with links followed; None where they run in a circle."""
    try:
        return path.resolve()
    except (OSError, RuntimeError, ValueError):
        return None
