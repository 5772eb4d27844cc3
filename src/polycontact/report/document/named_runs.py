"""The runs of a report, each with a name that is its own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from polycontact.errors import SimulationError
from polycontact.simulation.recording.trajectory import Trajectory


@dataclass(frozen=True, eq=False)
class ReportRun:
    """A run and how the report calls it; ``scenario``: name of its system."""

    label: str
    trajectory: Trajectory

    @property
    def scenario(self) -> str:
        """Name of the scenario that was run."""
        return self.trajectory.description.name


def open_runs(paths: Sequence[Path]) -> list[ReportRun]:
    """The runs in HDF5 files; runs without samples are refused."""
    runs = [ReportRun(label, Trajectory.open(path)) for label, path in zip(_labels(paths), paths, strict=True)]
    for run in runs:
        run.trajectory.state_at_end()
    return runs


def name_runs(trajectories: Sequence[Trajectory], labels: Sequence[str] | None = None) -> list[ReportRun]:
    """Runs from trajectories, called by ``labels`` or by their scenarios."""
    if not trajectories:
        raise SimulationError("report: no run given; give at least one trajectory")
    names = list(labels) if labels is not None else [each.description.name or "run" for each in trajectories]
    if len(names) != len(trajectories):
        raise SimulationError(f"report: {len(names)} labels for {len(trajectories)} runs; give one for each")
    if len(set(names)) < len(names):
        names = [f"{name} ({i + 1})" for i, name in enumerate(names)]
    for each in trajectories:
        each.state_at_end()  # refuses a run without samples
    return [ReportRun(name, each) for name, each in zip(names, trajectories, strict=True)]


def _labels(paths: Sequence[Path]) -> list[str]:
    """File names without suffix, with so many folders before them that they differ."""
    for depth in range(1, 12):
        labels = ["/".join((*path.resolve().parts[-depth:-1], path.stem)) for path in paths]
        if len(set(labels)) == len(labels):
            return labels
    return [f"{path.stem} ({i + 1})" for i, path in enumerate(paths)]
