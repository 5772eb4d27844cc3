"""Convex shapes give the same distances compiled and, with NUMBA_DISABLE_JIT=1, in plain Python."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import polycontact as pc
from scenes import rotation

convex = pc.convex
FILE = Path(__file__).with_name("convex.json")


@convex.support_mapping("plain: cigar")
def cigar(n: Any, parameters: Any) -> tuple[float, float, float]:
    a = parameters[0] * n[0]
    h = math.sqrt(a * a + 0.01 * (n[1] * n[1] + n[2] * n[2]))
    return parameters[0] * a / h, 0.01 * n[1] / h, 0.01 * n[2] / h


def shapes() -> list[Any]:
    return [
        convex.Sphere(0.1),
        convex.Capsule(0.05, 0.2),
        convex.Box((0.2, 0.15, 0.1), 0.01),
        convex.Ellipsoid((0.15, 0.1, 0.05)),
        convex.Cylinder(0.1, 0.15),
        convex.Cone(0.1, 0.2),
        convex.ConvexMesh(pc.shapes.sphere(0.1, 2)),
        cigar(0.2),
    ]


POSES = [
    (rotation((1.0, 2.0, 0.5), 0.3), (0.3, 0.1, 0.05)),
    (rotation((0.2, -1.0, 0.5), 1.3), (0.11, 0.03, 0.05)),
    (np.eye(3), (0.0, 0.0, 0.0)),
]


def found() -> list[list[float]]:
    """Distances and forces of all pairs of shapes in some poses."""
    rows = []
    made = shapes()
    for i, e in enumerate(made):
        for f in made[i:]:
            pairing = pc.ContactPairing(e, f, method=pc.contact.ConvexMethod(), law=pc.LayerLaw(stiffness=1e4))
            rows.append(
                [n for R, r in POSES for n in (pairing.distance(R, r).distance, np.abs(pairing.wrench(R, r)[:3]).sum())]
            )
    return rows


def test_recorded_distances() -> None:
    recorded = json.loads(FILE.read_text(encoding="utf-8"))
    rows = found()
    depths = np.array([row[::2] for row in rows])
    # The same operations in the same order, but for the last bits of elementary functions.
    np.testing.assert_allclose(depths, [row[::2] for row in recorded], rtol=0.0, atol=1e-13)
    # In the last pose many ways out are equally short, and rounding chooses one of them: forces are looked at before.
    np.testing.assert_allclose([row[1:4:2] for row in rows], [row[1:4:2] for row in recorded], rtol=1e-6, atol=1e-6)
    assert 0.3 < (depths < 0.0).mean() < 0.9


@pytest.mark.parametrize("f", [convex.Sphere(0.05), convex.Capsule(0.05, 0.1)])
def test_closed_form(f: Any) -> None:
    law = pc.LayerLaw(stiffness=1e4)
    pairing = pc.ContactPairing(convex.Box((1.0, 1.0, 0.1)), f, method=pc.contact.ConvexMethod(), law=law)
    top = 0.05 + f.bounds[1, 2]
    assert pairing.distance(np.eye(3), (0.1, 0.2, top - 0.01)).distance == pytest.approx(-0.01, abs=1e-15)


if __name__ == "__main__":
    FILE.write_text(json.dumps(found()) + "\n", encoding="utf-8")
