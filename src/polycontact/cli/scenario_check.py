"""What `check` says of a scenario file: all its mistakes, or what it holds; nothing is run."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from polycontact.cli.output import BAD_INPUT, WELL, console, fail, print_json
from polycontact.errors import PolycontactError

if TYPE_CHECKING:
    from rich.console import Console

    from polycontact.multibody.compiled import CompiledSystem
    from polycontact.multibody.contact_pairs import Contact

MAX_LISTED_NAMES = 12
"""Most contacts, forces and others that are named."""
MAX_ALIKE = 3
"""Most contacts with the same laws that are named beside them."""


def check_scenario(path: Path, json: bool) -> int:
    """Print what a scenario holds, once it is read and its system can be built."""
    from polycontact.scenario.loading import load_scenario
    from polycontact.simulation.motion_times import MotionTimes

    try:
        scenario = load_scenario(path)
        compiled = scenario.build().compile()
        MotionTimes.refuse_too_fast(compiled.setup, 0.0, scenario.settings["end_time"])
    except PolycontactError as error:
        return fail(error, json, BAD_INPUT)
    record = _record(compiled) | {"tolerance": _tolerance_record(compiled, scenario.settings)}
    if json:
        print_json({"file": str(path), "ok": True, "name": scenario.name, **record})
    else:
        _print(path, record)
    return WELL


def _record(compiled: CompiledSystem) -> dict[str, Any]:
    system = compiled.system
    carried = system.tree_joints()
    return {
        "degrees_of_freedom": system.degrees_of_freedom,
        "bodies": [
            {"name": name, "mass": body.mass, "joint": carried[name].kind.value} for name, body in system.bodies.items()
        ],
        "joints": [
            {"name": joint.name, "kind": joint.kind.value, "parent": joint.parent, "child": joint.child}
            for joint in system.joints.values()
        ],
        "loops": list(system.loops),
        "couplers": list(system.couplers),
        "forces": list(system.forces),
        "contacts": [contact.name for contact in compiled.contacts],
        "contact_laws": [_contact_record(contact) for contact in compiled.contacts],
        "meshes": _mesh_records(compiled),
    }


def _tolerance_record(compiled: CompiledSystem, settings: Mapping[str, Any]) -> dict[str, Any]:
    """The absolute tolerance of a run, and the contact from which it comes where the file does not give it."""
    from polycontact.simulation.contact_tolerance import tolerance_of_contacts
    from polycontact.simulation.run_options import DEFAULT_ATOL, unused

    if "atol" in unused({**settings, "atol": DEFAULT_ATOL}):
        return {"atol": None, "from": ""}
    if settings.get("atol") is not None:
        return {"atol": settings["atol"], "from": "simulation.atol"}
    finest = tolerance_of_contacts(compiled)
    return {"atol": DEFAULT_ATOL, "from": ""} if finest is None else {"atol": finest.atol, "from": finest.told()}


def _mesh_records(compiled: CompiledSystem) -> list[dict[str, Any]]:
    """Whether meshes that are near each other at the start are fine enough for the weight of their bodies."""
    from polycontact.multibody.expected_meshes import expected_mesh_errors

    start = compiled.evaluate(0.0, compiled.start_state())
    return [
        {
            "contact": each.contact,
            "load": each.load,
            "error": each.error.share,
            "depth": each.error.depth,
            "least_depth": each.error.least_depth,
            "ok": not each.error.matters,
            "told": each.told() if each.error.matters else "",
        }
        for each in expected_mesh_errors(compiled, start)
    ]


def _contact_record(contact: Contact) -> dict[str, Any]:
    """How a contact is found, its base, law and friction, and what these follow from."""
    described = contact.description
    base = getattr(described.method, "base", None)
    of_layers = "" if described.layers is None else f", {described.stiffness:.4g} N/m³"
    return {
        "name": contact.name,
        "method": type(described.method).__name__,
        "base": base.value if isinstance(base, enum.Enum) else None,
        "base_from": described.base_reason or ("the pair or all pairs" if base is not None else ""),
        "law": f"{described.law!r}{of_layers}",
        "law_from": contact.law_from,
        "friction": None if described.friction is None else repr(described.friction),
        "friction_from": contact.friction_from,
        "unused": contact.unused,
    }


def _print(path: Path, record: dict[str, Any]) -> None:
    from rich.table import Table

    screen = console()
    screen.print(f"{path.name}: ok", style="bold green")
    less = ", less what loops and couplers take away" if record["loops"] or record["couplers"] else ""
    screen.print(f"degrees of freedom: {record['degrees_of_freedom']}{less}")
    bodies = Table("body", "mass, kg", "joint")
    for body in record["bodies"]:
        bodies.add_row(body["name"], f"{body['mass']:.6g}" if body["mass"] else "", body["joint"])
    screen.print(bodies)
    for what in ("loops", "couplers", "forces", "contacts"):
        if names := record[what]:
            more = f" and {len(names) - MAX_LISTED_NAMES} more" if len(names) > MAX_LISTED_NAMES else ""
            screen.print(f"{what}: {', '.join(names[:MAX_LISTED_NAMES])}{more}", soft_wrap=True)
    if record["contact_laws"]:
        _print_laws(screen, record["contact_laws"])
    if (tolerance := record["tolerance"])["from"]:
        told = f"absolute tolerance: {tolerance['atol']:.3g} ({tolerance['from']})"
        screen.print(told, markup=False, soft_wrap=True)
    for mesh in record["meshes"]:
        if mesh["told"]:
            screen.print(f"warning: {mesh['told']}", style="yellow", markup=False, soft_wrap=True)


def _print_laws(screen: Console, contacts: list[dict[str, Any]]) -> None:
    """What presses and what rubs in contacts that are alike, and what says so."""
    from rich.markup import escape

    alike: dict[tuple[str, ...], list[str]] = {}
    for each in contacts:
        rubs = f"{each['friction'] or 'nothing'} ({each['friction_from']})"
        base = f"{each['base']} ({each['base_from']})" if each["base"] else ""
        lines = (f"{each['method']}, {each['law']} ({each['law_from']})", rubs, base, each["unused"])
        alike.setdefault(lines, []).append(each["name"])
    for (presses, rubs, base, unused), names in list(alike.items())[:MAX_LISTED_NAMES]:
        more = f" and {len(names) - MAX_ALIKE} more" if len(names) > MAX_ALIKE else ""
        screen.print(escape(f"{', '.join(names[:MAX_ALIKE])}{more}:"), soft_wrap=True)
        told = [f"presses: {presses}", f"rubs: {rubs}", f"base: {base}" if base else "", unused]
        for line in filter(None, told):
            screen.print(escape(f"  {line}"), soft_wrap=True)
    if len(alike) > MAX_LISTED_NAMES:
        screen.print(f"and {len(alike) - MAX_LISTED_NAMES} more kinds of contacts")
