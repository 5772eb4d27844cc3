"""Walking with a tripod gait: feet on planned paths, turned into joint motions by inverse kinematics (S2.24).

Three feet stand while the other three swing, in turn. The trunk goes straight ahead at a level height; each foot lands
where it will lie below its own place on the robot in the middle of its next stance. In: a system with its feet standing
at the start, and a `TripodGait`. Out: a motion for every leg joint.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from polycontact.errors import MultibodyError
from polycontact.multibody import checks
from polycontact.multibody.joint_types import JointKind
from polycontact.multibody.motion_functions import SplineMotion
from polycontact.multibody.multibody_system import MultibodySystem
from polycontact.robots.inverse_solution import PoseSearch

Array = NDArray[np.float64]

SAMPLES_OF_A_SWING: Final = 12
"""Poses of a swing that a spline goes through: its path then deviates by less than a hundredth of the step's height."""


@dataclass(frozen=True, kw_only=True)
class TripodGait:
    """How a robot walks along x: it stands, makes ``steps``, and stands.

    - ``step_length``: how far the trunk comes with each step, on average, m; ``step_height``: lift of the feet, m;
    - ``period``: time of two steps, one of each tripod, s; ``duty``: part of it in which a foot is on the ground, from
      0.5 on; above, all six stand for a while after each step;
    - ``body_height``: of the trunk's origin above the ground, m;
    - ``stand``: time before the first step, ``settle``: after the last one, s.
    """

    step_length: float
    step_height: float
    period: float
    body_height: float
    duty: float = 0.6
    steps: int = 4
    stand: float = 1.0
    settle: float = 0.5

    def __post_init__(self) -> None:
        owner = "tripod gait"
        for name in ("step_height", "period", "body_height"):
            checks.number(owner, name, getattr(self, name), "s" if name == "period" else "m", positive=True)
        checks.number(owner, "step_length", self.step_length, "m", signed=True)
        for name in ("stand", "settle"):
            checks.number(owner, name, getattr(self, name), "s")
        checks.number(owner, "duty", self.duty, "parts of the period")
        if not 0.5 <= self.duty < 1.0:
            raise MultibodyError(f"{owner}: duty is {self.duty}; give a part of the period from 0.5 to below 1")
        if isinstance(self.steps, bool) or not isinstance(self.steps, int) or self.steps < 1:
            raise MultibodyError(f"{owner}: steps is {self.steps!r}; give a whole number from 1 on")

    @property
    def step_time(self) -> float:
        """Time from the start of one step to that of the next, s."""
        return 0.5 * self.period

    @property
    def swing_time(self) -> float:
        """Time that a foot is in the air in each period, s."""
        return (1.0 - self.duty) * self.period

    @property
    def end_time(self) -> float:
        """When the robot has stood still again, s."""
        return self.stand + self.steps * self.step_time + self.settle

    @property
    def distance(self) -> float:
        """Distance that the trunk walks, m."""
        return self.steps * self.step_length

    def advance(self, t: float) -> float:
        """How far the trunk has come at time t (s), m: smoothly faster in the first step, slower in the last."""
        total = self.steps * self.step_time
        ramp = min(self.step_time, 0.5 * total)
        speed = self.distance / (total - ramp)
        since = min(max(t - self.stand, 0.0), total)
        if since > total - ramp:
            return self.distance - speed * _ramp_way(total - since, ramp)
        return speed * _ramp_way(since, ramp)


@dataclass(frozen=True)
class Foot:
    """A foot: the ``body`` whose ``point`` (m, in its frame) goes on the planned path, by the ``joints`` of its leg.

    ``neutral``: place (x, y) of that point, m, from the trunk's origin when standing; ``radius`` (m) of the foot about
    the point, which is so high above the ground.
    """

    name: str
    body: str
    joints: tuple[str, ...]
    point: tuple[float, float, float]
    neutral: tuple[float, float]
    radius: float


@dataclass(frozen=True, eq=False)
class GaitPlan:
    """Motions of the leg joints that walk, and where they start.

    ``motions`` by joint; ``start``: coordinates (rad) by joint when standing; ``paths``: (n, 3) planned places (m) of
    each foot's point at the ``times`` (n,), s; ``places``: of the trunk, (n, 3) m.
    """

    times: Array
    motions: dict[str, SplineMotion]
    start: dict[str, Array]
    paths: dict[str, Array]
    places: Array


def plan_tripod_gait(
    system: MultibodySystem, trunk: str, tripods: tuple[Sequence[Foot], Sequence[Foot]], gait: TripodGait
) -> GaitPlan:
    """Joint motions with which a free ``trunk`` walks; the first of the ``tripods`` swings first.

    The ground is the plane z = 0. The system needs no motors and contacts. A foot that cannot get to a place of its
    path is an error that names the foot, the step and the distance that is missing.
    """
    _check_robot(system, trunk, tripods)
    times = _sample_times(gait)
    places = np.array([[gait.advance(t), 0.0, gait.body_height] for t in times])
    plan = GaitPlan(times, {}, {}, {}, places)
    for tripod, feet in enumerate(tripods):
        for foot in feet:
            plan.paths[foot.name] = np.array([foot_place(foot, tripod, gait, t) for t in times])
            _add_leg(plan, system, trunk, foot, gait)
    return plan


def _check_robot(system: MultibodySystem, trunk: str, tripods: tuple[Sequence[Foot], Sequence[Foot]]) -> None:
    """Refuse a trunk that is not free, feet of the same name, and leg joints without exactly one coordinate."""
    checks.known("body", trunk, system.bodies, "gait")
    kind = system.tree_joints()[trunk].kind
    if kind is not JointKind.FREE:
        raise MultibodyError(f"gait: trunk {trunk!r} is carried by a {kind.value} joint; give the body that is free")
    names: set[str] = set()
    for foot in (each for feet in tripods for each in feet):
        checks.checked_name("gait: foot", foot.name, names)
        names.add(foot.name)
        for name in foot.joints:
            joint = system.joints[checks.known("joint", name, system.joints, f"gait: foot {foot.name!r}")]
            if len(joint.variables.coordinates) != 1:
                raise MultibodyError(
                    f"gait: foot {foot.name!r}: joint {name!r} is {joint.kind.value}; legs are moved by revolute and "
                    f"prismatic joints"
                )


def foot_place(foot: Foot, tripod: int, gait: TripodGait, t: float) -> Array:
    """Where the point of a foot is planned to be at time t (s), m; ``tripod`` 0 swings in the first step, 1 then."""
    step = math.floor((t - gait.stand) / gait.step_time)
    step = min(max(step, -1), gait.steps - 1)
    last = step if step % 2 == tripod else step - 1  # in which this foot swings or has swung
    from_x, to_x = _foothold(last - 2, gait), _foothold(last, gait)
    share = (t - gait.stand - last * gait.step_time) / gait.swing_time if last >= 0 else 1.0
    share = min(max(share, 0.0), 1.0)
    x = from_x + _smooth(share) * (to_x - from_x)
    return np.array([foot.neutral[0] + x, foot.neutral[1], foot.radius + gait.step_height * _lift(share)])


def _foothold(step: int, gait: TripodGait) -> float:
    """How far ahead (m) of its first place a foot stands after it has swung in a step; where that is long past: 0.

    Below its place on the trunk in the middle of the stance that follows, which ends with the step after the next.
    """
    if step < 0:
        return 0.0
    landed = gait.stand + step * gait.step_time + gait.swing_time
    end = gait.stand + gait.steps * gait.step_time
    lifted = min(gait.stand + (step + 2) * gait.step_time, end)
    return 0.5 * (gait.advance(landed) + gait.advance(lifted))


def _add_leg(plan: GaitPlan, system: MultibodySystem, trunk: str, foot: Foot, gait: TripodGait) -> None:
    """Motions of the joints of one leg, along its path."""
    search = PoseSearch(system, foot.body, point=foot.point, joints=foot.joints)
    rows: list[dict[str, Array]] = []
    for t, place, target in zip(plan.times, plan.places, plan.paths[foot.name], strict=True):
        before = rows[-1] if rows else {}
        reached = search.nearest(target, None, {trunk: [*place, 1.0, 0.0, 0.0, 0.0], **before})
        if not reached.is_there:
            raise _out_of_reach(foot, gait, float(t), target, reached.distance)
        rows.append(search.named(reached.coordinates))
    for name in foot.joints:
        values = np.array([row[name] for row in rows])
        plan.start[name] = values[0]
        plan.motions[name] = SplineMotion(plan.times, values[:, 0])


def _out_of_reach(foot: Foot, gait: TripodGait, t: float, target: Array, missing: float) -> MultibodyError:
    step = math.floor((t - gait.stand) / gait.step_time) + 1
    when = "standing" if t <= gait.stand else f"in step {min(step, gait.steps)} of {gait.steps} (t = {t:.3f} s)"
    place = ", ".join(f"{each:.4g}" for each in target)
    return MultibodyError(
        f"gait: foot {foot.name!r} cannot get to ({place}) m {when}: {missing:.4g} m are missing; take a shorter "
        f"step_length ({gait.step_length:g} m), less step_height ({gait.step_height:g} m) or another body_height "
        f"({gait.body_height:g} m)"
    )


def _sample_times(gait: TripodGait) -> Array:
    """From the end of standing to the end of the last step, s: starts and ends of swings among them."""
    interval = gait.swing_time / SAMPLES_OF_A_SWING
    swing = interval * np.arange(SAMPLES_OF_A_SWING)
    rest = gait.step_time - gait.swing_time
    n_rest = max(1, math.ceil(rest / interval - 1e-9)) if rest > 1e-9 * gait.period else 0
    pause = gait.swing_time + rest / max(n_rest, 1) * np.arange(n_rest)
    step = np.concatenate([swing, pause])
    steps = [gait.stand + k * gait.step_time + step for k in range(gait.steps)]
    return np.concatenate([*steps, [gait.stand + gait.steps * gait.step_time]])


def _ramp_way(since: float, ramp: float) -> float:
    """Way (s, at a speed of 1) after ``since`` s with a speed that rises smoothly for ``ramp`` s and then is 1."""
    share = min(since / ramp, 1.0)
    return ramp * (share**3 - 0.5 * share**4) + max(since - ramp, 0.0)


def _smooth(share: float) -> float:
    """A course from 0 to 1 with no speed and no acceleration at both ends."""
    return share**3 * (10.0 - 15.0 * share + 6.0 * share**2)


def _lift(share: float) -> float:
    """A course from 0 over 1 to 0 with no speed and no acceleration at both ends."""
    return 64.0 * (share * (1.0 - share)) ** 3
