"""The assemblies of a scenario as the checks see them: their parts are bodies beside those that the file lists."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

from polycontact.errors import SurfaceError
from polycontact.scenario.checks.raw_content import Raw, doubled_names, entries, table, text
from polycontact.scenario.file_problems import Location, Problem, shown, unknown
from polycontact.scenario.library_materials import known_materials
from polycontact.scenario.schema.assembly_keys import MAX_ASSEMBLIES
from polycontact.surfaces.reading.assembly import AssemblyContent, read_assembly


def read_once(path: Path) -> AssemblyContent:
    """What an assembly file holds; read again only once it has changed: triangles of STEP files take seconds."""
    try:
        stat = path.stat()
    except (OSError, ValueError):
        return read_assembly(path)
    return _read(path, stat.st_mtime_ns, stat.st_size)


@lru_cache(maxsize=4)
def _read(path: Path, changed: int, size: int) -> AssemblyContent:
    return read_assembly(path)


class AssemblyTables:
    """The assemblies of a scenario file, read as far as they can be; ``whole``: the content with their parts."""

    def __init__(self, raw: dict[str, Any], folder: Path) -> None:
        self.problems: list[Problem] = list(doubled_names(raw, "assemblies"))
        self._owner: dict[int, int] = {}
        self.whole = dict(raw)
        bodies = raw.get("bodies", [])
        if not isinstance(bodies, list):
            return
        self.whole["bodies"] = list(bodies)
        for i, entry in entries(raw, "assemblies")[:MAX_ASSEMBLIES]:
            file = text(entry, "file")
            if not file:
                continue
            try:
                names = [part.name for part in read_once(folder / file).parts]
            except SurfaceError as error:
                self.problems.append(Problem(("assemblies", i, "file"), str(error)))
                continue
            self.problems += _check_names(("assemblies", i), entry, names, raw)
            self._add(i, entry, names)

    def _add(self, i: int, entry: Raw, names: list[str]) -> None:
        bodies: list[Any] = self.whole["bodies"]
        taken = {text(body, "name") for _, body in entries(self.whole, "bodies")}
        for body in _bodies(entry, names):
            if body["name"] in taken:
                told = f'its part {shown(body["name"])} has the name of a body already; give one, such as "left_"'
                self.problems.append(Problem(("assemblies", i, "prefix"), told))
            else:
                self._owner[len(bodies)] = i
                bodies.append(body)

    def placed(self, problem: Problem) -> Problem:
        """A problem of a body that an assembly brought, told of the assembly."""
        where = problem.location
        if len(where) < 2 or where[0] != "bodies" or not isinstance(where[1], int) or where[1] not in self._owner:
            return problem
        i, name = self._owner[where[1]], self.whole["bodies"][where[1]]["name"]
        if where[2:] == ("mass",):
            told = "is missing: its parts move; give a material or a density (kg/m³), or name them under fixed"
            return Problem(("assemblies", i, "material"), f"of part {shown(name)} {told}")
        return Problem(("assemblies", i), f"part {shown(name)}: {problem.text}")


def _bodies(entry: Raw, names: list[str]) -> Iterator[dict[str, Any]]:
    """A table of a scenario file for each part."""
    prefix = text(entry, "prefix") or ""
    fixed, leave_out = entry.get("fixed", []), entry.get("leave_out", [])
    for name in names:
        if isinstance(leave_out, list) and name in leave_out:
            continue
        shape = {"kind": "mesh", "geometry": entry.get("geometry", "mesh"), "contact": entry.get("contact", True)}
        body: dict[str, Any] = {"name": prefix + name, "shape": shape}
        if fixed == "all" or (isinstance(fixed, list) and name in fixed):
            body["fixed"] = True
        material = table(entry, "materials").get(name, entry.get("material"))
        if isinstance(material, str):
            body["material"] = material
        if "density" in entry:
            body["density"] = entry["density"]
        yield body


def _check_names(where: Location, entry: Raw, names: list[str], raw: Raw) -> Iterator[Problem]:
    for key in ("fixed", "leave_out"):
        given = entry.get(key)
        for name in given if isinstance(given, list) else ():
            if isinstance(name, str) and name not in names:
                yield Problem((*where, key), unknown("part", name, names))
    for name, material in table(entry, "materials").items():
        if name not in names:
            yield Problem((*where, "materials", name), unknown("part", name, names))
        if isinstance(material, str) and material not in known_materials(raw):
            yield Problem((*where, "materials", name), unknown("material", material, known_materials(raw)))
    if "density" in entry and ("material" in entry or "materials" in entry):
        yield Problem((*where, "density"), "give density or material, not both")
