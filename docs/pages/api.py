"""Pages of the public names of `polycontact` and its packages, grouped by the package they come from."""

from __future__ import annotations

import enum
import functools
import inspect
import types
from typing import Any

from pages.tables import table

GROUPS = {
    "surfaces": ("Surfaces", "Meshes: load, check, repair, save, and their mass."),
    "contact": (
        "Contact",
        "The force element: two surfaces, layers and laws in, a wrench and the patch out.",
    ),
    "multibody": ("Multibody systems", "Bodies, joints, loops, gears, force elements and motions."),
    "robots": ("Robots", "From URDF and MJCF files; poses by inverse kinematics, gaits, and two robots ready to move."),
    "simulation": ("Simulation", "Integrate a system; read what a run left."),
    "statics": ("Statics", "Where a system rests, and small motions about it."),
    "scenario": ("Scenarios", "Systems from TOML files, and numbers with units."),
    "studies": ("Studies", "Many runs of a scenario, what matters in them, and parameters from measured curves."),
    "errors": ("Errors and warnings", "Each says what is wrong, where, and what to do."),
}
"""Page of each group: its title and what it holds; names come from the package of the same name."""


PACKAGES = {
    "shapes": ("Generated surfaces.", "Functions of `polycontact.shapes`; lengths in m."),
    "convex": ("Convex shapes by their support mappings.", "Shapes of `polycontact.convex`; lengths in m."),
    "parametric": ("Surfaces r(α, β).", "Classes of `polycontact.parametric`; lengths in m."),
    "implicit": ("Surfaces 0 = h(r).", "Classes of `polycontact.implicit`; lengths in m."),
}
"""Public names that are packages, with a section each on the page of surfaces."""

SHARED = {
    "report": "simulation",
    "comparison": "contact",
    "units": "scenario",
    "identification": "studies",
    "convergence": "studies",
    "seeking": "studies",
    "version": "scenario",
}
"""Packages whose names stand on the page of another one."""


def names() -> dict[str, list[str]]:
    """Public names of each group as one writes them after ``pc.``: classes first, then functions, in alphabetical
    order."""
    import polycontact

    found: dict[str, list[str]] = {group: [] for group in GROUPS}
    for name in polycontact.__all__:
        if name == "__version__" or name in PACKAGES:
            continue
        value = getattr(polycontact, name)
        for each in _members(name, value) if isinstance(value, types.ModuleType) else [name]:
            package = _home(each).split(".")[1]
            found[SHARED.get(package, package)].append(each)
    return {group: _once(some) for group, some in found.items()}


def _members(package: str, value: types.ModuleType) -> list[str]:
    """Names of a public package, as one writes them."""
    if package == "errors":
        return [f"errors.{name}" for name in vars(value) if name.endswith(("Error", "Warning"))]
    return [f"{package}.{name}" for name in value.__all__]


def _once(some: list[str]) -> list[str]:
    """Each thing under its shortest name."""
    shortest: dict[str, str] = {}
    for name in sorted(some, key=len):
        shortest.setdefault(_home(name), name)

    def place(name: str) -> tuple[bool, str]:
        last = name.rpartition(".")[2]
        return last[0].islower(), last.lower()

    return sorted(shortest.values(), key=place)


def overview() -> str:
    """Every public name with its first sentence."""
    parts = [
        "# Public names\n\nAll of them are reached from `import polycontact as pc`: those that most models need "
        "directly, the others in the package that is named, such as `pc.laws`. What is not listed here may change "
        "without notice.\n"
    ]
    for group, some in names().items():
        title, what = GROUPS[group]
        rows = [[f"[`{name}`]({group}.md#{_home(name)})", _first_line(_value(name))] for name in some]
        if group == "surfaces":
            rows += [[f"[`{name}`](surfaces.md#{name})", what] for name, (what, _) in PACKAGES.items()]
        parts.append(f"## {title}\n\n{what}\n\n{table(['name', ''], rows)}\n")
    return "\n".join(parts)


def page(group: str) -> str:
    """The page of a group, for mkdocstrings to fill in."""
    title, what = GROUPS[group]
    parts = [f"# {title}\n\n{what}\n"]
    parts += [_block(name) for name in names()[group]]
    if group == "surfaces":
        parts += [_package(name) for name in PACKAGES]
    return "\n".join(parts)


def _block(name: str) -> str:
    """What mkdocstrings replaces by a name's documentation; members of enumerations need no words of their own."""
    value = _value(name)
    listed = isinstance(value, type) and issubclass(value, enum.Enum)
    return f"::: {_home(name)}\n" + ("    options:\n      show_if_no_docstring: true\n" if listed else _options(value))


def _options(value: object) -> str:
    """The options of a method, a law or a layer, which their class tells as data."""
    from polycontact.contact.description import BUILT_IN
    from polycontact.contact.options import options_of

    if value not in BUILT_IN or not isinstance(value, type) or not options_of(value):
        return ""
    rows = []
    for each in options_of(value):
        default = "**required**" if each.is_required else f"`{getattr(each.default, 'value', each.default)!r}`"
        rows.append([f"`{each.name}`", each.unit, default, each.meaning])
    return f"\n{table(['option', 'unit', 'default', 'meaning'], rows)}\n"


def _package(package: str) -> str:
    import polycontact

    found = getattr(polycontact, package)
    public = [name for name in found.__all__ if callable(getattr(found, name))]
    blocks = [
        f"::: {getattr(found, name).__module__}.{name}\n    options:\n      heading_level: 3\n" for name in public
    ]
    return f"## {package}\n\n{PACKAGES[package][1]}\n\n" + "\n".join(blocks)


def _value(name: str) -> Any:
    import polycontact

    return functools.reduce(getattr, name.split("."), polycontact)


def _home(name: str) -> str:
    """Where a name is defined; objects that do not tell stand where the public name was taken from."""
    from polycontact.lazy_names import homes

    package, _, last = ("polycontact." + name).rpartition(".")
    module = getattr(_value(name), "__module__", None) or homes(package)[last]
    return f"{module}.{last}"


def _first_line(value: object) -> str:
    return (inspect.getdoc(value) or "").partition("\n")[0].replace("``", "`")
