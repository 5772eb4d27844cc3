"""The greatest loads of a run, each with its time: of contacts, joints, loops, drives and force elements."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from polycontact.wording import counted

if TYPE_CHECKING:
    from polycontact.simulation.recording.trajectory import Trajectory


MOST_PEAKS = 500
"""Contacts of a run whose peaks are kept, the most loaded."""


class Peak(NamedTuple):
    """The greatest ``value`` of a load (SI) and its ``time`` (s)."""

    value: float
    time: float


class ContactPeaks(NamedTuple):
    """Greatest force (N), pressure (Pa) and depth (m) of a pairing; points have no pressure: 0."""

    force: Peak
    pressure: Peak
    depth: Peak


class JointPeaks(NamedTuple):
    """Greatest force (N) and torque (N m) that a joint or a loop transmits, at its point."""

    force: Peak
    torque: Peak


class ContactTimes(NamedTuple):
    """When a pairing ``first`` and ``last`` touched (s), and how long in ``total`` (s)."""

    first: float
    last: float
    total: float

    def joined(self, later: ContactTimes) -> ContactTimes:
        """Those of two parts of a run."""
        return ContactTimes(min(self.first, later.first), max(self.last, later.last), self.total + later.total)


NamedPeaks = Mapping[str, Peak]
"""Peaks of one part by the names of its loads."""


@dataclass(frozen=True, repr=False)
class RunPeaks:
    """The greatest loads of a run, by name: pairings that touched, and parts that carried something.

    ``joints``: of joints and loops. ``drives``: size of the effort (N m or N) that drives a joint, by the names of its
    speeds. ``forces``: of built-in force elements and couplers, by load: sizes of the "force" (N) and the "torque"
    (N m) of those that have vectors, of others that of each number under its name, such as "tension" (N) or "effort"
    (N m or N). ``from_samples``: they are those of the samples alone, and may be less than what was there between them.
    """

    contacts: Mapping[str, ContactPeaks] = field(default_factory=dict)
    joints: Mapping[str, JointPeaks] = field(default_factory=dict)
    from_samples: bool = False
    drives: Mapping[str, NamedPeaks] = field(default_factory=dict)
    forces: Mapping[str, NamedPeaks] = field(default_factory=dict)

    def __repr__(self) -> str:
        counts = f"{counted(len(self.contacts), 'contact')}, {counted(len(self.joints), 'joint')}"
        if not self.contacts:
            return f"RunPeaks({counts})"
        name, most = max(self.contacts.items(), key=lambda each: each[1].force.value)
        return (
            f"RunPeaks({counts}; greatest contact force {most.force.value:.4g} N of {name} at {most.force.time:.4g} s)"
        )

    def to_plain(self) -> dict[str, Any]:
        """Plain values for JSON: value and time of each."""
        return {
            "contacts": {name: _plain(each._asdict()) for name, each in self.contacts.items()},
            "joints": {name: _plain(each._asdict()) for name, each in self.joints.items()},
            "drives": {name: _plain(each) for name, each in self.drives.items()},
            "forces": {name: _plain(each) for name, each in self.forces.items()},
            "from_samples": self.from_samples,
        }

    @classmethod
    def from_plain(cls, content: Mapping[str, Any]) -> RunPeaks:
        """The inverse of `to_plain`."""
        contacts, joints = content.get("contacts", {}), content.get("joints", {})
        return cls(
            {name: ContactPeaks(**_peaks(each)) for name, each in contacts.items()},
            {name: JointPeaks(**_peaks(each)) for name, each in joints.items()},
            bool(content.get("from_samples", False)),
            {name: _peaks(each) for name, each in content.get("drives", {}).items()},
            {name: _peaks(each) for name, each in content.get("forces", {}).items()},
        )

    def joined(self, other: RunPeaks) -> RunPeaks:
        """The greater ones of two parts of a run."""
        contacts = dict(self.contacts)
        for name, each in other.contacts.items():
            contacts[name] = ContactPeaks(*map(max, contacts[name], each)) if name in contacts else each
        joints = dict(self.joints)
        for name, of_joint in other.joints.items():
            joints[name] = JointPeaks(*map(max, joints[name], of_joint)) if name in joints else of_joint
        return RunPeaks(
            contacts,
            joints,
            self.from_samples or other.from_samples,
            _joined(self.drives, other.drives),
            _joined(self.forces, other.forces),
        )


def _joined(first: Mapping[str, NamedPeaks], second: Mapping[str, NamedPeaks]) -> dict[str, NamedPeaks]:
    """The greater ones of the same loads."""
    found = dict(first)
    for name, each in second.items():
        known = found.get(name, {})
        found[name] = {**known, **{load: max(peak, known.get(load, peak)) for load, peak in each.items()}}
    return found


def _plain(peaks: NamedPeaks) -> dict[str, dict[str, float | None]]:
    """Value and time of each load; no time where there was no load."""
    return {
        name: {"value": value, "time": time if math.isfinite(time) else None} for name, (value, time) in peaks.items()
    }


def _peaks(content: Mapping[str, Any]) -> dict[str, Peak]:
    return {
        name: Peak(float(each["value"]), math.nan if each["time"] is None else float(each["time"]))
        for name, each in content.items()
    }


def peaks_of_samples(trajectory: Trajectory) -> RunPeaks:
    """The greatest loads in the samples of a run."""
    time, contacts, joints = trajectory.time, {}, {}
    for name in trajectory.touched:
        history = trajectory.pairing(name)
        loads = (_sizes(history.force), history.pressure, history.depth)
        force, pressure, depth = (_greatest(time, load) for load in loads)
        contacts[name] = ContactPeaks(force, Peak(0.0, math.nan) if history.finds_points else pressure, depth)
    if not (len(trajectory) and trajectory.has_reactions):
        return RunPeaks(contacts, from_samples=True)
    for name in trajectory.reacting:
        reaction = trajectory.reaction(name)
        joints[name] = JointPeaks(*(_greatest(time, _sizes(each)) for each in (reaction.force, reaction.torque)))
    drives = {
        joint.name: {
            speed: _greatest(time, np.abs(effort))
            for speed, effort in zip(joint.speeds, trajectory.drive(joint.name).T, strict=True)
        }
        for joint in trajectory.description.joints
        if joint.driven
    }
    forces = {
        record.name: {
            load.name: _greatest(time, _sizes(trajectory.force(record.name)[:, load.columns])) for load in record.loads
        }
        for record in trajectory.description.forces
    }
    return RunPeaks(contacts, joints, True, drives, forces)


def _sizes(vectors: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(np.linalg.norm(vectors, axis=1))


def _greatest(time: NDArray[np.float64], values: NDArray[np.float64]) -> Peak:
    at = int(np.argmax(values))
    return Peak(float(values[at]), float(time[at]))
