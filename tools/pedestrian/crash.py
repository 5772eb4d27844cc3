"""The pedestrian crash of the PCM paper (S0.77–S0.80) as a scenario: a car at 30 km/h hits a man who crosses the road.

The paper gives masses, numbers of segments, triangles and degrees of freedom, the pairings' c_l, d_l and μ. Chosen
here, because it does not give them: the shapes, the damping transition u_d, the friction velocity v_ε, the end stops,
the start pose and the twelve pairings of the man with himself (`skeleton`, `pose`).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, Final

import numpy as np

from polycontact.multibody.rotations import to_quaternion
from tools.pedestrian.anthropometry import segment_inertias
from tools.pedestrian.landmarks import SEGMENTS
from tools.pedestrian.pose import WALKING, joint_rotation, start_height
from tools.pedestrian.skeleton import JOINTS, MAN_PAIRINGS, JointKind, ManJoint
from tools.toml_text import document, table

CAR_SPEED: Final = 30.0 / 3.6
"""m/s."""
WALKING_SPEED: Final = 1.2
"""Of the whole man across the road, m/s."""
CAR_START: Final = -0.40
"""Front of the car along x when the man's hips are at 0, m."""
MAN_DAMPING: Final = 2.0e5
"""d_l between segments of the man, N s/m³ (paper)."""
CAR_DAMPING: Final = 1.0e5
"""d_l between the car and the man, N s/m³ (paper)."""
FRICTION: Final = 0.4
"""μ of all pairings (paper)."""
FRICTION_VELOCITY: Final = 0.01
"""v_ε, m/s."""
TRANSITION_DEPTH: Final = 1e-3
"""u_d, m."""
FLESH: Final = {"youngs_modulus": 3.92e5, "poissons_ratio": 0.4, "thickness": 0.02}
"""Layer of the man, 4.2e7 N/m³: two in series are the paper's 2.1e7."""
BODYWORK: Final = {"youngs_modulus": 1.344e8 * 0.05 * 1.3 * 0.4 / 0.7, "poissons_ratio": 0.3, "thickness": 0.05}
"""Layer of the car, 1.344e8 N/m³: in series with the man's it is the paper's 3.2e7."""
CAR_DENSITY: Final = 200.0
"""kg/m³; its motion is prescribed, so its mass does not matter."""

MESH_FOLDER: Final = "pedestrian"
"""Folder of the meshes, beside the scenario files."""

_HEADER: Final = """\
Hippmann (2003), section 4, gives masses, numbers of segments, triangles and degrees of freedom, and layer stiffness,
damping and friction of the contacts. Ours, because the paper does not give them: shapes, depth and velocity over which
damping and friction fade in, end stops, start pose, and which segments of the man may touch each other.

The man looks along y, across the road; z is up. All frames of his segments are parallel when he stands: x forward,
y to his left, z up, origin at the joint nearer to the pelvis. The car drives along x.

Made by tools/pedestrian of polycontact's repository. m, kg, s, rad."""
_DESCRIPTION: Final = "A car at 30 km/h hits a man of 15 segments (Hippmann 2003, section 4)."
_AXES: Final = {"x": (1.0, 0.0, 0.0), "y": (0.0, 1.0, 0.0)}
_COLOURS: Final = {"head": "#d9a987", "torso": "#4c72b0", "pelvis": "#3b3f4a"}


def scenario_text(*, road: bool) -> str:
    """TOML text of the scenario; ``road``: let the man also touch the road."""
    return document(
        _HEADER,
        [
            table(
                "[scenario]",
                name="pedestrian_road" if road else "pedestrian",
                description=_DESCRIPTION + (" With the road under him." if road else ""),
            ),
            table("[simulation]", end_time=1.5, integrator="cvode-bdf", rtol=1e-3, atol=1e-3, output_step=0.005),
            table("[materials.flesh]", comment="4.2e7 N/m³; two in series are the paper's 2.1e7", **FLESH),
            table("[materials.bodywork]", comment="1.344e8 N/m³; with the flesh the paper's 3.2e7", **BODYWORK),
            *_bodies(road),
            *(_joint(joint) for joint in JOINTS),
            _car_drive(),
            *(stop for joint in JOINTS for stop in _stops(joint)),
            _contact(road),
        ],
    )


def mesh_file(name: str) -> str:
    """Path of the mesh of a segment or the car, relative to the scenario file."""
    return f"{MESH_FOLDER}/{name.replace(' ', '_')}.ply"


def _bodies(road: bool) -> Iterator[str]:
    """Segments, of which the pelvis is free and the others are placed by their joints; the car; the road."""
    for name in SEGMENTS:
        own = segment_inertias()[name]
        yield table(
            "[[bodies]]",
            name=name,
            shape={"kind": "mesh", "file": mesh_file(name)},
            material="flesh",
            mass=own.mass,
            centre=own.centre,
            inertia_matrix=own.inertia,
            colour=_COLOURS.get(name, "#c68e6b"),
            **(_start() if name == "pelvis" else {}),
        )
    shape = {"kind": "mesh", "file": mesh_file("car")}
    yield table("[[bodies]]", name="car", shape=shape, material="bodywork", density=CAR_DENSITY, colour="#a02020")
    if road:
        yield table(
            "[[bodies]]", name="road", shape={"kind": "plane", "size": (20.0, 20.0)}, fixed=True, colour="#8a8a8a"
        )


def _start() -> dict[str, Any]:
    """The hips in the step of `pose.WALKING`, looking along y."""
    return {
        "position": (0.0, 0.0, start_height()),
        "orientation": {"axis": (0.0, 0.0, 1.0), "angle_degrees": 90.0},
        "velocity": (0.0, WALKING_SPEED, 0.0),
    }


def _joint(joint: ManJoint) -> str:
    angles = WALKING[joint.name]
    axes = [_AXES[each.axis] for each in joint.ranges]
    if joint.kind is JointKind.SPHERICAL:
        coordinates = to_quaternion(joint_rotation(angles))
    else:
        coordinates = np.radians(angles)
    return table(
        "[[joints]]",
        comment=f"at the start turned by {_turns(angles)}",
        name=joint.name,
        kind=joint.kind.value,
        parent=joint.parent,
        child=joint.child,
        at=joint.position,
        **dict(zip(("axis", "second_axis"), axes, strict=False)),
        coordinates=coordinates,
    )


def _turns(angles: tuple[float, ...]) -> str:
    """Angles of a joint in words: about y, then about the turned x, then about the turned z."""
    return ", then ".join(f"{angle:g}° about {axis}" for angle, axis in zip(angles, "yxz", strict=False))


def _car_drive() -> str:
    """The car on a track along x at constant speed."""
    return table(
        "[[joints]]",
        name="car drive",
        kind="prismatic",
        parent="world",
        child="car",
        axis=(1.0, 0.0, 0.0),
        motion={"kind": "constant_velocity", "speed": CAR_SPEED, "start": CAR_START},
    )


def _stops(joint: ManJoint) -> Iterator[str]:
    stop = {"stiffness": joint.stop.stiffness, "damping": joint.stop.damping}
    for i, each in enumerate(joint.ranges):
        yield table(
            "[[forces]]",
            comment=f"{each.lower:g}° to {each.upper:g}°",
            kind="end_stop",
            name=f"{joint.name} stop {each.axis}",
            joint=joint.name,
            coordinate=i,
            lower=math.radians(each.lower),
            upper=math.radians(each.upper),
            **stop,
        )
    if joint.swing is not None:
        yield table(
            "[[forces]]",
            comment=f"swing up to {joint.swing.swing:g}°, twist up to {joint.swing.twist:g}°",
            kind="swing_twist_stop",
            name=f"{joint.name} stop",
            joint=joint.name,
            swing=math.radians(joint.swing.swing),
            twist=math.radians(joint.swing.twist),
            axis=(0.0, 0.0, -1.0),
            cone=joint.swing.direction,
            **stop,
        )


def _contact(road: bool) -> str:
    """Every segment may touch the car, twelve pairs of segments each other, and on a road all of them the road."""
    pairs: list[dict[str, object]] = [{"bodies": (name, "car")} for name in SEGMENTS]
    pairs += [{"bodies": pair, "damping": MAN_DAMPING, "base": "both"} for pair in MAN_PAIRINGS]
    pairs += [{"bodies": (name, "road")} for name in SEGMENTS if road]
    return table(
        "[contact]",
        base="E",
        depth="base_normal",  # as the paper measures it
        damping=CAR_DAMPING,
        transition_depth=TRANSITION_DEPTH,
        friction={"coefficient": FRICTION, "velocity": FRICTION_VELOCITY},
        pairs=pairs,
    )
