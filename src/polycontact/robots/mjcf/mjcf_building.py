"""From an MJCF file to bodies, joints, loops and forces of a multibody system, with the names of the file."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
from numpy.typing import ArrayLike

from polycontact.contact.laws import ContactProperties
from polycontact.contact.layers import ElasticLayer
from polycontact.contact.materials import Material
from polycontact.errors import RobotError
from polycontact.multibody import checks
from polycontact.multibody.joint_types import JointKind
from polycontact.multibody.multibody_system import MultibodySystem
from polycontact.multibody.rigid_bodies import WORLD, Shape
from polycontact.multibody.rotations import frame_with_z, to_quaternion
from polycontact.robots.adding import StartValues, refuse_taken, told_at, warn_of_leftovers
from polycontact.robots.mjcf.actuator_forces import JointForce, actuator_force, joint_forces
from polycontact.robots.mjcf.geom_shapes import GeomShapes
from polycontact.robots.mjcf.mjcf_model import GROUND, MESH, MjcfBody, MjcfJoint, MjcfModel
from polycontact.robots.mjcf.mjcf_reading import read_mjcf
from polycontact.robots.mjcf.start import Controls, Start, start_of
from polycontact.robots.parent_frames import Frame, identity_frame
from polycontact.robots.shape_making import ShapeOptions
from polycontact.surfaces.reading.source import shown

JOINT_KINDS: Final = {
    "hinge": JointKind.REVOLUTE,
    "slide": JointKind.PRISMATIC,
    "ball": JointKind.SPHERICAL,
    "free": JointKind.FREE,
}
"""What each type of joint in MJCF is called here."""

LOOP_KINDS: Final = {"connect": "spherical", "weld": "fixed"}
"""What each kind of equality that closes a loop is called here."""


def load_mjcf(path: str | os.PathLike[str], *, gravity: ArrayLike | None = None, **options: Any) -> MultibodySystem:
    """The model of an MJCF file as a multibody system of its own; ``options`` as for `add_mjcf`.

    ``gravity`` in m/s², by default that of the file.
    """
    system = MultibodySystem()
    model = add_mjcf(system, path, **options)
    system.name = model.name
    system.gravity = model.gravity if gravity is None else gravity
    return system


def add_mjcf(
    system: MultibodySystem,
    path: str | os.PathLike[str],
    *,
    prefix: str = "",
    position: ArrayLike = (0.0, 0.0, 0.0),
    rotation: ArrayLike | None = None,
    coordinates: StartValues | None = None,
    speeds: StartValues | None = None,
    key: str | None = None,
    controls: Controls | None = None,
    contact: str | None = "collision",
    geometry: str = MESH,
    layer: ElasticLayer | None = None,
    material: str | Material | None = None,
    contact_properties: ContactProperties | None = None,
    repair: bool = False,
    stop_stiffness: float | None = None,
    stop_damping: float = 0.0,
) -> MjcfModel:
    """Add the model of an MJCF file: its bodies, joints, sites and actuators, ``prefix`` before their names.

    ``position`` (m) and ``rotation`` (3, 3): where the world of the file stands. ``coordinates``: start values by names
    of joints, counted as in the file (qpos; rad, m, quaternions w, x, y, z), others start as the file places them;
    ``speeds`` (rad/s or m/s; angular velocities in the axes of the parent) too. ``key``: start from this key frame.
    ``controls``: signals (ctrl) of actuators by name, a number or a formula of time; where none is given zero, or the
    nearest in their range. ``contact``: which geoms take part in contact, "collision": those that the file lets
    collide, "visual": the others, None: none do. What takes part is what is seen; bodies without such geoms show their
    others. ``geometry``: as what, "mesh", or "convex" for exact primitives and convex hulls. ``layer``, ``material``
    and ``contact_properties`` of what takes part: see `Shape`. ``repair``: mend meshes as `repair_surface` does.
    ``stop_stiffness`` (N m/rad or N/m) and ``stop_damping`` (N m s/rad or N s/m) make an `EndStop` "JOINT stop" of each
    limit; without them limits are data.

    A body with several joints gets bodies without mass between them, "BODY/JOINT". The armature of a joint is its
    ``rotor_inertia``. Linear equalities of joints become couplers. Geoms in the world are those of the fixed body
    "worldbody". Sites become markers. Returns what the file says. What it holds beyond that is told in one
    `RobotWarning`. A model is added whole or, with an error, not at all.
    """
    model = read_mjcf(path)
    if not isinstance(prefix, str):
        raise RobotError(f"prefix is {prefix!r}; give a text that goes before all names")
    base = Frame(checks.rotation("model", "rotation", rotation), checks.array("model", "position", position, (3,), "m"))
    refuse_massless_motion(model)
    maker = GeomShapes(model, ShapeOptions(contact, geometry, layer, repair, material, contact_properties))
    shapes = {name: maker.shapes_of(name, body.geoms) for name, body in model.bodies.items()}
    shapes[WORLD] = maker.shapes_of(WORLD, model.world_geoms)
    start = start_of(model, key, coordinates, speeds, controls)
    builder = _Builder(model, prefix, base, shapes, start, stop_stiffness, stop_damping)
    refuse_taken(system, model.file, prefix, builder.names())
    builder.add_to(MultibodySystem())  # what is still wrong is told before the system has half a model
    builder.add_to(system)
    model = replace(model, ignored=(*model.ignored, *builder.left_out(), *maker.left_out))
    warn_of_leftovers(model.file, model.ignored)
    return model


def refuse_massless_motion(model: MjcfModel) -> None:
    """Refuse a body without mass that moves and carries none: no force could tell its acceleration."""
    has_mass = {name: body.mass is not None for name, body in model.bodies.items()}
    for name, body in reversed(list(model.bodies.items())):
        if has_mass[name] and body.parent != WORLD:
            has_mass[body.parent] = True
    for name, body in model.bodies.items():
        if body.joints and not has_mass[name]:
            raise RobotError(
                f"{model.file.name}: line {body.line}: body {shown(name)} moves, has no mass and carries none; give it "
                f"an <inertial>, or a geom with a density, or leave its joints out"
            )


def bodies_between(body: MjcfBody) -> tuple[str, ...]:
    """Names of the bodies without mass between the joints of a body, outwards."""
    return tuple(f"{body.name}/{joint.name}" for joint in body.joints[:-1])


def marker_names(model: MjcfModel) -> list[str]:
    """Names of the sites that become markers: those whose names no body has."""
    bodies = (name for body in model.bodies.values() for name in (*bodies_between(body), body.name))
    taken = {GROUND, *bodies}
    return [name for name in model.sites if name not in taken]


@dataclass(frozen=True, eq=False)
class _Builder:
    """A model that is to be added."""

    model: MjcfModel
    prefix: str
    base: Frame
    shapes: Mapping[str, list[Shape]]
    start: Start
    stop_stiffness: float | None
    stop_damping: float

    def names(self) -> dict[str, list[str]]:
        """Names that the system gets, by what they are."""
        bodies = [name for body in self.model.bodies.values() for name in (*bodies_between(body), body.name)]
        ground = [GROUND] if self.shapes[WORLD] else []
        joints = [joint.name for body in self.model.bodies.values() for joint in body.joints]
        fixed = [body.name for body in self.model.bodies.values() if not body.joints]
        found = {
            "body": [*ground, *bodies],
            "joint": [*joints, *fixed],
            "marker": list(marker_names(self.model)),
            "loop": list(self.model.loops),
        }
        named = {what: [self.prefix + name for name in names] for what, names in found.items()}
        forces = [force.name for force in self._forces()]
        return {**named, "coupler": list(self._coupler_names().values()), "force element": forces}

    def add_to(self, system: MultibodySystem) -> None:
        """Bodies with their joints, markers, loops and forces, in the order of the file."""
        if self.shapes[WORLD]:
            R, r = self.base
            system.add_body(self.prefix + GROUND, shapes=self.shapes[WORLD], fixed=True, position=r, rotation=R)
        for body in self.model.bodies.values():
            with told_at(self.model.file, body.line):
                self._add_body(system, body)
        for name in marker_names(self.model):
            site = self.model.sites[name]
            R, r = self._in_system(site.body).then(site.frame)
            system.add_marker(self.prefix + name, self._named(site.body), r, R)
        for loop in self.model.loops.values():
            with told_at(self.model.file, loop.line):
                (R_a, r_a), (R_b, r_b) = (
                    self._in_system(body).then(frame)
                    for body, frame in ((loop.body_a, loop.frame_a), (loop.body_b, loop.frame_b))
                )
                bodies = self._named(loop.body_a), self._named(loop.body_b)
                kind = LOOP_KINDS[loop.kind]
                system.add_loop(
                    self.prefix + loop.name, kind, *bodies, at_a=r_a, at_b=r_b, rotation_a=R_a, rotation_b=R_b
                )
        self._add_couplers(system)
        for force in self._forces():
            system.add_force(force)

    def _add_body(self, system: MultibodySystem, body: MjcfBody) -> None:
        """A body, with a body without mass for each of its joints but the last."""
        parent, frame = self._named(body.parent), self._in_system(body.parent).then(body.frame)
        for joint, name in zip(body.joints, bodies_between(body), strict=False):
            system.add_body(self.prefix + name, fixed=True)
            self._add_joint(system, joint, parent, self.prefix + name, frame)
            parent, frame = self.prefix + name, identity_frame()
        name = self.prefix + body.name
        inertia = {} if body.mass is None else body.mass._asdict()
        system.add_body(name, shapes=self.shapes[body.name], fixed=body.mass is None, **inertia)
        if body.joints:
            self._add_joint(system, body.joints[-1], parent, name, frame)
        else:
            R, r = frame
            system.add_joint(name, JointKind.FIXED, parent, name, at=r, rotation=R, child_rotation=np.eye(3))

    def _add_joint(self, system: MultibodySystem, joint: MjcfJoint, parent: str, child: str, frame: Frame) -> None:
        """A joint whose child stands in ``frame`` in its parent where the joint is at zero."""
        kind = JOINT_KINDS[joint.kind]
        coordinates = self.start.coordinates.get(joint.name)
        if kind is JointKind.FREE:
            place, frame = self.model.bodies[joint.body].frame, self.base
            coordinates = (
                np.concatenate([place.position, to_quaternion(place.rotation)]) if coordinates is None else coordinates
            )
        along = frame_with_z(joint.axis) if joint.kind in ("hinge", "slide") else np.eye(3)
        R, r = frame
        system.add_joint(
            self.prefix + joint.name,
            kind,
            parent,
            child,
            at=r + R @ joint.anchor,
            rotation=R @ along,
            child_at=joint.anchor,
            child_rotation=along,
            coordinates=coordinates,
            speeds=self.start.speeds.get(joint.name),
            rotor_inertia=joint.armature,
        )

    def _add_couplers(self, system: MultibodySystem) -> None:
        """Couplers of joints that follow others."""
        names = self._coupler_names()
        for following in self.model.followings.values():
            with told_at(self.model.file, following.line):
                system.add_coupler(following.coupler(names[following.name], self.prefix))

    def _coupler_names(self) -> dict[str, str]:
        """Names of couplers in the system; force elements and loops, from which they must differ, have theirs first."""
        taken = {*(force.name for force in self._forces()), *(self.prefix + name for name in self.model.loops)}
        names: dict[str, str] = {}
        for own in self.model.followings:
            name = self.prefix + own
            while name in taken:
                name += " coupler"
            taken.add(name)
            names[own] = name
        return names

    def _forces(self) -> list[JointForce]:
        forces: list[JointForce] = []
        for joint in self.model.joints.values():
            with told_at(self.model.file, joint.line):
                forces += joint_forces(joint, self.prefix + joint.name, self.stop_stiffness, self.stop_damping)
        for name, actuator in self.model.actuators.items():
            low, high = actuator.control
            control = self.start.controls.get(name, min(high, max(low, 0.0)))
            force = actuator_force(self.model, actuator, self.prefix, control)
            if force is not None:
                forces.append(force)
        return forces

    def left_out(self) -> list[str]:
        """Texts about sites that are left out because a body has their name."""
        markers = marker_names(self.model)
        return [f"site {shown(name)}, for a body has its name" for name in self.model.sites if name not in markers]

    def _named(self, body: str) -> str:
        return WORLD if body == WORLD else self.prefix + body

    def _in_system(self, body: str) -> Frame:
        """The frame of a body of the file in that of the system: the world of the file may stand anywhere."""
        return self.base if body == WORLD else identity_frame()
