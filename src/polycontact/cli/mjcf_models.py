"""What `check` says of an MJCF model: its bodies, joints and actuators, what is wrong, and what is left out."""

from __future__ import annotations

import math
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from polycontact.cli.output import DOES_NOT_HOLD, WELL, console, print_json
from polycontact.wording import counted

if TYPE_CHECKING:
    from polycontact.robots.mjcf.mjcf_model import MjcfBody, MjcfModel


def check_mjcf(path: Path, json: bool) -> int:
    """Print what an MJCF file holds; the status says whether the model can be used as it is."""
    from polycontact.robots.mjcf.mjcf_problems import model_problems
    from polycontact.robots.mjcf.mjcf_reading import read_mjcf

    model = read_mjcf(path)
    problems = model_problems(model)
    if json:
        print_json({"file": str(path), "ok": not problems, **_record(model), "problems": list(problems)})
    else:
        _print_model(model, problems)
    return DOES_NOT_HOLD if problems else WELL


def _print_model(model: MjcfModel, problems: tuple[str, ...]) -> None:
    from rich.table import Table

    screen = console()
    screen.print(f"{model.file.name}: {'not ok' if problems else 'ok'}", style=f"bold {'red' if problems else 'green'}")
    counts = f"{counted(len(model.bodies), 'body', 'bodies')}, {counted(len(model.joints), 'joint')}"
    screen.print(f"{model.name}: {counts}, {model.mass:.6g} kg")
    bodies = Table("body", "carried by", "mass, kg", "geoms", "of these collide")
    if model.world_geoms:
        collide = sum(geom.collides for geom in model.world_geoms)
        bodies.add_row("world", "", "", str(len(model.world_geoms)), str(collide))
    for body in model.bodies.values():
        collide = sum(geom.collides for geom in body.geoms)
        bodies.add_row(body.name, body.parent, f"{_mass(body):.6g}", str(len(body.geoms)), str(collide))
    screen.print(bodies)
    if model.joints:
        joints = Table("joint", "type", "body", "from", "to")
        for joint in model.joints.values():
            ends = ("" if math.isinf(end) else f"{end:.6g}" for end in (joint.lower, joint.upper))
            joints.add_row(joint.name, joint.kind, joint.body, *ends)
        screen.print(joints)
    if model.actuators:
        actuators = Table("actuator", "kind", "joint")
        for actuator in model.actuators.values():
            actuators.add_row(actuator.name, actuator.kind, actuator.joint)
        screen.print(actuators)
    for what, names in (("loop", model.loops), ("key frame", model.keys), ("site", model.sites)):
        if names:
            screen.print(f"{what}{'s' if len(names) > 1 else ''}: {', '.join(names)}", soft_wrap=True)
    for following in model.followings.values():
        screen.print(f"follows: {following.formula}", soft_wrap=True)
    for problem in problems:
        screen.print(f"problem: {problem}", style="red", soft_wrap=True)
    for each in model.ignored:
        screen.print(f"left out: {each}", style="dim", soft_wrap=True)


def _record(model: MjcfModel) -> dict[str, Any]:
    return {
        "name": model.name,
        "mass": model.mass,
        "gravity": model.gravity.tolist(),
        "bodies": [
            {
                "name": body.name,
                "parent": body.parent,
                "mass": _mass(body),
                "geoms": len(body.geoms),
                "colliding": sum(geom.collides for geom in body.geoms),
            }
            for body in model.bodies.values()
        ],
        "joints": [
            {
                "name": joint.name,
                "type": joint.kind,
                "body": joint.body,
                "lower": None if math.isinf(joint.lower) else joint.lower,
                "upper": None if math.isinf(joint.upper) else joint.upper,
            }
            for joint in model.joints.values()
        ],
        "actuators": [{"name": each.name, "kind": each.kind, "joint": each.joint} for each in model.actuators.values()],
        "loops": list(model.loops),
        "followings": [asdict(each) for each in model.followings.values()],
        "keys": list(model.keys),
        "sites": list(model.sites),
        "ignored": list(model.ignored),
    }


def _mass(body: MjcfBody) -> float:
    return 0.0 if body.mass is None else body.mass.mass
