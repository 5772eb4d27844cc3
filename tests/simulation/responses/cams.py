"""A follower on an eccentric disc at 1,500 rpm, pressed so strongly by a spring that it never parts."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

import polycontact as pc

Array = NDArray[np.float64]

OMEGA = 2.0 * math.pi * 25.0
"""1,500 rpm."""
LIFT = 0.004
RADIUS = 0.02
MASS = 0.1
STIFFNESS = 4000.0
PRELOAD = 60.0
GRAVITY = 9.81


def cam_and_follower(*, damping: float = 0.0) -> pc.MultibodySystem:
    """The disc is a ball that turns about an axis LIFT from its centre; the follower is flat and slides up and down."""
    system = pc.MultibodySystem("cam")
    disc = [pc.Shape(pc.convex.Sphere(RADIUS), position=(0.0, 0.0, LIFT))]
    system.add_body("cam", shapes=disc, mass=1.0, inertia=(1e-3, 1e-3, 1e-3))
    turning = pc.multibody.ConstantVelocity(OMEGA)
    system.add_joint("shaft", "revolute", "world", "cam", axis=(1.0, 0.0, 0.0), motion=turning)
    top = LIFT + RADIUS + 0.01
    plate = pc.convex.Box((0.08, 0.08, 0.02))
    system.add_body("follower", surface=plate, mass=MASS, position=(0.0, 0.0, top))
    system.add_joint("guide", "prismatic", "world", "follower", axis=(0.0, 0.0, 1.0), at=(0.0, 0.0, top))
    spring = {"stiffness": STIFFNESS, "damping": damping, "reference": -PRELOAD / STIFFNESS}
    system.add_force(pc.multibody.JointSpring("spring", "guide", **spring))
    law = pc.laws.SpringDamperLaw(stiffness=1e7, damping=2e3)
    system.add_contact("follower", "cam", name="touch", law=law)
    return system


class Seen(NamedTuple):
    """Of a run beside the closed form: gap (m), force (N) and the force of the closed form (N) at the samples."""

    gap: Array
    force: Array
    exact: Array


def seen(run: pc.Run) -> Seen:
    """The follower of a run beside one that stays on the cam: its height is LIFT cos ωt."""
    tracks = run.trajectory
    height = LIFT * np.cos(OMEGA * tracks.time)
    gap = tracks.body("follower").position[:, 2] - 0.01 - RADIUS - height
    spring = PRELOAD + STIFFNESS * (height - LIFT)
    exact = MASS * (GRAVITY - OMEGA**2 * height) + spring
    return Seen(gap, np.linalg.norm(tracks.pairing("touch").force, axis=1), exact)
