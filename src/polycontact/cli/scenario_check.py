"""What `check` says of a scenario file: all its mistakes, or what it holds; nothing is run."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from polycontact.cli.output import BAD_INPUT, WELL, console, fail, print_json
from polycontact.errors import PolycontactError

if TYPE_CHECKING:
    from polycontact.multibody.compiled import CompiledSystem

MAX_LISTED_NAMES = 12
"""Most contacts, forces and others that are named."""


def check_scenario(path: Path, json: bool) -> int:
    """Print what a scenario holds, once it is read and its system can be built."""
    from polycontact.scenario.loading import load_scenario

    try:
        scenario = load_scenario(path)
        compiled = scenario.build().compile()
    except PolycontactError as error:
        return fail(error, json, BAD_INPUT)
    record = _record(compiled)
    if json:
        print_json({"file": str(path), "ok": True, "name": scenario.name, **record})
    else:
        _print(path, record)
    return WELL


def _record(compiled: CompiledSystem) -> dict[str, Any]:
    system = compiled.system
    carried = {joint.child: joint.kind.value for joint in system.joints.values()}
    return {
        "degrees_of_freedom": system.degrees_of_freedom,
        "bodies": [
            {"name": name, "mass": body.mass, "joint": carried.get(name, "free")}
            for name, body in system.bodies.items()
        ],
        "joints": [
            {"name": joint.name, "kind": joint.kind.value, "parent": joint.parent, "child": joint.child}
            for joint in system.joints.values()
        ],
        "loops": list(system.loops),
        "couplers": list(system.couplers),
        "forces": list(system.forces),
        "contacts": [contact.name for contact in compiled.contacts],
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
