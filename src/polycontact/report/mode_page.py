"""The page of the modes of a linearised system: each swings for some seconds, one after the other, in the viewer."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from polycontact.errors import SimulationError
from polycontact.multibody.rotations import to_quaternion
from polycontact.replacing import write_whole
from polycontact.report.view.run_scene import run_scene
from polycontact.report.view.viewer_page import make_page
from polycontact.simulation.recording.memory_recorder import MemoryRecorder
from polycontact.simulation.recording.records import Sample
from polycontact.simulation.recording.sample_quantities import expected_shapes
from polycontact.simulation.recording.trajectory import Trajectory
from polycontact.simulation.run_options import RunOptions
from polycontact.simulation.run_record import describe
from polycontact.statics.held_system import held_system

if TYPE_CHECKING:
    from polycontact.statics.linearise import Linearisation
    from polycontact.statics.modes import Mode

SHOWN_MODES = 20
"""Modes that a page shows, the slowest ones."""

SECONDS, SWINGS, FRAMES = 2.0, 2, 40
"""How long a mode is shown, how often it swings in that time, and in how many frames."""

SHOWN_PART = 0.05
"""Largest displacement that is shown, in parts of the size of the system: seen well, and not torn apart."""


def save_mode_page(found: Linearisation, path: str | os.PathLike[str]) -> Path:
    """Write one HTML file that shows the modes, exaggerated, one after the other; returns its path."""
    modes = found.modes[:SHOWN_MODES]
    if not modes:
        raise SimulationError(f"{found.system.name or 'the system'} has no modes to show")
    trajectory = mode_trajectory(found)
    scene = run_scene(trajectory, fps=FRAMES / SECONDS)
    told = tuple(f"{SECONDS * i:g} to {SECONDS * (i + 1):g} s: {mode_words(mode)}" for i, mode in enumerate(modes))
    if len(found.modes) > len(modes):
        told += (f"{len(found.modes) - len(modes)} more modes are in the table and in the JSON output",)
    title = f"{found.system.name or 'system'}: modes"
    page = make_page(replace(scene, title=title, subtitle="displacements are exaggerated", notes=told, facts=()))
    target = Path(path)
    try:
        write_whole(target, page)
    except OSError as error:
        raise SimulationError(f"{target}: the page cannot be written: {error.strerror}; choose another file") from error
    return target


def mode_words(mode: Mode) -> str:
    """A mode on one line: frequency, damping and what moves."""
    if mode.kind == "free":
        return f"free: {mode.words}"
    if mode.kind in ("decays", "grows") and mode.eigenvalue.imag == 0.0:
        return f"{mode.kind} with {abs(mode.eigenvalue.real):.3g}/s: {mode.words}"
    return f"{mode.frequency:.4g} Hz, damping ratio {mode.damping_ratio:.3g}: {mode.words}"


def mode_trajectory(found: Linearisation) -> Trajectory:
    """A trajectory in which the modes swing one after the other, without damping."""
    compiled = held_system(found.system, found.time, "as_described").compile()
    evaluator = compiled.evaluator()
    description = describe(compiled, RunOptions(end_time=SECONDS * len(found.modes)))
    shapes = expected_shapes(description, len(evaluator.discrete))
    recorder = MemoryRecorder()
    recorder.begin(description)
    zeros = {name: np.zeros(shapes[name]) for name in ("wrenches", "contact", "energies")}
    for i, mode in enumerate(found.modes[:SHOWN_MODES]):
        by = _shown_amplitude(found, mode)
        for frame in range(FRAMES):
            phase = 2.0 * np.pi * SWINGS * frame / FRAMES
            # from rest through the largest displacement, as a sine
            y = found.displaced_state(mode, by, phase - 0.5 * np.pi)
            place = evaluator.place(found.time, y)
            n = len(description.bodies)
            recorder.add(
                Sample(
                    time=SECONDS * (i + frame / FRAMES),
                    state=y,
                    discrete=evaluator.discrete,
                    positions=place.position[1:].copy(),
                    quaternions=np.array([to_quaternion(R) for R in place.rotation[1:]]),
                    velocities=np.zeros((n, 3)),
                    angular_velocities=np.zeros((n, 3)),
                    coordinates=place.coordinates.copy(),
                    speeds=np.zeros_like(place.speeds),
                    wrenches=zeros["wrenches"],
                    contact=zeros["contact"],
                    energies=zeros["energies"],
                )
            )
    recorder.finish("finished", "", {})
    return Trajectory.from_memory(recorder)


def _shown_amplitude(found: Linearisation, mode: Mode) -> float:
    """By how much a mode is displaced, so that the largest motion of a body is a part of the size of the system."""
    moved: NDArray[np.float64] = np.abs(found.bodies_of(mode))
    largest = max(float(moved[:, 3:].max(initial=0.0)), found.size * float(moved[:, :3].max(initial=0.0)))
    return SHOWN_PART * found.size / largest if largest > 0.0 else 0.0
