"""Materials of the library in scenario files: "steel" means its density, and with a thickness its elastic layer.

Before anything else looks at the content, names that stand under no table of [materials] get one, and tables that name
a material of the library get what they do not say themselves. The text of the file stays as it was written.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from polycontact.contact.materials import materials as library
from polycontact.scenario.file_problems import Problem, shown, unknown
from polycontact.scenario.raw_content import Raw, entries, table, text
from polycontact.scenario.readable_tables import given

if TYPE_CHECKING:
    from polycontact.scenario.schema.scenario import ScenarioModel


def with_library(raw: dict[str, Any]) -> dict[str, Any]:
    """The content with a table under [materials] for each material of the library that it names."""
    own = raw.get("materials", {})
    if not isinstance(own, dict):
        return raw
    named = [name for name in _named(raw) if name not in own and name in library]
    tables = {name: _filled(each) for name, each in own.items()}
    tables |= {name: {"material": name, "density": library[name].density} for name in named}
    return {**raw, "materials": tables} if tables else raw


def check_library(model: ScenarioModel) -> Iterator[Problem]:
    """Names under [materials] that the library does not have, and layers that cannot be."""
    for name, each in (model.materials or {}).items():
        base = None if each is None else each.material
        if base is None:
            continue
        where = ("materials", name, "material")
        if base not in library:
            yield Problem(where, unknown("material of the library", base, list(library)))
        elif given(each, "thickness") and not given(each, "poissons_ratio") and library[base].poissons_ratio >= 0.5:
            yield Problem(
                where,
                f"{shown(base)} is incompressible (Poisson's ratio 0.5): a thin layer of it has no finite stiffness; "
                f"leave the thickness out and give the contact a stiffness, or give poissons_ratio, below 0.5",
            )


def known_materials(model: ScenarioModel) -> list[str]:
    """Names that ``material`` of a body may have: tables of the file, and the library."""
    return list(dict.fromkeys([*(model.materials or {}), *library]))


def _filled(entry: Any) -> Any:
    """A table of [materials] with what the library says of its material, where it does not say it itself."""
    if not isinstance(entry, dict) or text(entry, "material") not in library:
        return entry
    base = library[entry["material"]]
    if "thickness" in entry and (base.poissons_ratio < 0.5 or "poissons_ratio" in entry):
        layer = {"youngs_modulus": base.youngs_modulus, "poissons_ratio": base.poissons_ratio}
        return {"density": base.density, **layer, **entry}
    return {"density": base.density, **entry}


def _named(raw: Raw) -> Iterator[str]:
    """Names of materials of bodies, shapes, robots and assemblies, each as often as it is used."""
    users = [each for key in ("bodies", "robots", "assemblies") for _, each in entries(raw, key)]
    shapes = [table(body, "shape") for _, body in entries(raw, "bodies")]
    shapes += [shape for _, body in entries(raw, "bodies") for _, shape in entries(body, "shapes")]
    for each in (*users, *shapes):
        name = text(each, "material")
        if name is not None:
            yield name
    for _, assembly in entries(raw, "assemblies"):
        yield from (name for name in table(assembly, "materials").values() if isinstance(name, str))
