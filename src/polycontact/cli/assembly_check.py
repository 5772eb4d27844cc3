"""What `check` says of an assembly: its parts, where they are, how large and heavy, and what is wrong with them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from polycontact.cli.output import BAD_INPUT, DOES_NOT_HOLD, WELL, console, fail, print_json
from polycontact.errors import PolycontactError
from polycontact.wording import counted

if TYPE_CHECKING:
    from polycontact.surfaces.check import SurfaceReport
    from polycontact.surfaces.reading.assembly import AssemblyContent

MAX_PROBLEMS_PER_PART = 3
"""Most problems of a part that are told."""


def check_assembly(path: Path, density: float | None, material: str | None, json: bool) -> int | None:
    """Print the parts of an assembly; None where the file holds one part only, which is a mesh like any other."""
    from polycontact.surfaces.check import check_surface
    from polycontact.surfaces.reading.assembly import read_assembly

    try:
        content = read_assembly(path)
        if len(content.parts) < 2 and density is None and material is None:
            return None
        weight = _density(density, material)
    except PolycontactError as error:
        return fail(error, json, BAD_INPUT)
    reports = [check_surface((vertices, triangles)) for vertices, triangles in content.meshes]
    ok = all(report.ok for report in reports)
    records = _records(content, reports, weight)
    if json:
        print_json({"file": str(path), "ok": ok, "density": weight, "parts": records, "notes": list(content.notes)})
    else:
        _print_parts(path, content, records, ok)
    return WELL if ok else DOES_NOT_HOLD


def _density(density: float | None, material: str | None) -> float | None:
    from polycontact.contact.materials import material_named
    from polycontact.errors import SurfaceError

    if density is not None and material is not None:
        raise SurfaceError("--density and --material are given; leave one out")
    if density is not None and not 0.0 < density < float("inf"):
        raise SurfaceError(f"--density is {density} kg/m³; it must be positive")
    return density if material is None else material_named(material).density


def _records(content: AssemblyContent, reports: list[SurfaceReport], density: float | None) -> list[dict[str, Any]]:
    records = []
    for part in content.parts:
        vertices, triangles = content.meshes[part.mesh]
        report = reports[part.mesh]
        volume = _volume(content, part.mesh) if report.ok else None
        records.append(
            {
                "name": part.name,
                "surface": part.mesh,
                "triangles": len(triangles),
                "size": (vertices.max(axis=0) - vertices.min(axis=0)).tolist(),
                "position": part.position.tolist(),
                "volume": volume,
                "mass": None if volume is None or density is None else density * volume,
                "ok": report.ok,
                "problems": [f"{each.title} ({each.count}): {each.remedy}" for each in report.problems],
            }
        )
    return records


def _volume(content: AssemblyContent, number: int) -> float | None:
    from polycontact.surfaces.surface import Surface

    try:
        return Surface(*content.meshes[number], name="part").mass_properties(1.0).volume
    except PolycontactError:
        return None


def _print_parts(path: Path, content: AssemblyContent, records: list[dict[str, Any]], ok: bool) -> None:
    from rich.table import Table

    screen = console()
    screen.print(f"{path.name}: {'ok' if ok else 'not ok'}", style=f"bold {'green' if ok else 'red'}")
    screen.print(f"{counted(len(records), 'part')}, {counted(len(content.meshes), 'different surface')}")
    for note in content.notes:
        screen.print(f"note: {note}", style="dim")
    table = Table("part", "surface", "triangles", "size, mm", "at, mm", "cm³", "kg", "")
    for each in records:
        table.add_row(
            each["name"],
            str(each["surface"] + 1),
            str(each["triangles"]),
            "×".join(_millimetres(each["size"])),
            " ".join(_millimetres(each["position"])),
            "" if each["volume"] is None else f"{1e6 * each['volume']:.6g}",
            "" if each["mass"] is None else f"{each['mass']:.6g}",
            "ok" if each["ok"] else "not ok",
        )
    screen.print(table)
    masses = [each["mass"] for each in records]
    if masses and None not in masses:
        screen.print(f"{sum(masses):.6g} kg in all")
    else:
        screen.print("masses: give --material steel, or --density in kg/m³", style="dim")
    told: set[int] = set()
    for each in records:
        if each["problems"] and each["surface"] not in told:
            told.add(each["surface"])
            for problem in each["problems"][:MAX_PROBLEMS_PER_PART]:
                screen.print(f"part {each['name']!r}: {problem}", style="yellow", soft_wrap=True)


def _millimetres(lengths: list[float]) -> list[str]:
    return [f"{1e3 * length + 0.0:.5g}" for length in lengths]
