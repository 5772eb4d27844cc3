"""The assemblies of a scenario as the checks see them: their parts are bodies beside those that the file lists."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

from polycontact.errors import SurfaceError
from polycontact.scenario.checks.table_checks import doubled_names
from polycontact.scenario.file_problems import Location, Problem, shown, unknown
from polycontact.scenario.library_materials import known_materials
from polycontact.scenario.readable_tables import entries, given, tables
from polycontact.scenario.schema.assembly_keys import AssemblyTable
from polycontact.scenario.schema.body_keys import Body
from polycontact.scenario.schema.scenario import ScenarioModel
from polycontact.scenario.schema.shape_keys import ShapeTable
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
    """The assemblies of a scenario file, read as far as they can be; ``whole``: the model with their parts too."""

    def __init__(self, model: ScenarioModel, folder: Path) -> None:
        self.problems: list[Problem] = list(doubled_names("assemblies", model.assemblies))
        self._owner: dict[int, int] = {}
        self.whole = model
        bodies = list(model.bodies or ())
        for i, entry in entries(model.assemblies):
            if entry.file is None:
                continue
            try:
                names = [part.name for part in read_once(folder / entry.file).parts]
            except SurfaceError as error:
                self.problems.append(Problem(("assemblies", i, "file"), str(error)))
                continue
            self.problems += _check_names(("assemblies", i), entry, names, model)
            self._add(i, entry, names, bodies)
        if model.bodies is not None:
            self.whole = model.model_copy(update={"bodies": (*bodies,)})

    def _add(self, i: int, entry: AssemblyTable, names: list[str], bodies: list[Body]) -> None:
        taken = {body.name for body in tables(bodies)}
        for body in _bodies(entry, names):
            if body.name in taken:
                told = f'its part {shown(body.name)} has the name of a body already; give one, such as "left_"'
                self.problems.append(Problem(("assemblies", i, "prefix"), told))
            else:
                self._owner[len(bodies)] = i
                bodies.append(body)

    def placed(self, problem: Problem) -> Problem:
        """A problem of a body that an assembly brought, told of the assembly."""
        where = problem.location
        if len(where) < 2 or where[0] != "bodies" or not isinstance(where[1], int) or where[1] not in self._owner:
            return problem
        i, name = self._owner[where[1]], self.whole.bodies[where[1]].name
        if where[2:] == ("mass",):
            told = "is missing: its parts move; give a material or a density (kg/m³), or name them under fixed"
            return Problem(("assemblies", i, "material"), f"of part {shown(name)} {told}")
        return Problem(("assemblies", i), f"part {shown(name)}: {problem.text}")


def _bodies(entry: AssemblyTable, names: list[str]) -> Iterator[Body]:
    """A body for each part of the assembly that the table does not leave out."""
    for name in names:
        if name in (entry.leave_out or ()):
            continue
        shape = ShapeTable.model_construct(kind="mesh", geometry=entry.geometry, contact=entry.contact)
        options: dict[str, Any] = {"name": (entry.prefix or "") + name, "shape": shape}
        if entry.fixed == "all" or name in (entry.fixed or ()):
            options["fixed"] = True
        if material := (entry.materials or {}).get(name, entry.material):
            options["material"] = material
        if given(entry, "density"):
            options["density"] = entry.density
        yield Body.model_construct(**options)


def _check_names(where: Location, entry: AssemblyTable, names: list[str], model: ScenarioModel) -> Iterator[Problem]:
    for key, listed in (("fixed", entry.fixed), ("leave_out", entry.leave_out)):
        for name in () if listed == "all" else listed or ():
            if name not in names:
                yield Problem((*where, key), unknown("part", name, names))
    known = known_materials(model)
    for name, material in (entry.materials or {}).items():
        if name not in names:
            yield Problem((*where, "materials", name), unknown("part", name, names))
        if material not in known:
            yield Problem((*where, "materials", name), unknown("material", material, known))
    if given(entry, "density") and (given(entry, "material") or given(entry, "materials")):
        yield Problem((*where, "density"), "give density or material, not both")
