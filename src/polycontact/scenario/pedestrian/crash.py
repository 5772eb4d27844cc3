"""The pedestrian crash of the PCM paper (S0.77–S0.80): a car at 30 km/h hits a man who crosses the road.

The paper gives masses, numbers of segments, triangles and degrees of freedom, the pairings' c_l, d_l and μ. Chosen
here, because it does not give them: the shapes, the damping transition u_d, the friction velocity v_ε, the end stops,
the start pose and the twelve pairings of the man with himself (`skeleton`, `pose`).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np

from polycontact.contact.laws import LayerLaw, RegularisedCoulomb
from polycontact.contact.layers import ElasticLayer
from polycontact.contact.result import Base
from polycontact.multibody.built_in_forces import EndStop, SwingTwistStop
from polycontact.multibody.motion_functions import ConstantVelocity
from polycontact.multibody.multibody_system import MultibodySystem
from polycontact.multibody.rotations import to_quaternion
from polycontact.scenario.pedestrian.anthropometry import segment_inertias
from polycontact.scenario.pedestrian.car import car_surface
from polycontact.scenario.pedestrian.landmarks import SEGMENTS
from polycontact.scenario.pedestrian.pose import WALKING, joint_rotation, start_pose
from polycontact.scenario.pedestrian.segments import segment_surfaces
from polycontact.scenario.pedestrian.skeleton import JOINTS, MAN_PAIRINGS, JointKind, ManJoint
from polycontact.surfaces.shapes import plane

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
TRANSITION_DEPTH: Final = 1e-3
"""u_d, m."""
FLESH: Final = ElasticLayer(youngs_modulus=3.92e5, poissons_ratio=0.4, thickness=0.02)
"""Layer of the man, 4.2e7 N/m³: two in series are the paper's 2.1e7."""
BODYWORK: Final = ElasticLayer(youngs_modulus=1.344e8 * 0.05 * 1.3 * 0.4 / 0.7, poissons_ratio=0.3, thickness=0.05)
"""Layer of the car, 1.344e8 N/m³: in series with the man's it is the paper's 3.2e7."""

_AXES: Final = {"x": (1.0, 0.0, 0.0), "y": (0.0, 1.0, 0.0)}
_COLOURS: Final = {"head": "#d9a987", "torso": "#4c72b0", "pelvis": "#3b3f4a"}


@dataclass(frozen=True)
class PedestrianCrash:
    """The scenario. ``friction_velocity`` v_ε in m/s; ``road``: let the man also touch the road."""

    friction_velocity: float = 0.01
    road: bool = False

    @property
    def name(self) -> str:
        """Name of the scenario."""
        return "pedestrian_road" if self.road else "pedestrian"

    @property
    def description(self) -> str:
        """What it shows."""
        text = "A car at 30 km/h hits a man of 15 segments (Hippmann 2003, section 4)."
        return text + (" With the road under him." if self.road else "")

    @property
    def settings(self) -> dict[str, Any]:
        """Keyword arguments of `simulate`."""
        return {"end_time": 1.5, "integrator": "cvode-bdf", "rtol": 1e-3, "atol": 1e-3, "output_step": 0.005}

    @property
    def source(self) -> str | None:
        """It is made by Python."""
        return None

    @property
    def folder(self) -> Path | None:
        """It reads no files."""
        return None

    def build(self) -> MultibodySystem:
        """The multibody system, new each time."""
        system = MultibodySystem(self.name)
        _add_man(system)
        _add_car(system)
        friction = RegularisedCoulomb(coefficient=FRICTION, velocity=self.friction_velocity)
        on_car = LayerLaw(damping=CAR_DAMPING, transition_depth=TRANSITION_DEPTH)
        on_man = LayerLaw(damping=MAN_DAMPING, transition_depth=TRANSITION_DEPTH)
        for name in SEGMENTS:
            system.add_contact(name, "car", law=on_car, friction=friction, base=Base.E)
        for first, second in MAN_PAIRINGS:
            system.add_contact(first, second, law=on_man, friction=friction, base=Base.BOTH)
        if self.road:
            system.add_body("road", surface=plane((20.0, 20.0)), fixed=True, colour="#8a8a8a")
            for name in SEGMENTS:
                system.add_contact(name, "road", law=on_car, friction=friction, base=Base.E)
        return system


def _add_man(system: MultibodySystem) -> None:
    """Segments and joints, in the step of `pose.WALKING`, facing the y axis across the road."""
    surfaces, inertias = segment_surfaces(), segment_inertias()
    turned = np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
    hips = start_pose()["pelvis"]
    for name in SEGMENTS:
        own = inertias[name]
        system.add_body(
            name,
            surface=surfaces[name],
            mass=own.mass,
            centre=own.centre,
            inertia=own.inertia,
            layer=FLESH,
            colour=_COLOURS.get(name, "#c68e6b"),
            position=turned @ hips.position,
            rotation=turned,
            velocity=turned @ np.array([WALKING_SPEED, 0.0, 0.0]),
        )
    for joint in JOINTS:
        _add_joint(system, joint)
        _add_stops(system, joint)


def _add_joint(system: MultibodySystem, joint: ManJoint) -> None:
    angles = WALKING[joint.name]
    if joint.kind is JointKind.SPHERICAL:
        quaternion = to_quaternion(joint_rotation(angles))
        system.add_joint(joint.name, "spherical", joint.parent, joint.child, at=joint.position, coordinates=quaternion)
        return
    axes = [_AXES[each.axis] for each in joint.ranges]
    system.add_joint(
        joint.name,
        joint.kind.value,
        joint.parent,
        joint.child,
        at=joint.position,
        axis=axes[0],
        second_axis=axes[1] if len(axes) > 1 else None,
        coordinates=np.radians(angles),
    )


def _add_stops(system: MultibodySystem, joint: ManJoint) -> None:
    stop = joint.stop
    for i, each in enumerate(joint.ranges):
        system.add_force(
            EndStop(
                f"{joint.name} stop {each.axis}",
                joint.name,
                i,
                math.radians(each.lower),
                math.radians(each.upper),
                stop.stiffness,
                stop.damping,
            )
        )
    if joint.swing is not None:
        system.add_force(
            SwingTwistStop(
                f"{joint.name} stop",
                joint.name,
                math.radians(joint.swing.swing),
                math.radians(joint.swing.twist),
                stop.stiffness,
                stop.damping,
                axis=(0.0, 0.0, -1.0),
                cone=joint.swing.direction,
            )
        )


def _add_car(system: MultibodySystem) -> None:
    """The car on a track along x at constant speed: its mass does not matter."""
    system.add_body("car", surface=car_surface(), density=200.0, layer=BODYWORK, colour="#a02020")
    system.add_joint(
        "car drive",
        "prismatic",
        "world",
        "car",
        axis=(1.0, 0.0, 0.0),
        motion=ConstantVelocity(CAR_SPEED, CAR_START),
    )
