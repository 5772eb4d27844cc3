"""Joints that follow others: mimic in URDF, equalities of joints in MJCF. They become couplers."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from polycontact.errors import RobotError
from polycontact.multibody.joint_couplers import Coupler
from polycontact.surfaces.reading.source import shown

START_TOLERANCE: Final = 1e-6
"""How far (rad or m, rad/s or m/s) a given start value may lie from where its leader puts it: six digits are common."""


@dataclass(frozen=True)
class JointFollowing:
    """A joint that follows another: its coordinate is ``multiplier`` times that of the ``leader`` plus ``offset``.

    ``leader`` is None where it follows nothing that moves: then it is held at ``offset`` (rad or m). ``multiplier`` in
    rad or m for each rad or m of the leader. ``name`` is that of its `Coupler`.
    """

    name: str
    joint: str
    leader: str | None
    multiplier: float
    offset: float
    line: int

    @property
    def formula(self) -> str:
        """What holds: "finger = -1 · thumb + 0.2"."""
        if self.leader is None or self.multiplier == 0.0:
            return f"{self.joint} = {self.offset:g}"
        sign = "-" if self.offset < 0.0 else "+"
        return f"{self.joint} = {self.multiplier:g} · {self.leader} {sign} {abs(self.offset):g}"

    def coupler(self, name: str, prefix: str) -> Coupler:
        """joint - multiplier · leader = offset, by the names that a system has."""
        follower = (prefix + self.joint, 1.0)
        if self.leader is None or self.multiplier == 0.0:
            return Coupler(name, (follower,), self.offset)
        return Coupler(name, (follower, (prefix + self.leader, -self.multiplier)), self.offset)


def follow(
    file: Path,
    what: str,
    followings: Iterable[JointFollowing],
    values: Mapping[str, float],
    given: Collection[str],
    zeros: Mapping[str, float] | None = None,
) -> dict[str, float]:
    """Start values of the joints that follow, from those of their leaders; ``values`` that are not there are zero.

    ``what``: "coordinates" or "speeds". Values in ``given`` that contradict it are refused; ``zeros``: what the file
    calls the zero of a joint, where that is another number. Of several followings of a joint the first counts.
    """
    first = _first(followings)
    found: dict[str, float] = {}
    for name in first:
        if name in found:
            continue
        for each in reversed(_chain(file, first, name)):
            leading = 0.0 if each.leader is None else found.get(each.leader, values.get(each.leader, 0.0))
            found[each.joint] = each.multiplier * leading + (each.offset if what == "coordinates" else 0.0)
    for name in given:
        if name in found and not abs(values[name] - found[name]) <= START_TOLERANCE:
            zero = (zeros or {}).get(name, 0.0)
            _refuse_start(file, what, first[name], values[name] + zero, found[name] + zero)
    return found


def refuse_circles(file: Path, followings: Iterable[JointFollowing]) -> None:
    """Refuse joints that follow themselves, directly or by others."""
    first = _first(followings)
    for name in first:
        _chain(file, first, name)


def _first(followings: Iterable[JointFollowing]) -> dict[str, JointFollowing]:
    """The first following of each joint that has one."""
    first: dict[str, JointFollowing] = {}
    for each in followings:
        first.setdefault(each.joint, each)
    return first


def _chain(file: Path, by_joint: Mapping[str, JointFollowing], name: str) -> list[JointFollowing]:
    """A joint that follows, its leader, and so on up to one that follows none."""
    chain: dict[str, JointFollowing] = {}
    at: str | None = name
    while at is not None and at in by_joint:
        if at in chain:
            circle = [*list(chain)[list(chain).index(at) :], at]
            told = " → ".join(shown(each) for each in [*circle[:10], *(["…"] if len(circle) > 10 else [])])
            raise RobotError(
                f"{file.name}: line {by_joint[at].line}: joint {shown(at)} follows itself: {told}; leave one out"
            )
        chain[at] = by_joint[at]
        at = by_joint[at].leader
    return list(chain.values())


def _refuse_start(file: Path, what: str, following: JointFollowing, value: float, expected: float) -> None:
    name, leader = shown(following.joint), following.leader
    why = "is held" if leader is None else f"follows {shown(leader)}"
    remedy = "leave it out" if leader is None else f"leave it out, and give that of {shown(leader)}"
    raise RobotError(
        f"{file.name}: line {following.line}: {what}: joint {name} {why} and starts with {expected:.9g}, not "
        f"{value:.9g}; {remedy}"
    )
