"""What a run leaves: motion, contact, energies and how it went, read by name as numpy arrays."""

from __future__ import annotations

import html
import math
import os
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from polycontact.errors import SimulationError
from polycontact.simulation.recording.body_poses import Poses, slerp
from polycontact.simulation.recording.contact_table import ContactTable
from polycontact.simulation.recording.histories import (
    BodyHistory,
    JointHistory,
    Names,
    PairingHistory,
    PairingNames,
    ReactionHistory,
    find_name,
)
from polycontact.simulation.recording.loaded_mesh import LoadedMesh
from polycontact.simulation.recording.records import (
    ContactEvent,
    ElementRecord,
    Outcome,
    RememberedRecord,
    RunDescription,
)
from polycontact.simulation.recording.run_peaks import ContactTimes, RunPeaks, peaks_of_samples
from polycontact.simulation.recording.sample_quantities import ALL_QUANTITIES, PAIRING_QUANTITIES, REACTIONS
from polycontact.simulation.recording.surface_maps import SurfaceMaps
from polycontact.unit_choice import Units, choose_units
from polycontact.wording import counted

if TYPE_CHECKING:
    from polycontact.simulation.recording.memory_recorder import MemoryRecorder


class EndState(NamedTuple):
    """The last sample, from which a run can be continued: ``time`` s, ``state`` (ns,), ``discrete`` (nd,).

    ``remembered``: what contact laws remember of elements.
    """

    time: float
    state: NDArray[np.float64]
    discrete: NDArray[np.float64]
    remembered: tuple[RememberedRecord, ...] = ()


class TrajectorySource(Protocol):
    """Where a trajectory reads from: a file or memory."""

    @property
    def label(self) -> str:
        """How error messages call the source: the path of a file, for example."""

    @property
    def description(self) -> RunDescription:
        """What does not change during the run: bodies, joints, pairings and settings."""

    @property
    def n_samples(self) -> int:
        """Number of samples that can be read now."""

    @property
    def has_elements(self) -> bool:
        """Whether contact elements were recorded."""

    @property
    def quantities(self) -> tuple[str, ...]:
        """Names of the quantities that were recorded."""

    @property
    def outcome(self) -> Outcome:
        """How the run ended; its status is "running" as long as it has not."""

    @property
    def events(self) -> tuple[ContactEvent, ...]:
        """Starts and ends of contact, in the order of time."""

    @property
    def contacts(self) -> ContactTable:
        """Table of the contacts at all samples."""

    def array(self, name: str) -> NDArray[Any]:
        """All samples of a quantity that is none of pairings."""

    def elements(self, index: int) -> tuple[ElementRecord, ...]:
        """The contact elements of a sample."""

    def remembered(self, index: int) -> tuple[RememberedRecord, ...]:
        """What contact laws remember at a sample."""

    def map_rows(self) -> NDArray[Any] | None:
        """Rows of the maps of surfaces; None where none are recorded."""

    def open(self) -> None:
        """Keep the file open until `close`, so that many reads are quick."""

    def close(self) -> None:
        """Close what `open` opened; each read opens the file again."""


class Trajectory:
    """A recorded run. Arrays have one row for each sample, are read when first asked for, and are read-only.

    `Trajectory.open` reads a file, also one that a simulation is still writing: then ``status`` is "running" and the
    samples are those written so far. As a context manager it keeps the file open, which is quicker where many element
    tables are read.
    """

    def __init__(self, source: TrajectorySource) -> None:
        self._source = source
        self._arrays: dict[str, NDArray[Any]] = {}

    @classmethod
    def open(cls, path: str | os.PathLike[str], *, eager: bool = False) -> Trajectory:
        """The run in the HDF5 file ``path``; ``eager``: read all arrays now (contact elements never)."""
        from polycontact.simulation.recording.hdf5_source import Hdf5Source

        trajectory = cls(Hdf5Source(Path(path)))
        if eager:
            with trajectory:
                for name in set(trajectory._source.quantities) - set(PAIRING_QUANTITIES):
                    trajectory.array(name)
                trajectory.contacts  # noqa: B018
        return trajectory

    @classmethod
    def from_memory(cls, recorder: MemoryRecorder) -> Trajectory:
        """What ``recorder`` has taken so far; samples added later do not change it."""
        return cls(recorder.source())

    def __enter__(self) -> Trajectory:
        self._source.open()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._source.close()

    def __len__(self) -> int:
        return self._source.n_samples

    def __repr__(self) -> str:
        return f"Trajectory({self._source.label!r}, {', '.join(self._facts().values())})"

    def _repr_html_(self) -> str:
        facts = {"run": self.description.name or self._source.label, **self._facts(), "message": self.message}
        rows = "".join(
            f"<tr><th style='text-align:left'>{key}</th><td style='text-align:left'>{html.escape(value)}</td></tr>"
            for key, value in facts.items()
            if value
        )
        return f"<table>{rows}</table>"

    @property
    def description(self) -> RunDescription:
        """What does not change during the run: bodies with their meshes, joints, pairings, settings, scenario."""
        return self._source.description

    @property
    def settings(self) -> dict[str, Any]:
        """Settings of the simulation."""
        return self.description.settings

    @property
    def scenario(self) -> str | None:
        """Text of the scenario file, where there was one."""
        return self.description.scenario

    @property
    def status(self) -> str:
        """How the run ended: "finished", "ended", "stopped", "failed"; "running" where no end is recorded."""
        return self._source.outcome.status

    @property
    def message(self) -> str:
        """More on how the run ended."""
        return self._source.outcome.message

    @property
    def statistics(self) -> dict[str, Any]:
        """Steps, evaluations, times; empty where no end is recorded."""
        return self._source.outcome.statistics

    @property
    def events(self) -> tuple[ContactEvent, ...]:
        """Starts and ends of contact, as recorded."""
        return self._source.events

    @property
    def bodies(self) -> tuple[str, ...]:
        """Names of the bodies, in the order of the arrays' columns."""
        return self._bodies.all

    @property
    def joints(self) -> tuple[str, ...]:
        """Names of the joints, in the order in which they were added."""
        return self._joints.all

    @property
    def pairings(self) -> tuple[str, ...]:
        """Names of the contact pairings."""
        return self._pairings.all

    @cached_property
    def touched(self) -> tuple[str, ...]:
        """Names of the pairings that were in contact at a sample, an event or the end of an accepted step.

        Of a run without a recorded end: at a sample or an event. Of many bodies most pairs never touch.
        """
        found = {self.pairings[number] for number in self.contacts.touched.tolist()}
        found.update(event.pairing for event in self.events)
        found.update(self.statistics.get("touched_between_samples", ()))
        return tuple(name for name in self.pairings if name in found)

    @property
    def contacts(self) -> ContactTable:
        """All contacts as a table with a row for each pairing in contact at a sample."""
        return self._source.contacts

    @cached_property
    def _bodies(self) -> Names:
        return Names("body", (body.name for body in self.description.bodies), self._source.label)

    @cached_property
    def _joints(self) -> Names:
        return Names("joint", (joint.name for joint in self.description.joints), self._source.label)

    @cached_property
    def _pairings(self) -> PairingNames:
        return PairingNames(self.description.pairings, self._source.label)

    @property
    def time(self) -> NDArray[np.float64]:
        """Times of the samples, (n,) s."""
        return self.array("time")

    @property
    def energies(self) -> dict[str, NDArray[np.float64]]:
        """Each energy by its name, (n,) J."""
        values = self.array("energies")
        return {name: values[:, i] for i, name in enumerate(self.description.energies)}

    @property
    def has_elements(self) -> bool:
        """Whether contact elements were recorded."""
        return self._source.has_elements

    @cached_property
    def peaks(self) -> RunPeaks:
        """Greatest loads with their times, found in every step; where none were recorded, those of the samples."""
        recorded = self.statistics.get("peaks")
        return peaks_of_samples(self) if recorded is None else RunPeaks.from_plain(recorded)

    @property
    def has_maps(self) -> bool:
        """Whether maps of what the surfaces went through are recorded."""
        return bool(self.description.maps) and self._source.map_rows() is not None

    @cached_property
    def maps(self) -> SurfaceMaps:
        """What the surfaces went through, on their triangles: pressure, contact time, sliding, friction energy, wear.

        Recorded where the run was asked for them (``maps`` of `simulate`).
        """
        rows = self._source.map_rows()
        if rows is None:
            asked = "the run has no recorded end" if self.description.maps else "simulate with maps=True"
            raise SimulationError(f"{self._source.label}: maps of the surfaces were not recorded; {asked}")
        return SurfaceMaps(self.description, rows, self.statistics.get("maps", {}), self._source.label)

    @cached_property
    def mesh_errors(self) -> dict[str, LoadedMesh]:
        """How far facets may put the force of each contact off, at the sample of its greatest load; by its name.

        Of contacts of meshes that touched at a sample.
        """
        recorded = self.statistics.get("mesh_errors", {})
        return {name: LoadedMesh.from_plain(values) for name, values in recorded.items()}

    def contact_times(self, name: str) -> ContactTimes:
        """When a pairing first and last touched and how long in all, s; not a number, and 0, where it never did.

        By the ends of accepted steps; where none were recorded (runs of earlier versions, of steppers of users' own,
        without an end, or of less loaded pairings than the 500 that are kept), by the samples.
        """
        history = self.pairing(name)
        recorded = self.statistics.get("contact_times", {}).get(history.name)
        if recorded is not None:
            return ContactTimes(**recorded)
        times = self.time[history.in_contact]
        if not len(times):
            return ContactTimes(math.nan, math.nan, 0.0)
        total = float(np.trapezoid(history.in_contact.astype(float), self.time))
        return ContactTimes(float(times[0]), float(times[-1]), total)

    @property
    def has_reactions(self) -> bool:
        """Whether reactions, drives and accelerations were recorded."""
        return REACTIONS[0].name in self._source.quantities

    @property
    def reacting(self) -> tuple[str, ...]:
        """Names of the joints that carry something (all but free ones), and of the loops."""
        joints = tuple(joint.name for joint in self.description.joints if joint.kind != "free")
        return joints + tuple(loop.name for loop in self.description.loops if loop.name not in self.joints)

    def reaction(self, name: str) -> ReactionHistory:
        """What a joint exerted on its child, or a loop on its body b: forces and torques."""
        loops = [loop.name for loop in self.description.loops]
        if name in loops and name not in self.joints:
            index = loops.index(name)
            return ReactionHistory(self, "loop_reactions", index, self.description.loops[index])
        index = find_name("joint or loop", name, [*self.joints, *loops], self._source.label)
        return ReactionHistory(self, "reactions", index, self.description.joints[index])

    def drive(self, joint: str) -> NDArray[np.float64]:
        """What drove a joint: effort (N m or N) of a prescribed motion and of motors, (n, number of speeds)."""
        return self.joint(joint).drive

    def force(self, element: str) -> NDArray[np.float64]:
        """Numbers of a built-in force element or coupler, (n, number of them).

        Tension of a spring, N; effort of a joint spring, an end stop, a motor, a joint effort or friction along its
        coordinate, N m or N; torque of a swing-twist stop, or of friction in a spherical joint, about three axes, N m;
        force (N) and torque (N m) of an applied force, world axes, and of a bushing on its body b, in the axes of its
        frame a; efforts of a coupler along the coordinates that it couples, N m or N each.
        """
        records = self.description.forces
        index = find_name("built-in force element", element, [each.name for each in records], self._source.label)
        first = sum(len(each.numbers) for each in records[:index])
        values: NDArray[np.float64] = self.array("element_forces")[:, first : first + len(records[index].numbers)]
        return values

    def body(self, name: str | int) -> BodyHistory:
        """The history of a body, by its name or number."""
        index = self._bodies.find(name)
        return BodyHistory(self, index, self.description.bodies[index])

    def pairing(self, name: str | int, other: str | None = None) -> PairingHistory:
        """The history of a contact pairing: by its name or number, or by its two bodies, in one text or in two.

        ``pairing("ball–table")``, ``pairing("ball-table")`` and ``pairing("table", "ball")`` are the same history; its
        force is that on E of its record, whatever the order.
        """
        index = self._pairings.find_pair(name, other)
        return PairingHistory(self, index, self.description.pairings[index])

    def joint(self, name: str | int) -> JointHistory:
        """The history of a joint, by its name or number."""
        index = self._joints.find(name)
        return JointHistory(self, index, self.description.joints[index])

    def array(self, name: str) -> NDArray[Any]:
        """All samples of a field of `Sample`, such as "state" or "wrenches"; one row for each sample.

        "wrenches" and "contact" have a place for each pairing, also for those that never touch: with many bodies use
        `pairing` or `contacts`.
        """
        if name not in self._arrays:
            self.refuse_missing(name)
            array = (self.contacts.dense(name) if name in PAIRING_QUANTITIES else self._source.array(name)).view()
            array.flags.writeable = False
            self._arrays[name] = array
        return self._arrays[name]

    def refuse_missing(self, name: str) -> None:
        """Raise unless ``name`` is a field of `Sample` and was recorded."""
        find_name("quantity", name, [quantity.name for quantity in ALL_QUANTITIES], self._source.label)
        if name not in self._source.quantities:
            raise SimulationError(
                f"{self._source.label}: reactions, drives and accelerations were not recorded; simulate with "
                f"reactions=True"
            )

    def elements(self, sample: int) -> tuple[ElementRecord, ...]:
        """The contact elements of a sample (negative: from the end), a record for each pairing in contact."""
        if not self.has_elements:
            raise SimulationError(
                f"{self._source.label}: contact elements were not recorded; simulate with elements=True"
            )
        n = len(self)
        if not -n <= sample < n:
            raise SimulationError(f"{self._source.label}: no sample {sample}; there are {n}, counted from 0")
        return self._source.elements(sample % n)

    def state_at_end(self) -> EndState:
        """The last sample, for the continuation of the run."""
        self._refuse_empty()
        return EndState(
            float(self.time[-1]),
            self.array("state")[-1].copy(),
            self.array("discrete")[-1].copy(),
            self._source.remembered(len(self) - 1),
        )

    def at(self, time: ArrayLike) -> Poses:
        """Poses of all bodies at a time, or at each of several (s), interpolated between the samples."""
        self._refuse_empty()
        times, wanted = self.time, np.asarray(time, float)
        if not np.all((wanted >= times[0]) & (wanted <= times[-1])):
            outside = wanted[~((wanted >= times[0]) & (wanted <= times[-1]))].ravel()[0]
            raise SimulationError(
                f"{self._source.label}: t = {outside:.9g} s is not within the run, {times[0]:.9g} s to "
                f"{times[-1]:.9g} s"
            )
        after = np.clip(np.searchsorted(times, wanted, side="right"), min(1, len(times) - 1), len(times) - 1)
        before = np.maximum(after - 1, 0)
        span = times[after] - times[before]
        share = ((wanted - times[before]) / np.where(span > 0, span, 1.0))[..., None, None]
        positions, quaternions = self.array("positions"), self.array("quaternions")
        position = (1 - share) * positions[before] + share * positions[after]
        return Poses(self.bodies, wanted, position, slerp(quaternions[before], quaternions[after], share))

    def plot(
        self,
        name: str | None = None,
        quantity: str | None = None,
        *,
        units: Units = None,
        path: str | os.PathLike[str] | None = None,
    ) -> Any:
        """A figure of plotly, which notebooks show; ``path``: also written as one HTML file that needs no network.

        Without a name: the contact forces and the energies. Of a body: "position", "velocity", "angular_velocity", and
        "force" and "torque" of all its contacts at its origin. Of a pairing: "force", "torque" (on E at marker F),
        "area", "depth", "pressure", "elastic_energy", "damping_power", "friction_power". Of a joint: "coordinates",
        "speeds". An energy has no quantity. Vectors are in world axes.

        ``units``: other than SI units, such as "mm deg", "mm, kN, MPa" or {"length": "mm", "angle": "deg"}. A unit of
        length is also that of velocities, areas and so on, one of angle that of angular velocities; all others stand
        for themselves only.
        """
        from polycontact.simulation.recording.plotting import plot

        return plot(self, name, quantity, path, choose_units(units))

    def to_pandas(self, columns: str | Sequence[str] | None = None, *, units: Units = None) -> Any:
        """A pandas data frame: time as index, a column for each number, titles with units.

        ``columns``: only those whose titles begin with one of these words, such as "ball position" or "kinetic";
        ``units``: as for `plot`, such as "mm deg".
        """
        from polycontact.simulation.recording.trajectory_table import build_data_frame

        return build_data_frame(self, columns, choose_units(units))

    def to_csv(
        self, path: str | os.PathLike[str], columns: str | Sequence[str] | None = None, *, units: Units = None
    ) -> None:
        """Write the table of `to_pandas` as comma separated values; pandas is not needed."""
        from polycontact.simulation.recording.trajectory_table import write_csv

        write_csv(self, path, columns, choose_units(units))

    def _refuse_empty(self) -> None:
        if not len(self):
            raise SimulationError(f"{self._source.label}: the run has no samples ({self.status}: {self.message})")

    def _facts(self) -> dict[str, str]:
        n = len(self)
        span = f", {self.time[0]:g} to {self.time[-1]:g} s" if n else ""
        return {
            "status": self.status,
            "samples": counted(n, "sample") + span,
            "bodies": counted(len(self.bodies), "body", "bodies"),
            "joints": counted(len(self.joints), "joint"),
            "pairings": counted(len(self.pairings), "pairing"),
        }
