"""Copies of built-in scenarios, to change: the TOML file under a name of the user's, and its meshes beside it."""

from __future__ import annotations

import errno
import os
from pathlib import Path

from polycontact.replacing import write_whole
from polycontact.scenario.builtin import mesh_files, scenario_text


def copy_scenario(name: str, target: Path) -> tuple[Path, ...]:
    """Write the built-in scenario ``name`` to the file ``target``, and its meshes where it names them.

    Returns the paths of the meshes. No file is replaced: where one is in the way, an `OSError` with its name is raised
    before anything is written; a mesh that is there already, as it should be, is in nobody's way.
    """
    text = scenario_text(name)
    meshes = {target.parent / file: content for file, content in mesh_files(name).items()}
    missing = {path: content for path, content in meshes.items() if not _is_there(path, content)}
    with target.open("x"):  # refuses what is there
        pass
    try:
        write_whole(target, text)
    except OSError:
        target.unlink(missing_ok=True)
        raise
    for path, content in missing.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, content)
    return tuple(meshes)


def _is_there(path: Path, content: bytes) -> bool:
    """Whether the file holds ``content`` already; another one in its place is an error."""
    if not os.path.lexists(path):
        return False
    if path.read_bytes() != content:
        raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(path))
    return True
