"""Systems with a closed form, and two without mercy, that the tests of the simulation share."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ellipj, ellipk

import polycontact as pc

GRAVITY = 9.81
MASS = 2.0
STIFFNESS = 1e6
BOX = (0.2, 0.2, 0.1)
SPRING = STIFFNESS * BOX[0] * BOX[1]
"""The flat box on the plane is a linear spring, N/m."""

LENGTH = 0.7
START_ANGLE = 2.0


def box_over_plane(
    *,
    height: float = 0.5,
    gravity: float = GRAVITY,
    velocity: ArrayLike = (0.0, 0.0, 0.0),
    law: pc.LayerLaw | None = None,
    **options: Any,
) -> pc.MultibodySystem:
    """A flat box, ``height`` (m) over a plane: exactly a mass on a linear spring that only pushes."""
    system = pc.MultibodySystem("box over plane", gravity=(0.0, 0.0, -gravity))
    place = (0.0, 0.0, 0.5 * BOX[2] + height)
    system.add_body("box", surface=pc.shapes.box(size=BOX), mass=MASS, position=place, velocity=velocity)
    system.add_body("floor", surface=pc.shapes.plane((6.0, 6.0)), fixed=True)
    options = {"depth": "target_normal", "law": law or pc.LayerLaw(stiffness=STIFFNESS), **options}
    system.add_contact("box", "floor", name="landing", **options)
    return system


def bounce_times(height: float, n: int) -> NDArray[np.float64]:
    """Times at which the box without damping meets the plane and leaves it, n of each in turn, s.

    In contact the depth is (v/ω) sin ωt + (g/ω²)(1 - cos ωt), which is zero again at ωt = 2π - 2 atan(vω/g).
    """
    speed = math.sqrt(2.0 * GRAVITY * height)
    omega = math.sqrt(SPRING / MASS)
    contact = (2.0 * math.pi - 2.0 * math.atan(speed * omega / GRAVITY)) / omega
    starts = speed / GRAVITY + np.arange(n) * (contact + 2.0 * speed / GRAVITY)
    return np.column_stack((starts, starts + contact)).ravel()


def bouncing_ball(*, damping: float = 0.0, height: float = 0.5, depth: str = "distance") -> pc.MultibodySystem:
    """A ball of 100 mm radius, ``height`` (m) over a plane."""
    system = pc.MultibodySystem("bouncing ball")
    ball = pc.shapes.sphere(radius=0.1, subdivisions=2)
    system.add_body("ball", surface=ball, mass=1.0, position=(0.0, 0.0, 0.1 + height))
    system.add_body("floor", surface=pc.shapes.plane((2.0, 2.0)), fixed=True)
    law = pc.LayerLaw(stiffness=STIFFNESS, damping=damping, transition_depth=1e-3)
    system.add_contact("ball", "floor", name="bounce", law=law, depth=depth)
    return system


def pendulum() -> pc.MultibodySystem:
    """A pendulum that starts at rest, far from the vertical."""
    system = pc.MultibodySystem("pendulum")
    system.add_body("bob", mass=1.5, centre=(0.0, 0.0, -LENGTH), inertia=(0.01, 0.01, 0.01))
    system.add_joint("hinge", "revolute", "world", "bob", axis=(0.0, 1.0, 0.0), coordinates=[START_ANGLE])
    return system


def pendulum_angle(time: NDArray[np.float64]) -> NDArray[np.float64]:
    """Angle of `pendulum` (rad): 2 asin(k sn(K(k) - ω t, k)) with k = sin(start / 2)."""
    omega = math.sqrt(1.5 * GRAVITY * LENGTH / (0.01 + 1.5 * LENGTH**2))
    k = math.sin(0.5 * START_ANGLE)
    sn = ellipj(ellipk(k**2) - omega * time, k**2)[0]
    return np.asarray(2.0 * np.arcsin(k * sn))


def oscillator(*, damping: float = 0.0) -> pc.MultibodySystem:
    """A mass on a spring of 50 N/m, stretched by 0.1 m; no shape, no gravity, one body."""
    system = pc.MultibodySystem("oscillator", gravity=(0.0, 0.0, 0.0))
    system.add_body("mass", mass=MASS, inertia=(1.0, 1.0, 1.0))
    system.add_joint("slide", "prismatic", "world", "mass", coordinates=[0.1])
    system.add_force(pc.multibody.JointSpring("spring", "slide", stiffness=50.0, damping=damping))
    return system


class Latch(pc.multibody.ForceElement):
    """Pushes a mass on a slide one way, and the other way after it has come to 0.2 m."""

    def __init__(self, joint: str = "slide") -> None:
        super().__init__("latch", discrete=(0.0,))
        self.joint = joint

    def apply(self, view: pc.multibody.ForceView) -> None:
        view.add_effort(self.joint, 1.0 if view.discrete[0] == 0.0 else -1.0)

    def roots(self, view: pc.multibody.ForceView) -> list[float]:
        return [float(view.coordinates(self.joint)[0]) - 0.2]

    def at_event(self, view: pc.multibody.ForceView, root: int) -> None:
        view.discrete[0] = 1.0 - view.discrete[0]


def latched() -> pc.MultibodySystem:
    """A mass on a slide that `Latch` pushes to and fro."""
    system = pc.MultibodySystem("latched", gravity=(0.0, 0.0, 0.0))
    system.add_body("mass", mass=MASS, inertia=(1.0, 1.0, 1.0))
    system.add_joint("slide", "prismatic", "world", "mass")
    system.add_force(Latch())
    return system


def shot_at_plate(speed: float) -> pc.MultibodySystem:
    """A small plate, 2 mm thick, that flies at a plate as thin, 1 m away, without gravity.

    Stiff enough to stop it within a tenth of the thickness: ½ c A u² = ½ m v² at 0.2 mm.
    """
    system = pc.MultibodySystem("shot", gravity=(0.0, 0.0, 0.0))
    plate = pc.shapes.box(size=(0.05, 0.05, 0.002))
    system.add_body("bullet", surface=plate, mass=0.01, position=(0, 0, 1.0), velocity=(0, 0, -speed))
    system.add_body("target", surface=pc.shapes.box(size=(0.5, 0.5, 0.002)), fixed=True)
    law = pc.LayerLaw(stiffness=0.01 * speed**2 / (0.05**2 * 0.2e-3**2))
    system.add_contact("bullet", "target", name="hit", law=law)
    return system


def same_bits(first: pc.Trajectory, second: pc.Trajectory) -> None:
    """All that was recorded of two runs is the same, bit by bit."""
    for name in ("time", "state", "discrete", "positions", "velocities", "wrenches", "contact", "energies"):
        np.testing.assert_array_equal(first.array(name), second.array(name), err_msg=name)
