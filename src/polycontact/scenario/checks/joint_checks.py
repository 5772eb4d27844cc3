"""Checks of joints, loops, couplers and forces: references, a tree without cycles, and numbers of coordinates."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any

from polycontact.multibody.joint_types import WITH_ROTORS
from polycontact.multibody.rigid_bodies import WORLD
from polycontact.scenario.checks.table_checks import doubled_names, is_zero, names, zero_axes
from polycontact.scenario.file_problems import Location, Problem, shown, unknown
from polycontact.scenario.readable_tables import entries, given, tables
from polycontact.scenario.schema.base import Table
from polycontact.scenario.schema.joint_keys import N_COORDINATES, N_SPEEDS, WITH_QUATERNION, Joint
from polycontact.scenario.schema.scenario import ScenarioModel


def check_joints(model: ScenarioModel) -> Iterator[Problem]:
    """Problems of the joints: names, bodies, the tree that they form, axes and counts."""
    yield from doubled_names("joints", model.joints)
    yield from _check_tree(model)
    bodies = names(model.bodies)
    known = set(bodies)
    for i, joint in entries(model.joints):
        where = ("joints", i)
        yield from _check_body((*where, "parent"), joint, known, bodies, world=True)
        yield from _check_body((*where, "child"), joint, known, bodies, world=False)
        yield from zero_axes(where, joint, ("axis", "second_axis"))
        if joint.kind is not None:
            yield from _check_axes(where, joint)
            yield from _check_counts(where, joint)
            yield from _check_rotor(where, joint)


def check_markers(model: ScenarioModel) -> Iterator[Problem]:
    """Problems of all markers."""
    yield from doubled_names("markers", model.markers)
    bodies = names(model.bodies)
    known = {*bodies, WORLD}
    for i, marker in entries(model.markers):
        if marker.name in known:
            yield Problem(("markers", i, "name"), f"{shown(marker.name)} is the name of a body; choose another")
        yield from _check_body(("markers", i, "body"), marker, known, bodies, world=True)


def check_loops(model: ScenarioModel) -> Iterator[Problem]:
    """Problems of the loops: names, bodies, axes and lengths that do not suit the kind."""
    yield from doubled_names("loops", model.loops)
    bodies = names(model.bodies)
    known = {*bodies, *names(model.markers)}
    for i, loop in entries(model.loops):
        yield from _check_two_bodies(("loops", i), loop, known, bodies)
        yield from zero_axes(("loops", i), loop, ("axis_a", "axis_b"))
        if given(loop, "length") and loop.kind not in (None, "distance"):
            yield Problem(("loops", i, "length"), 'belongs to kind = "distance" only')
        if not given(loop, "length") and loop.kind == "distance":
            yield Problem(("loops", i, "length"), "is missing; give the length of the rod, m")


def check_couplers(model: ScenarioModel) -> Iterator[Problem]:
    """Problems of all couplers."""
    yield from doubled_names("couplers", model.couplers)
    joints = names(model.joints)
    known = set(joints)
    for i, coupler in entries(model.couplers):
        keys = ("joint_a", "joint_b", "pinion", "rack", "turning", "sliding")
        named: list[tuple[Location, str | None]] = [((key,), getattr(coupler, key, None)) for key in keys]
        named += [(("terms", k, "joint"), term.joint) for k, term in entries(getattr(coupler, "terms", ()))]
        for where, name in named:
            if name is not None and name not in known:
                yield Problem(("couplers", i, *where), unknown("joint", name, joints))
        for key in ("ratio", "radius", "lead"):
            if getattr(coupler, key, None) == 0:
                yield Problem(("couplers", i, key), "0 couples nothing; give another number")


def check_forces(model: ScenarioModel) -> Iterator[Problem]:
    """Problems of the force elements: names, and bodies, markers and joints that do not exist."""
    yield from doubled_names("forces", model.forces)
    joints = {joint.name: joint for joint in tables(model.joints) if joint.name is not None}
    bodies = names(model.bodies)
    known = {*bodies, *names(model.markers)}
    for i, force in entries(model.forces):
        where = ("forces", i)
        yield from _check_two_bodies(where, force, known, bodies)
        if getattr(force, "body", None) == WORLD:
            yield Problem((*where, "body"), f"{shown(WORLD)} cannot be pushed; name a body or marker")
        else:
            yield from _check_body((*where, "body"), force, known, bodies, world=False)
        yield from zero_axes(where, force, ("axis",))
        name = getattr(force, "joint", None)
        if name is not None and name not in joints:
            yield Problem((*where, "joint"), unknown("joint", name, joints))
        elif name is not None:
            yield from _check_on_joint(where, force, joints[name].kind)


def _check_on_joint(where: Location, force: Any, kind: str | None) -> Iterator[Problem]:
    """A force along a coordinate of a joint, whose kind is None where the file does not tell."""
    if kind is None:
        return
    if force.kind == "swing_twist_stop":
        if kind != "spherical":
            yield Problem((*where, "joint"), f"is {kind}; a swing_twist_stop needs a spherical joint")
    elif kind in WITH_QUATERNION:
        if (kind, force.kind) != ("spherical", "joint_friction"):
            told = f"is {kind}: its rotation has no single coordinate; use swing_twist_stop"
            yield Problem((*where, "joint"), told)
    elif (coordinate := force.coordinate) is not None and coordinate >= (n := N_SPEEDS[kind]):
        allowed = f"0 to {n - 1}" if n > 1 else ("0" if n else "none")
        yield Problem((*where, "coordinate"), f"{coordinate}; the {kind} joint has {allowed}")


def _check_body(
    where: Location, table: Table, known: Collection[str], bodies: list[str], *, world: bool
) -> Iterator[Problem]:
    """The body that a table names at the last key of ``where``; ``world``: it may be the world."""
    name = getattr(table, str(where[-1]), None)
    if name is None or name in known or (name == WORLD and world):
        return
    wrong = f"{shown(WORLD)} cannot be carried; swap parent and child"
    yield Problem(where, wrong if name == WORLD else unknown("body", name, bodies))


def _check_two_bodies(where: Location, table: Table, known: Collection[str], bodies: list[str]) -> Iterator[Problem]:
    for key in ("body_a", "body_b"):
        yield from _check_body((*where, key), table, known, bodies, world=True)
    a, b = getattr(table, "body_a", None), getattr(table, "body_b", None)
    if a is not None and a == b:
        yield Problem((*where, "body_b"), f"{shown(b)} is body_a too; give two different bodies")


def _check_tree(model: ScenarioModel) -> Iterator[Problem]:
    """Bodies with two parents, and cycles."""
    carrier: dict[str, tuple[int, str]] = {}
    for i, joint in entries(model.joints):
        if joint.child in carrier:
            first = carrier[joint.child][0]
            told = (
                f"{shown(joint.child)} already has a parent by joints[{first}]; close the loop with [[loops]] instead"
            )
            yield Problem(("joints", i, "child"), told)
        elif joint.child is not None:
            carrier[joint.child] = (i, joint.parent or WORLD)
    yield from _check_cycles(carrier)


def _check_cycles(carrier: dict[str, tuple[int, str]]) -> Iterator[Problem]:
    settled = set[str]()
    for start in carrier:
        way: dict[str, None] = {}
        body = start
        while body in carrier and body not in settled and body not in way:
            way[body] = None
            body = carrier[body][1]
        if body in way:
            cycle = list(way)[list(way).index(body) :]
            chain = " ← ".join(shown(each) for each in [*cycle[:10], *(["…"] if len(cycle) > 10 else []), body])
            told = f"the joints go round in a circle: {chain}; make one of them a loop under [[loops]]"
            yield Problem(("joints", carrier[body][0], "parent"), told)
        settled.update(way)


def _check_axes(where: Location, joint: Joint) -> Iterator[Problem]:
    if joint.kind != "universal" and given(joint, "second_axis"):
        yield Problem((*where, "second_axis"), f"belongs to universal joints, this one is {joint.kind}")
    if given(joint, "orientation") and given(joint, "axis") and joint.axis and not is_zero(joint.axis):
        yield Problem((*where, "orientation"), "give axis or orientation, not both")


def _check_rotor(where: Location, joint: Joint) -> Iterator[Problem]:
    allowed = [each.value for each in WITH_ROTORS]
    if joint.kind not in allowed and joint.rotor_inertia:
        words = f"{joint.kind} joints have none, only {', '.join(allowed)} ones; leave it out"
        yield Problem((*where, "rotor_inertia"), words)


def _check_counts(where: Location, joint: Joint) -> Iterator[Problem]:
    """Start values, speeds and motions must be as many as the joint has."""
    kind, n = joint.kind, N_SPEEDS[joint.kind]
    for key, wanted in (("coordinates", N_COORDINATES[kind]), ("speeds", n), ("motions", n)):
        value = getattr(joint, key) if given(joint, key) else None
        if value is not None and len(value) != wanted:
            yield Problem((*where, key), f"{len(value)} values; a {kind} joint has {wanted}")
    if given(joint, "motion") and n != 1:
        yield Problem((*where, "motion"), f"a {kind} joint has {n} coordinates; use motions")
    if given(joint, "motion") and given(joint, "motions"):
        yield Problem((*where, "motions"), "give motion or motions, not both")
    if not given(joint, "motion") and not given(joint, "motions"):
        return
    if kind in WITH_QUATERNION:
        yield Problem((*where, "motion"), f"cannot be prescribed for a {kind} joint")
    for key in ("coordinates", "speeds"):
        if given(joint, key):
            yield Problem((*where, key), "the motion sets it; leave it out")
