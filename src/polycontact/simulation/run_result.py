"""What a run reports on its way, and what it is in the end."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import Any

from polycontact.simulation.ledger import EnergyLedger
from polycontact.simulation.recording.loaded_mesh import LoadedMesh
from polycontact.simulation.recording.records import ContactEvent
from polycontact.simulation.recording.run_peaks import RunPeaks
from polycontact.simulation.recording.surface_maps import SurfaceMaps
from polycontact.simulation.recording.trajectory import Trajectory
from polycontact.simulation.run_statistics import RunStatistics
from polycontact.simulation.stop_conditions import StopFound


@dataclass(frozen=True)
class Progress:
    """Where a run stands: times in s; ``contacts``: pairs that touch now."""

    time: float
    end_time: float
    real_time_factor: float
    contacts: int
    steps: int
    evaluations: int


@dataclass(frozen=True, repr=False)
class Run:
    """A run that is over: ``status`` "finished", "ended", "stopped" (Ctrl-C, SIGTERM) or "failed", with a ``message``.

    It has "ended" where a condition of ``stop_when`` held before its end time: ``ended_by`` says which, when and with
    which value.
    ``energy_warning``: a warning about errors in its energy ledger, empty if there are none. ``events`` and ``ledger``
    of a run that was continued in its file are those of all its parts.
    """

    status: str
    message: str
    statistics: RunStatistics
    trajectory: Trajectory
    events: tuple[ContactEvent, ...]
    ledger: EnergyLedger
    energy_warning: str = ""
    ended_by: StopFound | None = None

    @property
    def peaks(self) -> RunPeaks:
        """Greatest loads of contacts, joints, loops, drives and force elements, with times, found in every step."""
        return self.trajectory.peaks

    @property
    def maps(self) -> SurfaceMaps:
        """What the surfaces went through, see `Trajectory.maps`."""
        return self.trajectory.maps

    @property
    def mesh_errors(self) -> dict[str, LoadedMesh]:
        """How far facets may put the force of each contact off, at its greatest load; by name, see `LoadedMesh`."""
        return self.trajectory.mesh_errors

    def __repr__(self) -> str:
        s = self.statistics
        return f"Run({self.status}: {self.message}; {s.integrator}, {s.steps} steps, {s.evaluations} evaluations)"

    def plot(self, name: str | None = None, quantity: str | None = None, **options: Any) -> Any:
        """A figure of plotly: of the whole run, or of a quantity of a body, joint or pairing; see `Trajectory.plot`.

        ``units``: such as "mm deg"; ``path``: HTML file to write.
        """
        return self.trajectory.plot(name, quantity, **options)

    def _repr_html_(self) -> str:
        """What a notebook shows: the trajectory's facts and what the run cost."""
        s = self.statistics
        cost = (
            f"{s.integrator}: {s.steps} steps, {s.evaluations} evaluations, {s.cpu_seconds:.2f} s CPU, "
            f"real-time factor {s.real_time_factor:.2f}; error of the energy balance {self.ledger.worst_balance:.3g} J "
            f"of {self.ledger.turnover:.3g} J. polycontact.show(run) plays it."
        )
        warning = f"<p>Warning: {escape(self.energy_warning)}</p>" if self.energy_warning else ""
        return f"{self.trajectory._repr_html_()}<p>{cost}</p>{warning}"
