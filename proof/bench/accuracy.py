"""Accuracy at equal triangle counts: the force of round bodies on a plate beside other libraries, on the same meshes.

The force on a plane is c times the displaced volume, known for the smooth body. Whoever takes the mesh as it is misses
what lies between facets and body; manifold3d's exact overlap shows how much that is, whatever the contact model.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from polycontact.contact.laws import LayerLaw
from polycontact.contact.pairing import ContactPairing
from polycontact.surfaces import shapes
from polycontact.surfaces.surface import Surface
from polycontact.verification import closed_forms as exact
from polycontact.verification.orientations import forces_on_body, rolled, worst
from polycontact.verification.placing import rotation
from proof.bench.overlap_peers import OverlapPeer, available_peers, hints

STIFFNESS = 1e7
"""c, N/m³; errors do not depend on it."""
RADIUS = 0.1
DEPTH = 0.02 * RADIUS
PLATE = (1.2, 1.2, 0.4)
"""Size of the plate, m: its top is the plane z = 0."""
TURNS: NDArray[np.float64] = np.random.default_rng(1).normal(scale=2.0, size=(10, 3))
"""Rotation vectors, rad, for bodies that any side may touch."""


@dataclass(frozen=True)
class RoundBody:
    """A round body pressed into the plate: its mesh at a level, poses, and the exact force in each, N."""

    name: str
    build: Callable[[int], Surface]
    turns: Sequence[NDArray[np.float64]]
    heights: Sequence[float]
    forces: Sequence[float]


@dataclass(frozen=True)
class AccuracyRow:
    """Worst relative error over the orientations of one body and mesh, by who found the force."""

    body: str
    triangles: int
    errors: dict[str, float]


@dataclass(frozen=True)
class AccuracyResult:
    """All rows; ``missing``: what is said of peers that are not installed."""

    rows: tuple[AccuracyRow, ...]
    missing: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON: all rows, and what is said of peers that are not installed."""
        return {"rows": [asdict(row) for row in self.rows], "missing": list(self.missing)}


def measure_accuracy(levels: Sequence[int], progress: Callable[[str], None]) -> AccuracyResult:
    """Errors of all bodies at ``levels`` of their meshes, ours and those of the peers that are installed."""
    peers = available_peers()
    rows = []
    for body in round_bodies():
        for level in levels:
            mesh = body.build(level)
            progress(f"{body.name}, {mesh.n_triangles} triangles")
            rows.append(AccuracyRow(body.name, mesh.n_triangles, _errors(body, mesh, peers)))
    return AccuracyResult(tuple(rows), tuple(hints(peers)))


def round_bodies() -> tuple[RoundBody, ...]:
    """Ball, ellipsoid, lying cylinder and lying torus, each pressed in by 2 % of its radius."""
    axes = RADIUS * np.array([1.0, 1.5, 2.0])
    reach = [float(np.linalg.norm(rotation(turn)[2] * axes)) for turn in TURNS]
    rolls = rolled(np.linspace(0.0, math.pi / 24.0, 7))
    flat = [np.array([0.0, 0.0, angle]) for angle in (0.0, 0.05, 0.1)]
    length, major = RADIUS, 2.0 * RADIUS
    segment = exact.segment_area(RADIUS, DEPTH)
    return (
        _body("ball", lambda n: shapes.sphere(RADIUS, n), list(TURNS), RADIUS, exact.cap_volume(RADIUS, DEPTH)),
        RoundBody(
            "ellipsoid 1 : 1.5 : 2",
            lambda n: shapes.ellipsoid(axes, n),
            list(TURNS),
            [far - DEPTH for far in reach],
            [STIFFNESS * float(axes.prod()) * exact.cap_volume(1.0, DEPTH / far) for far in reach],
        ),
        _body(
            "lying cylinder",
            lambda n: shapes.cylinder(RADIUS, length, segments=6 * 2**n),
            rolls,
            RADIUS,
            length * segment,
        ),
        _body(
            "lying torus",
            lambda n: shapes.torus(major, RADIUS, 6 * 2**n, 6 * 2**n),
            flat,
            RADIUS,
            2.0 * math.pi * major * segment,
        ),
    )


def _body(
    name: str, build: Callable[[int], Surface], turns: Sequence[NDArray[np.float64]], reach: float, volume: float
) -> RoundBody:
    n = len(turns)
    return RoundBody(name, build, list(turns), [reach - DEPTH] * n, [STIFFNESS * volume] * n)


def _errors(body: RoundBody, mesh: Surface, peers: Sequence[OverlapPeer]) -> dict[str, float]:
    """Worst error of each: ours with the default depth, on the mesh and on the balanced mesh; then peers."""
    found = {
        "polycontact": _worst(body, mesh),
        "polycontact, balanced": _worst(body, mesh.balanced()),
    }
    for peer in peers:
        forces = peer.forces(mesh, PLATE, STIFFNESS, body.turns, body.heights)
        found[peer.name] = _worst_of(forces, body.forces)
    return found


def _worst(body: RoundBody, mesh: Surface) -> float:
    plate = shapes.box(PLATE, (8, 8, 2)).transformed(position=(0.0, 0.0, -0.5 * PLATE[2]))
    pairing = ContactPairing(mesh, plate, law=LayerLaw(stiffness=STIFFNESS))
    poses = zip(body.turns, body.heights, strict=True)
    return _worst_of([forces_on_body(pairing, (0.0, 0.0, height), [turn])[0] for turn, height in poses], body.forces)


def _worst_of(forces: Sequence[float], right: Sequence[float]) -> float:
    return worst([force / exact - 1.0 for force, exact in zip(forces, right, strict=True)], 0.0)
