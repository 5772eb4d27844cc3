"""The greatest loads of a run, each with its time: of every contact and every joint."""

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
    """Greatest force (N), pressure (Pa) and depth (m) of a pairing."""

    force: Peak
    pressure: Peak
    depth: Peak


class JointPeaks(NamedTuple):
    """Greatest force (N) and torque (N m) that a joint transmits, at its point."""

    force: Peak
    torque: Peak


@dataclass(frozen=True, repr=False)
class RunPeaks:
    """The greatest loads of a run, by name: pairings that touched, joints that carried something.

    ``from_samples``: they are those of the samples alone, and may be less than what was there between them.
    """

    contacts: Mapping[str, ContactPeaks] = field(default_factory=dict)
    joints: Mapping[str, JointPeaks] = field(default_factory=dict)
    from_samples: bool = False

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
            "contacts": {name: _plain(each) for name, each in self.contacts.items()},
            "joints": {name: _plain(each) for name, each in self.joints.items()},
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
        )

    def joined(self, other: RunPeaks) -> RunPeaks:
        """The greater ones of two parts of a run."""
        contacts = dict(self.contacts)
        for name, each in other.contacts.items():
            contacts[name] = ContactPeaks(*map(max, contacts[name], each)) if name in contacts else each
        joints = dict(self.joints)
        for name, of_joint in other.joints.items():
            joints[name] = JointPeaks(*map(max, joints[name], of_joint)) if name in joints else of_joint
        return RunPeaks(contacts, joints, self.from_samples or other.from_samples)


def _plain(peaks: ContactPeaks | JointPeaks) -> dict[str, dict[str, float | None]]:
    """Value and time of each load; no time where there was no load."""
    return {
        name: {"value": value, "time": time if math.isfinite(time) else None}
        for name, (value, time) in peaks._asdict().items()
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
        loads = (np.linalg.norm(history.force, axis=1), history.pressure, history.depth)
        contacts[name] = ContactPeaks(*(_greatest(time, load) for load in loads))
    for name in trajectory.joints if len(trajectory) and trajectory.has_reactions else ():
        if name in trajectory.reacting:
            reaction = trajectory.reaction(name)
            sizes = (np.linalg.norm(each, axis=1) for each in (reaction.force, reaction.torque))
            joints[name] = JointPeaks(*(_greatest(time, size) for size in sizes))
    return RunPeaks(contacts, joints, from_samples=True)


def _greatest(time: NDArray[np.float64], values: NDArray[np.float64]) -> Peak:
    at = int(np.argmax(values))
    return Peak(float(values[at]), float(time[at]))
