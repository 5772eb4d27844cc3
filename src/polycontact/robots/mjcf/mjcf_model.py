"""What an MJCF file says of a model: bodies, joints, geoms, actuators and equalities, in SI units, names as in it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from polycontact.multibody.rigid_bodies import WORLD, RigidMass
from polycontact.robots.following import JointFollowing
from polycontact.robots.parent_frames import Frame
from polycontact.wording import short_repr

PLANE, MESH = "plane", "mesh"

GROUND = "worldbody"
"""Name of the fixed body that has the geoms which stand in the world."""

N_QPOS = {"hinge": 1, "slide": 1, "ball": 4, "free": 7}
"""Numbers in a key frame's qpos of each type of joint."""

N_QVEL = {"hinge": 1, "slide": 1, "ball": 3, "free": 6}
"""Numbers in its qvel."""


@dataclass(frozen=True, eq=False)
class MjcfMesh:
    """A mesh asset: of a ``file``, or by its own ``vertices`` (n, 3) and ``faces`` (m, 3); without faces their hull.

    ``reference`` is taken off the vertices first, then they are scaled by ``scale`` along x, y and z. ``inertia``: of
    what its mass is, "exact", "legacy", "convex" (its hull) or "shell".
    """

    name: str
    file: str
    vertices: NDArray[np.float64] | None
    faces: NDArray[np.int64] | None
    scale: tuple[float, float, float]
    reference: Frame
    inertia: str
    line: int


@dataclass(frozen=True, eq=False, repr=False)
class MjcfGeom:
    """A geom in the ``frame`` of its body: a kind of ``polycontact.shapes`` with its arguments, a "plane" or a "mesh".

    ``mesh``: name of the asset. ``collides``: the file lets it touch something. ``mass`` (kg), or None and then
    ``density`` (kg/m³). ``friction``: its coefficient of sliding. ``colour``: "#rrggbb".
    """

    name: str
    kind: str
    arguments: Mapping[str, Any]
    frame: Frame
    mesh: str
    collides: bool
    mass: float | None
    density: float
    group: int
    friction: float
    colour: str | None
    line: int

    __repr__ = short_repr


@dataclass(frozen=True, eq=False)
class MjcfSite:
    """A named frame on a body."""

    name: str
    body: str
    frame: Frame


@dataclass(frozen=True, eq=False)
class MjcfJoint:
    """A joint: ``kind`` is its type in the file, hinge, slide, ball or free; ``anchor`` (m) and ``axis`` in the body.

    ``reference``: its value in the file (qpos) in the configuration in which the file places the body; ``lower``,
    ``upper`` and ``spring_reference`` are such values too, rad or m, infinite where there is no limit. ``stiffness``
    N m/rad or N/m, ``damping`` N m s/rad or N s/m, ``friction``, which is dry, N m or N. ``armature``: inertia of its
    rotor as the joint feels it, kg m² or kg.
    """

    name: str
    kind: str
    body: str
    anchor: NDArray[np.float64]
    axis: NDArray[np.float64]
    reference: float
    lower: float
    upper: float
    stiffness: float
    spring_reference: float
    damping: float
    friction: float
    armature: float
    line: int

    def __repr__(self) -> str:
        return f"MjcfJoint({self.name!r}, {self.kind}, {self.body!r})"


@dataclass(frozen=True, eq=False)
class MjcfBody:
    """A body in the ``frame`` of its ``parent``, carried by ``joints`` in their order; without any it is fixed to it.

    ``mass``: mass (kg), centre (m) and inertia about it (kg m²) in its frame; None: it has none.
    """

    name: str
    parent: str
    frame: Frame
    mass: RigidMass | None
    joints: tuple[MjcfJoint, ...]
    geoms: tuple[MjcfGeom, ...]
    line: int

    def __repr__(self) -> str:
        return f"MjcfBody({self.name!r}, {0.0 if self.mass is None else self.mass.mass:.6g} kg)"


@dataclass(frozen=True)
class MjcfActuator:
    """An actuator at a joint, of its ``kind`` in the file: effort = gear·(gain·ctrl + b₀ + b₁·gear·q + b₂·gear·q̇).

    ``bias`` is (b₀, b₁, b₂); q counts as in the file. ``control``: range of ctrl, infinite where it has none;
    ``force``: greatest magnitude of the sum in brackets.
    """

    name: str
    kind: str
    joint: str
    gear: float
    gain: float
    bias: tuple[float, float, float]
    control: tuple[float, float]
    force: float
    line: int


@dataclass(frozen=True, eq=False)
class MjcfLoop:
    """An equality that closes a loop: "connect" holds two points together, "weld" two frames, one on each body."""

    name: str
    kind: str
    body_a: str
    body_b: str
    frame_a: Frame
    frame_b: Frame
    line: int


@dataclass(frozen=True, eq=False)
class MjcfKey:
    """A key frame: ``qpos`` and ``qvel`` of all joints and ``ctrl`` of all actuators as the file has them; or None."""

    name: str
    qpos: NDArray[np.float64] | None
    qvel: NDArray[np.float64] | None
    ctrl: NDArray[np.float64] | None
    line: int


@dataclass(frozen=True, eq=False)
class MjcfModel:
    """A model as an MJCF ``file`` tells it: ``bodies`` and ``joints`` by name, each body after that which carries it.

    ``included`` are the files that it includes. ``world_geoms`` stand in the world. ``followings``: joints that
    equalities let follow others, values counted from where the file places the bodies. ``gravity`` (3,) m/s² and
    ``timestep`` (s) are those of the file. ``excludes``: pairs of bodies that never touch; ``pairs``: those whose
    contact the file lists. ``ignored`` lists what the file holds beyond that, one text each.
    """

    name: str
    file: Path
    included: tuple[Path, ...]
    bodies: Mapping[str, MjcfBody]
    joints: Mapping[str, MjcfJoint]
    world_geoms: tuple[MjcfGeom, ...]
    meshes: Mapping[str, MjcfMesh]
    mesh_folder: Path
    sites: Mapping[str, MjcfSite]
    actuators: Mapping[str, MjcfActuator]
    loops: Mapping[str, MjcfLoop]
    followings: Mapping[str, JointFollowing]
    keys: Mapping[str, MjcfKey]
    excludes: tuple[tuple[str, str], ...]
    pairs: tuple[tuple[str, str], ...]
    gravity: NDArray[np.float64]
    timestep: float
    ignored: tuple[str, ...]

    def __repr__(self) -> str:
        return f"MjcfModel({self.name!r}, bodies: {len(self.bodies)}, joints: {len(self.joints)})"

    @property
    def mass(self) -> float:
        """Sum of the masses of all bodies, kg; bodies without mass properties count as 0."""
        return sum(body.mass.mass for body in self.bodies.values() if body.mass is not None)

    def kept_apart(self, prefix: str = "") -> tuple[tuple[str, str], ...]:
        """Pairs of bodies of the system for ``exclude`` of `find_contacts`: those of the file, and neighbours.

        Neighbours are bodies with several joints and those that carry them: in the system they are none, for there are
        bodies without mass between them. ``prefix``: that with which the model was added.
        """
        several = [(body.parent, body.name) for body in self.bodies.values() if len(body.joints) > 1]
        named = {WORLD: GROUND if self.world_geoms else WORLD}
        pairs = ((named.get(a, a), named.get(b, b)) for a, b in (*self.excludes, *several))
        return tuple((prefix + a, prefix + b) for a, b in pairs if WORLD not in (a, b))

    def place(self, body: str) -> Frame:
        """Where a body stands in the world of the file, all joints in the configuration in which it places them."""
        chain = []
        while body != WORLD:
            chain.append(self.bodies[body].frame)
            body = self.bodies[body].parent
        frame = Frame(np.eye(3), np.zeros(3))
        for each in reversed(chain):
            frame = frame.then(each)
        return frame
