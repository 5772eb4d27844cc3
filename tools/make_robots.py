"""Write the scenarios of the two robots into the package: ``python tools/make_robots.py [FOLDER]``.

Each file is what a builder of `polycontact.robots` gives, as data: links, joints, drives and their motions.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # run as a script, it finds its neighbours too

from polycontact.contact.kinds import to_plain
from polycontact.multibody.motion_functions import Motion, SplineMotion
from polycontact.robots.hexapod_model import TRUNK, WALK, hexapod
from polycontact.robots.manipulator_model import END_TIME, manipulator
from polycontact.robots.robot_model import DrivenJoint, Link, LinkShape, Robot, Vector
from tools.toml_text import document, table

PACKAGE_DATA: Final = Path(__file__).resolve().parents[1] / "src" / "polycontact" / "scenario" / "data"
"""Where the package keeps its scenarios."""

DIGITS: Final = 6
"""Of angles, rad: a millionth is far below what drives hold."""

_MADE: Final = "Made by tools/make_robots.py of polycontact's repository. m, kg, s, rad."
_ARM: Final = """\
A five-axis arm after the Mitsubishi RV-E3J (Schmucker, Rusin, Konyev 2007, section 3.1) under PD control. {what}

As the maker tells it, to our knowledge: five axes, about 33 kg, an upper arm of 250 mm, a forearm of 160 mm, a reach of
about 0.6 m. Ours: how the mass is spread (11 kg stand still in the base), gains and limits of the drives, the tool, the
path. Law and restitution are equation (1) of the source as printed, friction is its equation (2).

The source varies the stiffness of the plate: 1e5, 1e4, 1e3 and 500 N/m. It is the key "stiffness" of [contact]'s law;
friction takes it over.
"""
_HEXAPOD: Final = """\
A six-legged robot after SLAIR2 (Schmucker, Rusin, Konyev 2007, section 3.2): three trunk segments, joined by universal
joints, and six legs of three joints, all under PD control. It stands for a second and then makes four steps with tripod
gait. {what}

The source gives the structure, no data: lengths, masses (15.9 kg in all), gains and the gait are ours.
"""
_FELL: Final = {
    "kind": "tilted_beyond",
    "body": TRUNK,
    "angle": 0.8,
    "meaning": "fell over",
}
_SANK: Final = {"kind": "below_height", "body": TRUNK, "height": 0.06, "meaning": "lies on the ground"}


def robot_files() -> Iterator[tuple[str, str]]:
    """Name and text of every file."""
    for task, what, described in (
        (
            "normal",
            "Its tool comes down\non a plate, presses and leaves.",
            "The tool of a five-axis arm presses on a plate and leaves it (Schmucker 2007); convex, restitution.",
        ),
        (
            "free",
            "Its tool comes down\non a plate, slides along it and leaves.",
            "The tool of a five-axis arm comes down on a plate, slides and lifts (Schmucker 2007); convex.",
        ),
    ):
        arm = manipulator(task)  # type: ignore[arg-type]
        timing: dict[str, Any] = {
            "end_time": END_TIME,
            "rtol": 1e-5,
            "atol": 1e-6,
            "output_step": 0.005,
            "contact_events": True,
        }
        yield (
            f"manipulator_{task}.toml",
            robot_text(_ARM.format(what=what), described, arm.robot, timing, arm.coordinates, arm.targets),
        )
    for feet, what, described in (
        (
            "points",
            "Its spherical feet touch a plate in points.",
            "A six-legged robot with a jointed trunk stands, then makes four steps in tripod gait (Schmucker 2007).",
        ),
        (
            "polygonal",
            "Its feet are meshes, the ground has waves of 6 mm.",
            "The six-legged robot on uneven ground: feet and ground are meshes with areas of contact.",
        ),
    ):
        walking = hexapod(feet=feet)
        settings: dict[str, Any] = {"end_time": WALK.end_time, "rtol": 3e-4, "atol": 3e-5, "output_step": 0.01}
        settings |= {"stop_when": [_FELL, _SANK]}
        yield (
            f"{walking.robot.name}.toml",
            robot_text(
                _HEXAPOD.format(what=what),
                described,
                walking.robot,
                settings,
                walking.coordinates,
                walking.targets,
                walking.places,
            ),
        )


def robot_text(
    header: str,
    description: str,
    robot: Robot,
    settings: Mapping[str, Any],
    coordinates: Mapping[str, NDArray[np.float64]],
    targets: Mapping[str, tuple[Motion, ...]],
    places: Mapping[str, Vector] | None = None,
) -> str:
    """The scenario file of a robot."""
    carried = {joint.child for joint in robot.joints}
    return document(
        f"{header}\n{_MADE}",
        [
            table("[scenario]", name=robot.name, description=description),
            table("[simulation]", **settings),
            *(_body(link, carried, (places or {}).get(link.name, link.position)) for link in robot.links),
            *(_joint(joint, coordinates) for joint in robot.joints),
            *(force for joint in robot.joints for force in _forces(joint, targets[joint.name])),
            _contact(robot),
        ],
    )


def _body(link: Link, carried: set[str], position: Vector) -> str:
    where: dict[str, Any] = {} if link.name in carried or not any(position) else {"position": position}
    mass: dict[str, Any] = {"fixed": True} if link.mass is None else {"mass": link.mass}
    shapes = [_shape(shape) for shape in link.shapes]
    made: dict[str, Any] = {"shape": shapes[0]} if len(shapes) == 1 else {"shapes": shapes}
    return table("[[bodies]]", name=link.name, **made, **mass, **where, colour=link.colour)


def _shape(shape: LinkShape) -> dict[str, Any]:
    content: dict[str, Any] = {"kind": shape.kind, **shape.arguments}
    if any(shape.position):
        content["position"] = shape.position
    if shape.turn is not None:
        content["orientation"] = {"axis": shape.turn[0], "angle_degrees": shape.turn[1]}
    if shape.geometry != "mesh":
        content["geometry"] = shape.geometry
    if not shape.contact:
        content["contact"] = False
    if shape.colour is not None:
        content["colour"] = shape.colour
    return content


def _joint(joint: DrivenJoint, coordinates: Mapping[str, NDArray[np.float64]]) -> str:
    content: dict[str, Any] = {"kind": joint.kind, "parent": joint.parent, "child": joint.child, "at": joint.at}
    content["axis"] = joint.axis
    if joint.second_axis is not None:
        content["second_axis"] = joint.second_axis
    if any(joint.child_at):
        content["child_at"] = joint.child_at
    if joint.name in coordinates:
        content["coordinates"] = _rounded(coordinates[joint.name])
    return table("[[joints]]", name=joint.name, **content)


def _forces(joint: DrivenJoint, targets: tuple[Motion, ...]) -> Iterator[str]:
    for k, (drive, target) in enumerate(zip(joint.drives, targets, strict=True)):
        which: dict[str, Any] = {"coordinate": k} if k else {}
        yield table(
            "[[forces]]",
            kind="motor",
            name=joint.motor(k),
            joint=joint.name,
            **which,
            stiffness=drive.stiffness,
            damping=drive.damping,
            limit=drive.limit,
            target=_motion(target),
        )
        yield table(
            "[[forces]]",
            kind="end_stop",
            name=joint.stop(k),
            joint=joint.name,
            **which,
            lower=round(drive.lower, DIGITS),
            upper=round(drive.upper, DIGITS),
            stiffness=drive.stop_stiffness,
            damping=drive.stop_damping,
        )


def _motion(motion: Motion) -> dict[str, Any]:
    assert isinstance(motion, SplineMotion)
    return {"kind": "spline", "times": _rounded(motion.times), "values": _rounded(motion.values)}


def _contact(robot: Robot) -> str:
    pairs = [{"bodies": (contact.e, contact.f), "name": contact.name} for contact in robot.contacts]
    friction: dict[str, Any] = {} if robot.friction is None else {"friction": _given(to_plain(robot.friction))}
    return table("[contact]", law=_given(to_plain(robot.law)), **friction, pairs=pairs)


def _given(content: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in content.items() if value is not None}


def _rounded(values: Any) -> list[float]:
    """Numbers with as many digits as count, and no minus before a zero."""
    return [round(float(value), DIGITS) + 0.0 for value in np.asarray(values)]


def main() -> None:
    """Write all files."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else PACKAGE_DATA
    for name, text in robot_files():
        (folder / name).write_text(text, encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
