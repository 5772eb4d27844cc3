"""Force and torque are the derivatives of the stored energy, which is integrated independently."""

from __future__ import annotations

import warnings
from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

import polycontact as pc
from proof.properties.stored_energy import stored_energy

pytest.importorskip("manifold3d")
C = 1e7
Array = NDArray[np.float64]
make = pc.shapes

PAIRS: dict[str, tuple[pc.Surface, pc.Surface, Array, tuple[float, float, float], float]] = {
    # E, F, rotation, position, and the step of differences, some 4 % of the depth
    "ball in the edge of a box": (
        make.sphere(0.1, 2),
        make.box((0.4, 0.4, 0.2)),
        Rotation.from_rotvec((0.1, 0.2, 0.3)).as_matrix(),
        (0.26, 0.03, -0.14),
        1.5e-3,
    ),
    "torus on torus": (
        make.torus(0.1, 0.04, 24, 12),
        make.torus(0.1, 0.04, 24, 12),
        Rotation.from_euler("xyz", (1.3, 0.2, 0.1)).as_matrix(),
        (0.23, 0.02, 0.01),
        1e-3,
    ),
    "box over the corner of a box": (
        make.box((0.4, 0.4, 0.2)),
        make.box((1.2, 1.2, 0.1)),
        Rotation.from_rotvec((0.02, 0.01, 0.03)).as_matrix(),
        (-0.5, -0.5, -0.13),
        1e-3,
    ),
    "contained": (
        make.sphere(0.05, 2),
        make.box((0.3, 0.25, 0.2)),
        Rotation.from_rotvec((0.2, -0.1, 0.3)).as_matrix(),
        (0.06, 0.05, 0.03),
        2e-3,
    ),
}
MOTIONS = ((1.0, 0.0, 0.0, 0.0, 0.0, 0.0), (0.3, -0.5, 0.8, 0.0, 0.0, 0.0), (0.0, 0.0, 0.0, 0.6, 0.0, 0.8))
"""Directions of F in E in which energies are compared: two shifts (m), one turn about the marker of F (rad)."""


def slope(energy: Callable[[float], float], step: float) -> float:
    """Derivative at 0 by differences of fourth order."""
    near, far = (energy(k * step) - energy(-k * step) for k in (1.0, 2.0))
    return (8.0 * near - far) / (12.0 * step)


CASES = [(name, base) for name in PAIRS for base in (pc.Base.E, pc.Base.F)]
CASES.remove(("contained", pc.Base.F))  # no surface of the container lies in the ball: that potential is constant
QUICK = [
    ("ball in the edge of a box", pc.Base.E),
    ("box over the corner of a box", pc.Base.F),
    ("contained", pc.Base.E),
]
PARAMETERS = [pytest.param(*case, marks=() if case in QUICK else pytest.mark.slow) for case in CASES]


@pytest.mark.parametrize(("name", "base"), PARAMETERS)
def test_wrench_is_the_slope_of_the_energy(name: str, base: pc.Base) -> None:
    e, f, R, position, step = PAIRS[name]
    lever = 0.5 * min(e.size, f.size)  # m: what a turn moves

    def pairing(tolerance: float) -> pc.ContactPairing:
        method = pc.contact.PolygonalMethod(base=base, tolerance=tolerance)
        return pc.ContactPairing(e, f, law=pc.LayerLaw(stiffness=C), method=method)

    reference = pairing(1e-3)
    expected = []
    for motion in MOTIONS:
        shift, turn = np.array(motion[:3]), np.array(motion[3:]) / lever

        def energy(s: float, shift: Array = shift, turn: Array = turn) -> float:
            pose = Rotation.from_rotvec(s * turn).as_matrix() @ R
            kinematics = pc.RelativeKinematics(rotation=pose, position=position + s * shift)
            return stored_energy(reference, kinematics, accuracy=1e-3)

        expected.append(slope(energy, step))
    off = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", pc.ContactWarning)
        for tolerance in (5e-2, 5e-3, 1e-5):
            wrench = pairing(tolerance).wrench(R, position)
            # The wrench is that on E; F moves.
            found = [wrench[:3] @ motion[:3] + wrench[3:] @ motion[3:] / lever for motion in MOTIONS]
            force = float(np.linalg.norm(wrench[:3]))
            off.append(float(np.abs(np.array(found) - expected).max()) / force)
    assert off[1] < 5e-3  # the usual tolerance
    # Energies are right to 1e-5, which differences over a twentieth of the depth make some 3e-4 of the force.
    assert off[2] < 5e-4
