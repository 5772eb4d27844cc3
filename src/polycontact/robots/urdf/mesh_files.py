"""Where the mesh files of a robot lie: beside its file, in a package that is given, or in one found on the way up."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final
from urllib.parse import unquote

from polycontact.errors import RobotError
from polycontact.robots.urdf.urdf_robot import UrdfRobot, UrdfShape
from polycontact.surfaces.reading.source import shown

Packages = Mapping[str, str | os.PathLike[str]]
"""Folders of packages by their names."""

_IN_PACKAGES: Final = ("package", "model")
_MAX_LISTED_PLACES: Final = 6


def find_mesh(robot: UrdfRobot, shape: UrdfShape, packages: Packages | None = None) -> Path:
    """The path of a shape's mesh file; a `RobotError` tells where it was looked for."""
    where = f"{robot.file.name}: line {shape.line}: mesh {shown(shape.file)}"
    tried: list[Path] = []
    for place in dict.fromkeys(_places(robot, shape.file, packages or {}, where)):
        if _is_file(place):
            return place
        tried.append(place)
    told = ", ".join(shown(str(place)) for place in tried[:_MAX_LISTED_PLACES])
    more = f" and {len(tried) - _MAX_LISTED_PLACES} more places" if len(tried) > _MAX_LISTED_PLACES else ""
    raise RobotError(f"{where} was not found; looked for {told}{more}; {_remedy(shape.file)}")


def check_packages(packages: Packages | None) -> None:
    """Refuse packages that are no table of folders."""
    if packages is None:
        return
    if not isinstance(packages, Mapping):
        raise RobotError(f'packages is {packages!r}; give the folder of each by its name: {{"name": folder}}')
    for name, folder in packages.items():
        if not isinstance(folder, str | os.PathLike) or not Path(folder).is_dir():
            raise RobotError(f"packages: {name!r} is {folder!r}; there is no such folder")


def _places(robot: UrdfRobot, written: str, packages: Packages, where: str) -> Iterator[Path]:
    """Paths that a mesh may have, best first."""
    scheme, separator, rest = written.partition("://")
    home = robot.file.absolute().parent
    if not separator or len(scheme) == 1:
        yield home / written
    elif scheme == "file":
        yield Path(unquote(rest.removeprefix("localhost")))
    elif scheme in _IN_PACKAGES:
        package, _, inside = rest.partition("/")
        if not package or not inside:
            raise RobotError(f"{where} names no file in a package; write {scheme}://PACKAGE/FILE")
        yield from _in_package(home, package, inside, packages)
    else:
        raise RobotError(f"{where}: files are read by package://, model://, file:// or a path, not by {scheme}://")


def _in_package(home: Path, package: str, inside: str, packages: Packages) -> Iterator[Path]:
    if package in packages:
        yield Path(packages[package]) / inside
        return
    for folder in (home, *home.parents):
        if folder.name == package or _is_file(folder / "package.xml"):  # a copy of a package may be named anyhow
            yield folder / inside
        yield folder / package / inside


def _remedy(written: str) -> str:
    scheme, separator, rest = written.partition("://")
    if separator and scheme in _IN_PACKAGES:
        return f"say where the package is: packages={{{rest.partition('/')[0]!r}: folder}}"
    return "copy the file there, or correct its path"


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False
