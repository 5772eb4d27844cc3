"""Poses and options whose results are kept bit by bit, and how they are evaluated.

Each case is a pair of surfaces with one choice of options, evaluated along a path of close poses (kept candidates,
walks from the last hit) with unrelated poses in between (fresh searches).
"""

from __future__ import annotations

import hashlib
import itertools
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import llvmlite.binding
import numpy as np
from numpy.typing import NDArray

import polycontact as pc
from polycontact.scenario.loading import load_scenario
from polycontact.simulation.ledger import COLUMNS
from scenes import at, random_rotation, rotation

Array = NDArray[np.float64]

FOLDER = Path(__file__).parent
OWN_FILE = FOLDER / f"golden-{llvmlite.binding.get_host_cpu_name()}.npz"
"""What was recorded on this kind of processor: others round elementary functions and products of matrices differently,
from which surfaces and poses are made."""

N_POSES = 24
"""Poses of a case: two paths of ten and four unrelated ones."""

_LAYERS = (
    pc.ElasticLayer(youngs_modulus=2e6, poissons_ratio=0.3, thickness=0.01),
    pc.ElasticLayer(youngs_modulus=7e5, poissons_ratio=0.4, thickness=0.02),
)
_LAWS: dict[str, dict[str, object]] = {
    "elastic": {"law": pc.LayerLaw(stiffness=1e7)},
    "damped": {"law": pc.LayerLaw(stiffness=1e7, damping=3e4, transition_depth=2e-3)},
    "layers": {
        "law": pc.LayerLaw(damping=1e4),
        "layers": _LAYERS,
        "friction": pc.RegularisedCoulomb(coefficient=0.4, velocity=0.05),
    },
}
_GEOMETRY: tuple[dict[str, object], ...] = (
    {"elements": "clipped", "depth": "base_normal"},
    {"elements": "clipped", "depth": "target_normal"},
    {"elements": "whole", "depth": "base_normal"},
    {"method": "penetration_lines", "depth": "base_normal", "max_penetration": 0.05},
)


class Scene(NamedTuple):
    """Two surfaces, and how far apart their markers are in the deepest pose along which axis."""

    e: pc.Surface
    f: pc.Surface
    position: tuple[float, float, float]
    axis: tuple[float, float, float]


def _scenes() -> dict[str, Scene]:
    shapes = pc.shapes
    return {
        "bubbles": Scene(shapes.bubble(), shapes.bubble(), (0.03, 0.36, 0.02), (0.2, 0.9, 0.1)),
        "tori": Scene(shapes.torus(0.15, 0.06), shapes.torus(0.15, 0.06), (0.2, 0.05, 0.05), (1.0, 0.2, 0.3)),
        "aligned boxes": Scene(
            shapes.box((0.4, 0.4, 0.2), (4, 4, 2)), shapes.box((0.3, 0.3, 0.2), (3, 3, 2)), (0.1, 0.05, 0.19), (0, 0, 1)
        ),
        "table on floor": Scene(shapes.table(), shapes.box((3.0, 3.0, 0.5), (1, 1, 1)), (0.0, 0.0, -0.245), (0, 0, -1)),
        "cup": Scene(shapes.spherical_cup(0.1, 0.15), shapes.sphere(0.101, 3), (0.0, 0.0, -0.003), (0, 0, 1)),
        "ball on sheet": Scene(shapes.plane((1.0, 1.0), (9, 9)), shapes.sphere(0.2, 2), (0.4, 0.1, 0.17), (0, 0, 1)),
        "cone in plate": Scene(
            shapes.cone(0.1, 0.2), shapes.plate_with_hole((0.5, 0.5), 0.05, 0.06), (0.0, 0.005, 0.06), (0, 0, 1)
        ),
    }


def cases() -> Iterator[tuple[str, Scene, dict[str, object]]]:
    """Name, scene and options of every case."""
    for name, scene in _scenes().items():
        for base, law, geometry in itertools.product((pc.Base.E, pc.Base.F, pc.Base.BOTH), _LAWS, _GEOMETRY):
            kind = geometry.get("method", geometry.get("elements"))
            label = f"{name} / {base.value} / {law} / {kind} / {geometry['depth']}"
            yield label, scene, {"base": base, **_LAWS[law], **geometry}


def poses(scene: Scene, seed: int) -> list[pc.RelativeKinematics]:
    """Two paths of ten close poses, each followed by two unrelated ones, all with velocities."""
    rng = np.random.default_rng(seed)
    out = []
    for part in range(2):
        turn_axis, start = rng.normal(size=3), rng.uniform(-0.3, 0.3)
        axis = np.array(scene.axis, dtype=float)
        for step in range(10):
            R = rotation(turn_axis, start * part + 0.004 * step)
            r = (
                np.array(scene.position)
                + (0.004 - 0.0006 * step) * axis
                + 0.01 * part * rng.normal(size=3) * (step == 0)
            )
            out.append(at(R, r, velocity=rng.normal(size=3), angular_velocity=rng.normal(size=3)))
        for _ in range(2):
            r = np.array(scene.position) + 0.03 * rng.normal(size=3)
            out.append(at(random_rotation(rng), r, velocity=rng.normal(size=3), angular_velocity=rng.normal(size=3)))
    return out


class Outcome(NamedTuple):
    """What is kept of a case: wrenches (n, 6), counters (n, 11) and a digest of its element tables and patches."""

    wrenches: Array
    counters: NDArray[np.int64]
    digest: bytes


def evaluate_case(scene: Scene, options: dict[str, object], seed: int) -> Outcome:
    """Evaluate all poses of a case in order, with one pairing."""
    wrenches, counters, digest = [], [], hashlib.sha256()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", pc.ContactWarning)
        pair = pc.ContactPairing(scene.e, scene.f, **options)  # type: ignore[arg-type]
        for number, kinematics in enumerate(poses(scene, seed)):
            result = pair.evaluate(kinematics)
            wrenches.append(np.concatenate([result.force, result.torque]))
            s = result.statistics
            counters.append(
                [
                    result.status.value,
                    s.bv_checks,
                    s.triangle_checks,
                    s.lines,
                    s.line_checks,
                    s.elements,
                    *s.cut_triangles,
                    *s.inner_triangles,
                    s.tree_searches,
                ]
            )
            _digest_result(digest, result, with_patches=number % 6 == 0)
    return Outcome(np.array(wrenches), np.array(counters, dtype=np.int64), digest.digest())


def _digest_result(digest: hashlib._Hash, result: pc.ContactResult, with_patches: bool) -> None:
    table = result.elements
    for column in (
        "position",
        "base_point",
        "target_point",
        "normal",
        "target_normal",
        "area",
        "depth",
        "weight",
        "pressure",
        "force",
        "slip",
        "approach",
        "base_triangle",
        "target_triangle",
        "part",
        "side",
    ):
        digest.update(np.ascontiguousarray(getattr(table, column)).tobytes())
    if not with_patches:
        return
    digest.update(np.float64(result.volume).tobytes())
    for polygon in result.polygons:
        digest.update(polygon.points.tobytes() + polygon.triangles.tobytes())
    for patch in result.patches:
        digest.update(np.array([patch.area, *patch.centroid, *patch.force, *patch.torque]).tobytes())
        digest.update(np.array([patch.side, patch.n_borders, *patch.elements]).tobytes())


RUNS = {"bubbles": 0.6, "pedestrian": 0.12}
"""Built-in scenarios that are run, and until when, s."""


def run_scenario(name: str) -> dict[str, list[float]]:
    """Counts, final ledger and final state of a short run of a built-in scenario."""
    scenario = load_scenario(name)
    run = pc.simulate(scenario.build(), **{**scenario.settings, "end_time": RUNS[name]})
    s = run.statistics
    counts = [
        s.steps,
        s.evaluations,
        s.jacobians,
        s.jacobian_evaluations,
        s.rejected_steps,
        s.limited_steps,
        s.restarts,
        s.events,
        s.samples,
    ]
    return {
        "counts": [float(n) for n in counts],
        # Recorded before steps had a numerical loss of their own, which compliant runs do not have.
        "ledger": [float(run.ledger[column][-1]) for column in COLUMNS if column not in ("numerical", "layers")],
        "state": [float(x) for x in run.trajectory.array("state")[-1]],
    }
