"""Files that are to be written: refused before any work is done where they cannot be."""

from __future__ import annotations

from pathlib import Path

from polycontact.errors import SimulationError
from polycontact.replacing import is_same_file

PAGES, STILLS, FILMS = (".html", ".htm"), (".png", ".jpg", ".jpeg", ".webp"), (".gif", ".mp4")


def check_target(output: Path, suffixes: tuple[str, ...], what: str, *sources: Path) -> None:
    """Refuse, before any work is done, a file that cannot be written, has the wrong suffix, or is read itself."""
    if output.is_dir():
        raise SimulationError(f"{output}: this is a folder; name a file in it")
    if output.suffix.lower() not in suffixes:
        *others, last = suffixes
        endings = f"{', '.join(others)} or {last}" if others else last
        raise SimulationError(f"{output}: {what} is a {endings} file; name it so")
    if not output.parent.is_dir():
        raise SimulationError(f"{output}: there is no folder {output.parent}; make it, or choose another place")
    if any(is_same_file(output, source) for source in sources):
        raise SimulationError(f"{output}: this is what {what} is made from; name another file")
