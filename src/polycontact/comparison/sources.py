"""Where subjects of a comparison come from: the built-in cases, scenarios, runs, single contacts."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from polycontact.comparison.cases import CASES
from polycontact.comparison.compared_body import Side
from polycontact.comparison.subjects import Subject, relative_pose
from polycontact.contact.options import is_number
from polycontact.contact.result import ContactResult
from polycontact.errors import ContactError, SimulationError
from polycontact.report.view.run_pairings import Motion, relative_kinematics, remake_pairings
from polycontact.scenario.builtin import is_builtin
from polycontact.scenario.file_problems import listed, suggestion
from polycontact.scenario.loading import load_scenario
from polycontact.scenario.parsing import Scenario, parse_scenario
from polycontact.simulation.recording.trajectory import Trajectory
from polycontact.simulation.simulate import simulate

Frame = tuple[NDArray[np.float64], NDArray[np.float64]]
"""Rotation (3, 3) and position (3,) m in the world."""
RUN_SUFFIXES = (".h5", ".hdf5")


def find_subjects(thing: Any, time: float | None, bodies: tuple[str, str] | None) -> tuple[str, list[Subject]]:
    """A name and the pairs to compare, see `compare`."""
    if time is not None and not (is_number(time) and np.isfinite(time) and time >= 0.0):
        raise ContactError(f"compare: time is {time!r} s; give a number that is zero or positive")
    if isinstance(thing, Subject) or (isinstance(thing, str) and thing in CASES):
        subject = thing if isinstance(thing, Subject) else CASES[thing]()
        if time is not None or bodies is not None:
            what = "time" if time is not None else "bodies"
            raise ContactError(f"{subject.name}: it is one contact in one pose; leave out {what}")
        return subject.name, [subject]
    if isinstance(thing, ContactResult):
        subject = subject_of(thing)
        return find_subjects(subject, time, bodies)
    if isinstance(thing, Trajectory):
        return _from_run(thing, time, bodies)
    if isinstance(thing, Scenario):
        return _from_scenario(thing, time, bodies)
    if not isinstance(thing, str | os.PathLike):
        raise ContactError(
            f"compare: {thing!r} cannot be compared; give a scenario, a run, a result, or one of {', '.join(CASES)}"
        )
    if Path(thing).suffix.lower() in RUN_SUFFIXES:
        return _from_run(Trajectory.open(thing), time, bodies)
    known = isinstance(thing, Path) or is_builtin(os.fsdecode(thing)) or Path(thing).exists()
    if not known and (close := get_close_matches(os.fsdecode(thing), CASES, 1)):
        raise ContactError(f"compare: there is no {os.fsdecode(thing)!r}; did you mean {close[0]!r}?")
    return _from_scenario(load_scenario(thing), time, bodies)


def subject_of(result: ContactResult) -> Subject:
    """The bodies of an evaluation in its pose."""
    pairing = result.pairing
    e, f = Side(pairing.e.name, pairing.e), Side(pairing.f.name, pairing.f)
    return Subject(pairing.name, e, f, result.kinematics, pairing.description)


def _from_scenario(scenario: Scenario, time: float | None, bodies: tuple[str, str] | None) -> tuple[str, list[Subject]]:
    """In the start pose, or at a time until which it is simulated."""
    system = scenario.build()
    if time is None or time == 0.0:
        compiled = system.compile()
        placed = compiled.evaluate(0.0, compiled.start_state()).bodies
        return scenario.name, _pairs_of(scenario, system, placed.pose, bodies)
    end = float(scenario.settings["end_time"])
    if time > end:
        raise SimulationError(f"{scenario.name}: time is {time:g} s, but the run ends at {end:g} s; give less")
    settings = {**scenario.settings, "end_time": time, "output_times": [time]}
    settings.pop("output_step", None)
    run = simulate(system, **settings)
    if run.status != "finished":
        raise SimulationError(f"{scenario.name}: the run {run.status} before {time:g} s: {run.message}")
    return scenario.name, _pairs_of(scenario, system, _poses_in(run.trajectory, len(run.trajectory) - 1), bodies)


def _from_run(run: Trajectory, time: float | None, bodies: tuple[str, str] | None) -> tuple[str, list[Subject]]:
    """At the sample nearest to a time, or the last one; shapes are those of the scenario where the file has it."""
    name = run.description.name or "run"
    if not len(run):
        raise SimulationError(f"{name}: the run has no samples; there is no pose to compare")
    first, last = float(run.time[0]), float(run.time[-1])
    if time is not None and not first <= time <= last:
        raise SimulationError(f"{name}: time is {time:g} s, but the run goes from {first:g} to {last:g} s")
    sample = len(run) - 1 if time is None else int(np.abs(run.time - time).argmin())
    if run.scenario is not None:
        scenario = parse_scenario(run.scenario, run.description.scenario_folder, file=name)
        return name, _pairs_of(scenario, scenario.build(), _poses_in(run, sample), bodies)
    pairs, _ = remake_pairings(run.description)
    _check_bodies(name, bodies, run.bodies)
    motion = Motion.at(run, sample)
    subjects = [
        Subject(
            pair.name,
            Side(run.bodies[pair.e], pair.pairing.e),
            Side(run.bodies[pair.f], pair.pairing.f),
            relative_kinematics(pair, motion),
            pair.pairing.description,
        )
        for pair in pairs
        if pair.pairing is not None and _is_wanted(bodies, run.bodies[pair.e], run.bodies[pair.f])
    ]
    return name, _some(name, subjects, bodies)


def _poses_in(run: Trajectory, sample: int) -> Callable[[str], Frame]:
    motion = Motion.at(run, sample)
    numbers = {name: i for i, name in enumerate(run.bodies)}

    def pose(name: str) -> Frame:
        if name not in numbers:  # the world stands still
            return np.eye(3), np.zeros(3)
        return motion.rotation[numbers[name]], motion.position[numbers[name]]

    return pose


def _pairs_of(
    scenario: Scenario, system: Any, pose: Callable[[str], Frame], bodies: tuple[str, str] | None
) -> list[Subject]:
    """Contacts of a system whose bodies lie where ``pose`` says."""
    _check_bodies(scenario.name, bodies, system.bodies)
    tables = {body.name: body.all_shapes for body in scenario.model.bodies}
    subjects = []
    for contact in system.contacts.values():
        if not _is_wanted(bodies, contact.e, contact.f):
            continue
        sides, frames = [], []
        for body, number in ((contact.e, contact.shape_e), (contact.f, contact.shape_f)):
            shape = system.bodies[body].shapes[number]
            R, r = pose(body)
            turn, shift = shape.placement()
            frames.append((R @ turn, r + R @ shift))
            table = tables[body][number] if body in tables else None
            sides.append(_side(body, shape.surface, table, scenario.folder))
        subjects.append(Subject(contact.name, sides[0], sides[1], relative_pose(*frames), contact.description))
    return _some(scenario.name, subjects, bodies)


def _side(body: str, given: Any, table: Any, folder: Path) -> Side:
    """A shape with what the scenario says of it; a balanced mesh, or a shape of a robot, stands for itself."""
    if table is None or table.balanced:
        return Side(body, given)
    arguments = {key: value for key, value in table.arguments().items() if value is not None}
    if table.kind == "mesh":
        arguments["file"] = folder / arguments["file"]
    return Side(body, given, table.kind, arguments)


def _check_bodies(name: str, bodies: tuple[str, str] | None, known: Iterable[str]) -> None:
    known = list(known)
    if bodies is not None and (isinstance(bodies, str) or len(bodies) != 2):
        raise ContactError(f"{name}: bodies is {bodies!r}; give the names of two bodies")
    for body in bodies or ():
        if body not in known:
            raise ContactError(f"{name}: there is no body {body!r}; there are {listed(known)}{suggestion(body, known)}")


def _is_wanted(bodies: tuple[str, str] | None, e: str, f: str) -> bool:
    return bodies is None or {e, f} == set(bodies)


def _some(name: str, subjects: list[Subject], bodies: tuple[str, str] | None) -> list[Subject]:
    if not subjects:
        between = "" if bodies is None else f" between {bodies[0]} and {bodies[1]}"
        raise ContactError(f"{name}: there are no contacts{between}; there is nothing to compare")
    return subjects
