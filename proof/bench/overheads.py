"""What a call, an import and a large surface cost, apart from the contact itself."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import polycontact
from polycontact.comparison.clock import Clock, no_collection
from polycontact.errors import PolycontactError
from polycontact.surfaces.save import save_surface
from polycontact.surfaces.shapes import bubble_with
from proof.bench.contest import SEED, kinematics_of, make_pairing
from proof.bench.pose_families import Family, cold_poses, surfaces_for

CALLS = 100
"""Calls of one sample."""

_IMPORT = """
import time
start = time.process_time()
import polycontact
name = time.process_time() - start
polycontact.ContactPairing
print(name, time.process_time() - start)
"""


@dataclass(frozen=True)
class CallCosts:
    """Times in µs of calls at 950 triangles.

    ``wrench`` and ``evaluate`` at the same slight pose again and again, with kinematics made before;
    ``kinematics`` to make them; ``far``: a wrench 10 m apart.
    """

    wrench: float
    evaluate: float
    kinematics: float
    far: float

    @property
    def evaluate_overhead(self) -> float:
        """What `ContactPairing.evaluate` adds to `ContactPairing.wrench`, µs."""
        return self.evaluate - self.wrench

    def to_dict(self) -> dict[str, float]:
        """Plain values for JSON; times in µs."""
        return asdict(self) | {"evaluate_overhead": self.evaluate_overhead}


@dataclass(frozen=True)
class ImportCosts:
    """CPU time in s of ``import polycontact``, and of it with what `ContactPairing` needs."""

    package: float
    with_pairing: float


@dataclass(frozen=True)
class LargeSurface:
    """CPU times in s to get a large surface ready.

    To ``load`` an STL file of ``triangles``, ``check`` it and ``prepare`` it for contact (tree, contact data,
    pairing); ``total`` of the whole process with its start; ``peak``: its memory, MB, None where unknown.
    """

    triangles: int
    load: float
    check: float
    prepare: float
    total: float
    peak: float | None


def measure_calls(clock: Clock, samples: int) -> CallCosts:
    """Costs of calls on the published bubbles; all four take turns."""
    e, f = surfaces_for(Family.SLIGHT, 950)
    pairing = make_pairing(e, f)
    pose = cold_poses(Family.SLIGHT, e, 1, SEED)[0]
    kinematics = kinematics_of(pose)
    R, _, v, w = pose.arrays
    calls: dict[str, Callable[[], object]] = {
        "wrench": partial(pairing.wrench, *pose.arrays),
        "evaluate": partial(pairing.evaluate, kinematics),
        "kinematics": partial(kinematics_of, pose),
        "far": partial(pairing.wrench, R, np.array([10.0, 0.0, 0.0]), v, w),
    }
    times: dict[str, list[float]] = {name: [] for name in calls}
    with no_collection():
        for _ in range(samples):
            for name, call in calls.items():
                call()  # so that a list of candidates is there again
                times[name].append(clock.time([call] * CALLS)[0])
    return CallCosts(**{name: statistics.median(each) for name, each in times.items()})


def measure_import(samples: int) -> ImportCosts:
    """CPU time of importing in fresh processes."""
    rows = [[float(each) for each in _run(["-c", _IMPORT]).split()] for _ in range(samples)]
    package, with_pairing = np.median(rows, axis=0)
    return ImportCosts(float(package), float(with_pairing))


def measure_large_surface(n_triangles: int) -> LargeSurface:
    """A bubble written as binary STL, then loaded, checked and prepared in a process of its own."""
    with tempfile.TemporaryDirectory(prefix="polycontact-") as folder:
        small, large = Path(folder, "small.stl"), Path(folder, "large.stl")
        save_surface(bubble_with(950), small)
        save_surface(bubble_with(n_triangles), large)
        _prepare_apart(small)  # compiles what is not in the cache yet
        return LargeSurface(**_prepare_apart(large))


def _prepare_apart(path: Path) -> dict[str, Any]:
    record: dict[str, Any] = json.loads(_run(["-m", "proof.bench.preparation", str(path)]))
    return record


def _run(arguments: list[str]) -> str:
    """What this Python prints when it is run with ``arguments`` and finds this polycontact."""
    source = str(Path(polycontact.__file__).parents[1])
    path = os.pathsep.join(filter(None, (source, os.environ.get("PYTHONPATH"))))
    done = subprocess.run(
        [sys.executable, *arguments],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": path},
    )
    if done.returncode:
        raise PolycontactError(f"benchmark: a process for a measurement failed: {done.stderr.strip()}")
    return done.stdout
