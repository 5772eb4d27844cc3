"""Runs that the tests of reports, exports and pictures share, each simulated once."""

from __future__ import annotations

import tempfile
from functools import cache
from pathlib import Path

import h5py
import numpy as np

from polycontact.contact.description import ContactDescription
from polycontact.contact.laws import LayerLaw
from polycontact.scenario.loading import load_scenario
from polycontact.simulation.recording.hdf5_recorder import Hdf5Recorder
from polycontact.simulation.recording.records import (
    BodyRecord,
    PairingRecord,
    RunDescription,
    Sample,
    ShapeRecord,
)
from polycontact.simulation.recording.trajectory import Trajectory
from polycontact.simulation.simulate import simulate

BUBBLES_END = 0.6
CONTACT = ContactDescription(law=LayerLaw(stiffness=1e7)).to_plain()


@cache
def folder() -> Path:
    made = tempfile.TemporaryDirectory(prefix="polycontact_reports_")
    folder.keep = made  # type: ignore[attr-defined]  # removed at the end of the process
    return Path(made.name)


@cache
def bubbles_file(integrator: str = "cvode-bdf", elements: bool = False) -> Path:
    """The first bounce of the bubbles, with events."""
    path = folder() / f"bubbles {integrator}{' with elements' if elements else ''}.h5"
    scenario = load_scenario("bubbles")
    options = {
        **scenario.settings,
        "end_time": BUBBLES_END,
        "output_step": 0.02,
        "integrator": integrator,
        "elements": elements,
        "contact_events": True,
    }
    simulate(scenario.build(), record=path, scenario=scenario.source, **options)
    return path


def bubbles(integrator: str = "cvode-bdf", elements: bool = False) -> Trajectory:
    return Trajectory.open(bubbles_file(integrator, elements))


def recorded(path: Path, about: RunDescription, n_samples: int) -> Path:
    """A run in which nothing moves or touches."""
    recorder = Hdf5Recorder(path)
    recorder.begin(about)
    for i in range(n_samples):
        recorder.add(still_sample(0.1 * i, len(about.bodies), len(about.pairings)))
    recorder.finish("finished", "", {})
    return path


def still_sample(time: float, n_bodies: int, n_pairings: int) -> Sample:
    n, m = n_bodies, n_pairings
    return Sample(
        time=time,
        state=np.zeros(0),
        discrete=np.zeros(0),
        positions=np.zeros((n, 3)),
        quaternions=np.tile([1.0, 0, 0, 0], (n, 1)),
        velocities=np.zeros((n, 3)),
        angular_velocities=np.zeros((n, 3)),
        coordinates=np.zeros(0),
        speeds=np.zeros(0),
        wrenches=np.zeros((m, 6)),
        contact=np.zeros((m, 6)),
        energies=np.zeros(0),
    )


def still_description(n_pairings: int = 0, name: str = "still", **changes: object) -> RunDescription:
    vertices = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]])
    triangles = np.array([[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]], np.int32)
    shape = ShapeRecord("tetrahedron", vertices, triangles, np.zeros(3), np.eye(3))
    bodies = tuple(BodyRecord(f"body {i}", 1.0, np.zeros(3), np.eye(3), (shape,)) for i in range(2))
    pairings = tuple(PairingRecord(f"pair {i}", "body 0", "body 1", 0, 0, CONTACT) for i in range(n_pairings))
    content = {"name": name, "bodies": bodies, "pairings": pairings, **changes}
    return RunDescription(**content)  # type: ignore[arg-type]


def bad_files(where: Path) -> dict[str, Path]:
    """Files that are no usable run, by what is wrong with them."""
    good = bubbles_file().read_bytes()
    files = {name: where / f"{name}.h5" for name in ("cut", "text", "other", "version", "empty", "no samples")}
    files["cut"].write_bytes(good[: len(good) // 2])
    files["text"].write_text("no run")
    files["empty"].write_bytes(b"")
    with h5py.File(files["other"], "w") as file:
        file["x"] = 1
    files["version"].write_bytes(good)
    with h5py.File(files["version"], "r+") as file:
        file.attrs["format_version"] = 99
    recorded(files["no samples"], still_description(), 0)
    files["missing"] = where / "missing.h5"
    files["folder"] = where
    return files
