"""`new_scenario`: the text of a first scenario from mesh files or an assembly, with comments on what was guessed.

files ─► parts with masses ─► pairs that are near, joints that are clear ─► TOML, checked as any scenario
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final

import numpy as np

from polycontact.contact.materials import material_named
from polycontact.scenario.drafting.drafted_parts import DraftedPart, is_assembly, read_parts, wrong
from polycontact.scenario.drafting.guessed_joints import NearPair, near_pairs
from polycontact.scenario.file_problems import listed, suggestion
from polycontact.scenario.parsing import parse_scenario
from polycontact.scenario.toml_text import toml_value

STANDARD_GRAVITY: Final = 9.81

DEPTH_SHARE: Final = 0.005
"""How deep the heaviest part would rest as a ball of its size, as a part of that: soft enough for coarse meshes."""

DAMPING_RATIO: Final = 0.1
"""Share of the critical damping of that ball at that depth."""

MOST_PAIRS: Final = 200
"""Pairs that are listed one by one; of more, every two bodies may touch."""


def new_scenario(
    files: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    *,
    unit: str | None = None,
    density: float | None = None,
    material: str | None = None,
    fixed: Iterable[str] | None = None,
    gap: float | None = None,
    end_time: float = 1.0,
    name: str | None = None,
    folder: str | os.PathLike[str] | None = None,
) -> str:
    """The text of a first scenario, with comments: a body for each mesh file, or for each part of one assembly.

    - ``files``: meshes that share one frame, as a CAD program writes them, or one STEP, 3MF or glTF file.
    - ``unit``: length of one unit of files that do not say it: "m", "mm", "cm", "um", "in" or "ft".
    - ``density`` (kg/m³) or ``material``, such as "steel", from which masses follow.
    - ``fixed``: names of the parts that stay where they are; if left out the largest, where there are several.
    - ``gap``: parts not farther apart may touch, m; 1 % of the size of the smaller one if left out.
    - ``end_time`` of the run, s; ``name`` of the scenario; ``folder`` in which it will lie, by default the current one,
      to which the paths in it are relative.

    Joints that the shapes show clearly (a pin in a hole, a ball in its seat) stand there as comments. The stiffness is
    one with which the heaviest part would rest half a per cent of its size deep: a number to begin with, no property
    of a material. Files that cannot be read, and a unit or density that is missing, raise an error.
    """
    given = [files] if isinstance(files, str | os.PathLike) else list(files)
    paths = [Path(os.fsdecode(each)) for each in given]
    if not paths:
        raise wrong("there is no file; give mesh files, or one assembly")
    home = Path.cwd() if folder is None else Path(os.fsdecode(folder))
    weight = _density(density, material)
    if not (isinstance(end_time, int | float) and 0.0 < end_time < math.inf):
        raise wrong(f"end_time is {end_time!r} s; give a number above 0")
    if gap is not None and not 0.0 <= gap < math.inf:
        raise wrong(f"gap is {gap!r} m; give a length from 0")
    parts = read_parts(paths, home, unit, weight)
    held = _fixed(parts, fixed)
    open_ones = [each.name for each in parts if each.mass is None and each.name not in held]
    if open_ones:
        raise wrong(
            f"{', '.join(open_ones)}: no mass follows from a surface that is not closed; mend it ('polycontact "
            "repair'), or keep it fixed with --fixed"
        )
    pairs = [each for each in near_pairs(parts, gap) if {parts[each.a].name, parts[each.b].name} - set(held)]
    title = name or (paths[0].stem if len(paths) == 1 else home.resolve().name or "new")
    made = f"material = {toml_value(material)}" if material is not None else f"density = {float(weight)!r}  # kg/m³"
    why = "a guess: the largest part" if fixed is None else "as asked for"
    chunks = [_head(title, end_time), *_bodies(parts, held, why, made, paths), _contact(parts, held, pairs)]
    chunks += [_joint(parts, held, each) for each in pairs if each.kind]
    text = "\n\n".join(each for each in chunks if each) + "\n"
    parse_scenario(text, home, file=title)
    return text


def _head(title: str, end_time: float) -> str:
    return f"""# A first scenario: look at it with 'polycontact view', check it with 'polycontact check', change it.
# Lengths in m, masses in kg, times in s, or with units: "12 mm".

gravity = [0.0, 0.0, {-STANDARD_GRAVITY}]  # m/s², if z is up

[scenario]
name = {toml_value(title)}

[simulation]
end_time = {float(end_time)!r}
atol = 1e-5  # m, rad; well below the depth of contacts"""


def _bodies(parts: Sequence[DraftedPart], held: Sequence[str], why: str, made: str, paths: Sequence[Path]) -> list[str]:
    if is_assembly(paths):
        lines = [f"# {len(parts)} parts:"]
        lines += [f"#   {each.name}: {_told_size(each)}, {_told_mass(each)}" for each in parts]
        lines += ["[[assemblies]]", f"name = {toml_value(paths[0].stem)}", f"file = {toml_value(parts[0].path)}", made]
        lines.append(f"fixed = {toml_value(list(held))}  # {why}")
        return ["\n".join(lines)]
    found = []
    for part in parts:
        unit = f", unit = {toml_value(part.unit)}" if part.unit else ""
        lines = [
            f"# {_told_size(part)}, {_told_mass(part)}",
            "[[bodies]]",
            f"name = {toml_value(part.name)}",
            f'shape = {{ kind = "mesh", file = {toml_value(part.path)}{unit} }}  # balanced = true for round bodies',
            made,
        ]
        if part.name in held:
            lines.append(f"fixed = true  # {why}")
        found.append("\n".join(lines))
    return found


def _contact(parts: Sequence[DraftedPart], held: Sequence[str], pairs: Sequence[NearPair]) -> str:
    """The table of contacts, with a stiffness to begin with; empty where nothing is near."""
    moving = [each for each in parts if each.name not in held]
    if len(parts) < 2 or not moving:
        return "# One part, or none that moves: nothing can touch. Add bodies, and [contact] with a stiffness."
    stiffness, damping, depth = _springs(moving)
    lines = [
        "[contact]",
        f"stiffness = {stiffness:.2g}  # N/m³: the heaviest part would rest {1e3 * depth:.2g} mm deep; choose your own",
        f"damping = {damping:.2g}  # N s/m³: a tenth of the critical one there",
        "friction = { coefficient = 0.3, velocity = 1e-3 }  # a guess",
    ]
    if not pairs or len(pairs) > MOST_PAIRS:
        why = "nothing touches at the start" if not pairs else f"{len(pairs)} pairs are near at the start"
        lines.append(f"automatic = true  # {why}: any two bodies may touch")
        return "\n".join(lines)
    lines.append("# automatic = true  # any two bodies may touch, instead of those below, which are near at the start")
    for each in pairs:
        near = "they meet" if each.gap <= 0.0 else f"{1e3 * each.gap:.2g} mm apart, about"
        lines += ["", "[[contact.pairs]]", f"bodies = {toml_value([parts[each.a].name, parts[each.b].name])}  # {near}"]
    return "\n".join(lines)


def _springs(moving: Sequence[DraftedPart]) -> tuple[float, float, float]:
    """Stiffness (N/m³) and damping (N s/m³) per area, and the depth (m) at which the heaviest part would rest."""
    heaviest = max(moving, key=lambda each: each.mass or 0.0)
    mass, radius = heaviest.mass or 1.0, 0.5 * heaviest.size
    depth = DEPTH_SHARE * heaviest.size
    stiffness = mass * STANDARD_GRAVITY / (math.pi * radius * depth**2)
    area = 2.0 * math.pi * radius * depth
    return stiffness, 2.0 * DAMPING_RATIO * math.sqrt(stiffness * area * mass) / area, depth


def _joint(parts: Sequence[DraftedPart], held: Sequence[str], pair: NearPair) -> str:
    """A joint that the shapes show, as a comment."""
    a, b = parts[pair.a], parts[pair.b]
    parent, child = (b, a) if b.name in held or (a.name not in held and b.size > a.size) else (a, b)
    if not np.allclose(parent.rotation, child.rotation, atol=1e-9):
        return ""
    at, child_at = ((np.array(pair.centre) - each.position) @ each.rotation for each in (parent, child))
    slides = "; kind cylindrical if it may slide too" if pair.kind == "revolute" else ""
    what = "a pin in a hole" if pair.kind == "revolute" else "a ball in its seat"
    lines = [
        f"{parent.name} and {child.name} look like {what}, radius {1e3 * pair.radius:.4g} mm.",
        f"For an ideal joint take away the '#' below, and their pair of contacts{slides}:",
        "[[joints]]",
        f"name = {toml_value(f'{parent.name} to {child.name}')}",
        f'kind = "{pair.kind}"',
        f"parent = {toml_value(parent.name)}",
        f"child = {toml_value(child.name)}",
        f"at = {_vector(at)}",
        f"child_at = {_vector(child_at)}",
    ]
    if pair.kind == "revolute":
        lines.append(f"axis = {_vector(np.array(pair.axis) @ parent.rotation)}")
    return "\n".join(f"# {line}" for line in lines)


def _vector(values: np.ndarray[tuple[int, ...], np.dtype[np.float64]]) -> str:
    return toml_value([float(f"{each:.6g}") + 0.0 for each in np.where(np.abs(values) < 1e-9, 0.0, values).tolist()])


def _fixed(parts: Sequence[DraftedPart], asked: Iterable[str] | None) -> list[str]:
    names = [each.name for each in parts]
    if asked is None:
        largest = max(parts, key=lambda each: float(np.prod(each.surface.bounds[1] - each.surface.bounds[0] + 1e-9)))
        return [largest.name] if len(parts) > 1 else []
    held = [asked] if isinstance(asked, str) else list(asked)
    for each in held:
        if each not in names:
            raise wrong(f"there is no part {each!r}{suggestion(each, names)}; there are {listed(names)}")
    return held


def _density(density: float | None, material: str | None) -> float:
    if (density is None) == (material is None):
        raise wrong("give a density in kg/m³ or a material, such as steel, from which masses follow, and not both")
    weight = material_named(material).density if material is not None else density
    if not (isinstance(weight, int | float) and not isinstance(weight, bool) and 0.0 < weight < math.inf):
        raise wrong(f"the density is {weight!r} kg/m³; it must be positive")
    return float(weight)


def _told_size(part: DraftedPart) -> str:
    lengths = " × ".join(f"{1e3 * each:.4g}" for each in (part.surface.bounds[1] - part.surface.bounds[0]).tolist())
    return f"{lengths} mm, {len(part.surface.triangles):,} triangles"


def _told_mass(part: DraftedPart) -> str:
    return "not closed, no mass" if part.mass is None else f"{part.mass:.4g} kg"
