"""Checks of joints, loops, couplers and forces: references, a tree without cycles, and numbers of coordinates."""

from __future__ import annotations

from collections.abc import Iterator

from polycontact.multibody.joint_types import WITH_ROTORS
from polycontact.multibody.rigid_bodies import WORLD
from polycontact.scenario.checks.raw_content import (
    Raw,
    doubled_names,
    entries,
    is_number,
    is_zero,
    names,
    text,
    zero_axes,
)
from polycontact.scenario.file_problems import Location, Problem, shown, unknown
from polycontact.scenario.schema.joint_keys import N_COORDINATES, N_SPEEDS, WITH_QUATERNION


def check_joints(raw: Raw) -> Iterator[Problem]:
    """Problems of the joints: names, bodies, the tree that they form, axes and counts."""
    yield from doubled_names(raw, "joints")
    yield from _check_tree(raw)
    known = set(names(raw, "bodies"))
    for i, joint in entries(raw, "joints"):
        where = ("joints", i)
        yield from _check_body(raw, (*where, "parent"), joint, known, world=True)
        yield from _check_body(raw, (*where, "child"), joint, known, world=False)
        yield from zero_axes(where, joint, ("axis", "second_axis"))
        yield from _check_axes(where, joint)
        yield from _check_counts(where, joint)
        yield from _check_rotor(where, joint)


def check_markers(raw: Raw) -> Iterator[Problem]:
    """Problems of all markers."""
    yield from doubled_names(raw, "markers")
    known = set(names(raw, "bodies"))
    for i, marker in entries(raw, "markers"):
        name, body = text(marker, "name"), text(marker, "body")
        if name in known or name == WORLD:
            yield Problem(("markers", i, "name"), f"{shown(name)} is the name of a body; choose another")
        if body is not None and body != WORLD and body not in known:
            yield Problem(("markers", i, "body"), unknown("body", body, names(raw, "bodies")))


def check_loops(raw: Raw) -> Iterator[Problem]:
    """Problems of the loops: names, bodies, axes and lengths that do not suit the kind."""
    yield from doubled_names(raw, "loops")
    known = {*names(raw, "bodies"), *names(raw, "markers")}
    for i, loop in entries(raw, "loops"):
        yield from _check_two_bodies(raw, ("loops", i), loop, known)
        yield from zero_axes(("loops", i), loop, ("axis_a", "axis_b"))
        kind = text(loop, "kind")
        if "length" in loop and kind not in (None, "distance"):
            yield Problem(("loops", i, "length"), 'belongs to kind = "distance" only')
        if "length" not in loop and kind == "distance":
            yield Problem(("loops", i, "length"), "is missing; give the length of the rod, m")


def check_couplers(raw: Raw) -> Iterator[Problem]:
    """Problems of all couplers."""
    yield from doubled_names(raw, "couplers")
    known = set(names(raw, "joints"))
    for i, coupler in entries(raw, "couplers"):
        keys = ("joint_a", "joint_b", "pinion", "rack", "turning", "sliding")
        named: list[tuple[Location, str | None]] = [((key,), text(coupler, key)) for key in keys]
        named += [(("terms", k, "joint"), text(term, "joint")) for k, term in entries(coupler, "terms")]
        for where, name in named:
            if name is not None and name not in known:
                yield Problem(("couplers", i, *where), unknown("joint", name, names(raw, "joints")))
        for key in ("ratio", "radius", "lead"):
            if is_number(coupler.get(key)) and coupler[key] == 0:
                yield Problem(("couplers", i, key), "0 couples nothing; give another number")


def check_forces(raw: Raw) -> Iterator[Problem]:
    """Problems of the force elements: names, and bodies, markers and joints that do not exist."""
    yield from doubled_names(raw, "forces")
    known = {*names(raw, "bodies"), *names(raw, "markers")}
    joints = {text(joint, "name"): joint for _, joint in entries(raw, "joints")}
    for i, force in entries(raw, "forces"):
        where = ("forces", i)
        yield from _check_two_bodies(raw, where, force, known)
        if text(force, "body") == WORLD:
            yield Problem((*where, "body"), f"{shown(WORLD)} cannot be pushed; name a body or marker")
        else:
            yield from _check_body(raw, (*where, "body"), force, known, world=False)
        yield from zero_axes(where, force, ("axis",))
        name = text(force, "joint")
        if name is not None and name not in joints:
            yield Problem((*where, "joint"), unknown("joint", name, names(raw, "joints")))
        elif name is not None:
            yield from _check_on_joint(where, force, joints[name])


def _check_on_joint(where: Location, force: Raw, joint: Raw) -> list[Problem]:
    kind = text(joint, "kind")
    swings = text(force, "kind") == "swing_twist_stop"
    if kind not in N_SPEEDS:
        return []
    if swings:
        fits = kind == "spherical"
        return [] if fits else [Problem((*where, "joint"), f"is {kind}; a swing_twist_stop needs a spherical joint")]
    if kind == "spherical" and text(force, "kind") == "joint_friction":
        return []
    if kind in WITH_QUATERNION:
        return [Problem((*where, "joint"), f"is {kind}: its rotation has no single coordinate; use swing_twist_stop")]
    coordinate, n = force.get("coordinate", 0), N_SPEEDS[kind]
    if is_number(coordinate) and not 0 <= coordinate < n:
        allowed = f"0 to {n - 1}" if n > 1 else ("0" if n else "none")
        return [Problem((*where, "coordinate"), f"{shown(coordinate)}; the {kind} joint has {allowed}")]
    return []


def _check_body(raw: Raw, where: Location, entry: Raw, known: set[str], *, world: bool) -> list[Problem]:
    name = text(entry, str(where[-1]))
    if name is None or name in known or (name == WORLD and world):
        return []
    if name == WORLD:
        return [Problem(where, f"{shown(WORLD)} cannot be carried; swap parent and child")]
    return [Problem(where, unknown("body", name, names(raw, "bodies")))]


def _check_two_bodies(raw: Raw, where: Location, entry: Raw, known: set[str]) -> list[Problem]:
    problems = []
    for key in ("body_a", "body_b"):
        problems += _check_body(raw, (*where, key), entry, known, world=True)
    a, b = text(entry, "body_a"), text(entry, "body_b")
    if a is not None and a == b:
        problems.append(Problem((*where, "body_b"), f"{shown(b)} is body_a too; give two different bodies"))
    return problems


def _check_tree(raw: Raw) -> list[Problem]:
    """Bodies with two parents, and cycles."""
    problems, carrier = [], dict[str, tuple[int, str]]()
    for i, joint in entries(raw, "joints"):
        child = text(joint, "child")
        if child is None:
            continue
        if child in carrier:
            problems.append(
                Problem(
                    ("joints", i, "child"),
                    f"{shown(child)} already has a parent by joints[{carrier[child][0]}]; "
                    f"close the loop with [[loops]] instead",
                )
            )
        else:
            carrier[child] = (i, text(joint, "parent") or WORLD)
    return problems + _check_cycles(carrier)


def _check_cycles(carrier: dict[str, tuple[int, str]]) -> list[Problem]:
    problems, settled = [], set[str]()
    for start in carrier:
        way: dict[str, None] = {}
        body = start
        while body in carrier and body not in settled and body not in way:
            way[body] = None
            body = carrier[body][1]
        if body in way:
            cycle = list(way)[list(way).index(body) :]
            chain = " ← ".join(shown(each) for each in [*cycle[:10], *(["…"] if len(cycle) > 10 else []), body])
            problems.append(
                Problem(
                    ("joints", carrier[body][0], "parent"),
                    f"the joints go round in a circle: {chain}; make one of them a loop under [[loops]]",
                )
            )
        settled.update(way)
    return problems


def _check_axes(where: Location, joint: Raw) -> list[Problem]:
    problems = []
    kind = text(joint, "kind")
    if kind in N_SPEEDS and kind != "universal" and "second_axis" in joint:
        problems.append(Problem((*where, "second_axis"), f"belongs to universal joints, this one is {kind}"))
    if "orientation" in joint and not is_zero(joint.get("axis")) and "axis" in joint:
        problems.append(Problem((*where, "orientation"), "give axis or orientation, not both"))
    return problems


def _check_rotor(where: Location, joint: Raw) -> Iterator[Problem]:
    kind, allowed = text(joint, "kind"), [each.value for each in WITH_ROTORS]
    if kind in N_SPEEDS and kind not in allowed and joint.get("rotor_inertia", 0.0) != 0.0:
        words = f"{kind} joints have none, only {', '.join(allowed)} ones; leave it out"
        yield Problem((*where, "rotor_inertia"), words)


def _check_counts(where: Location, joint: Raw) -> list[Problem]:
    """Start values, speeds and motions must be as many as the joint has."""
    kind = text(joint, "kind")
    if kind not in N_SPEEDS:
        return []
    problems = []
    for key, wanted in (("coordinates", N_COORDINATES), ("speeds", N_SPEEDS), ("motions", N_SPEEDS)):
        value = joint.get(key)
        if isinstance(value, list) and len(value) != wanted[kind]:
            problems.append(Problem((*where, key), f"{len(value)} values; a {kind} joint has {wanted[kind]}"))
    if "motion" in joint and N_SPEEDS[kind] != 1:
        problems.append(Problem((*where, "motion"), f"a {kind} joint has {N_SPEEDS[kind]} coordinates; use motions"))
    if "motion" in joint and "motions" in joint:
        problems.append(Problem((*where, "motions"), "give motion or motions, not both"))
    if ("motion" in joint or "motions" in joint) and kind in WITH_QUATERNION:
        problems.append(Problem((*where, "motion"), f"cannot be prescribed for a {kind} joint"))
    for key in ("coordinates", "speeds"):
        if key in joint and ("motion" in joint or "motions" in joint):
            problems.append(Problem((*where, key), "the motion sets it; leave it out"))
    return problems
