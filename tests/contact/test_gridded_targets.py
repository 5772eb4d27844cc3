"""Targets whose flat faces are divided into many triangles: flat edges decide nothing, and neither does what an
evaluation remembers of earlier ones.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray

import polycontact as pc

Array = NDArray[np.float64]
STIFFNESS = 1e7
LAW = pc.LayerLaw(stiffness=STIFFNESS)
CUBE = pc.shapes.box((0.1, 0.1, 0.1))
SIZE = np.array([0.06, 0.05, 0.07])


def integral_below(sides: Array, height: float) -> float:
    """∫ min(h_x, h_y, height) dA over a rectangle of a box, h the distances to its sides: by area above each depth."""
    a, b = sides
    return float(a * b * height - (a + b) * height**2 + 4.0 / 3.0 * height**3)


@pytest.mark.parametrize("offset", [-1e-6, -1e-11, -1e-13, 0.0, 1e-13, 1e-11, 1e-6])
def test_a_face_passes_a_line_of_flat_edges(offset: float) -> None:
    """A face of the cube, the base, cuts the box across, a third of its width from a side."""
    box = pc.shapes.box(tuple(SIZE), (2, 3, 4))
    pairing = pc.ContactPairing(box, CUBE, law=LAW, base=pc.Base.F)
    height = SIZE[1] / 3.0 - offset  # from the face of the cube to the side of the box
    found = pairing.evaluate(pc.RelativeKinematics(position=(0.0031, SIZE[1] / 6.0 + 0.05 + offset, 0.0023)))
    expected = STIFFNESS * integral_below(SIZE[[0, 2]], height)
    # Cells along facets are exact but for slivers as thin as rounding of places of 0.1 m, 16 units of it, beside walls
    # with 0.07 m between them; several together.
    assert found.force[1] == pytest.approx(-expected, rel=1e-10)
    np.testing.assert_allclose(found.force[[0, 2]], 0.0, atol=1e-10 * expected)
    assert found.integration_error == 0.0


def test_random_passages_do_not_jump() -> None:
    """A thousandth of a millionth of the size changes the force by a millionth at most, as promised."""
    rng = np.random.default_rng(5)
    n_touching = 0
    for _ in range(16):
        divisions = tuple(int(n) for n in rng.integers(2, 5, 3))
        box = pc.shapes.box(tuple(rng.uniform(0.03, 0.08, 3)), divisions)
        pairing = pc.ContactPairing(box, CUBE, law=LAW, base=pc.Base.F)
        axis = int(rng.integers(3))
        r = rng.uniform(-0.02, 0.02, 3)
        r[axis] = rng.choice(np.unique(box.vertices[:, axis])) - rng.choice([-0.05, 0.05])
        step = 1e-11 * np.eye(3)[axis]
        before, after = (pairing.wrench(np.eye(3), r + s * step)[:3].copy() for s in (-1.0, 1.0))
        if np.linalg.norm(after) < 1.0:
            continue  # faces in each other's plane
        n_touching += 1
        assert np.linalg.norm(after - before) <= 1e-6 * np.linalg.norm(after)
    assert n_touching >= 6


PAIRS: dict[str, Callable[[], tuple[pc.Surface, pc.Surface]]] = {
    "box in torus": lambda: (pc.shapes.box((0.1, 0.08, 0.06), (3, 2, 2)), pc.shapes.torus(0.05, 0.02)),
    "ball in box": lambda: (pc.shapes.box((0.1, 0.1, 0.1), (4, 3, 5)), pc.shapes.sphere(0.05, 3)),
    "bubbles": lambda: (pc.shapes.bubble(), pc.shapes.bubble()),
}


@pytest.mark.parametrize("name", PAIRS)
def test_no_bit_hangs_on_what_was_evaluated_before(name: str) -> None:
    """Lists of rivals reach further in an old memory than in a fresh one."""
    e, f = PAIRS[name]()
    rng = np.random.default_rng(3)
    old = pc.ContactPairing(e, f, law=LAW)
    size = np.abs(e.vertices).max() + np.abs(f.vertices).max()
    n_touching = 0
    for _ in range(24):
        q, _ = np.linalg.qr(rng.normal(size=(3, 3)))
        away = rng.normal(size=3)
        r = away * size * rng.uniform(0.3, 0.9) / np.linalg.norm(away)
        pose = pc.RelativeKinematics(rotation=q * np.sign(np.linalg.det(q)), position=r)
        found = old.evaluate(pose)
        fresh = pc.ContactPairing(e, f, law=LAW).evaluate(pose)
        n_touching += bool(found.area > 0.0)
        np.testing.assert_array_equal(found.force, fresh.force)
        np.testing.assert_array_equal(found.torque, fresh.torque)
        np.testing.assert_array_equal(found.elements.depth, fresh.elements.depth)
        np.testing.assert_equal(found.integration_error, fresh.integration_error)
    assert n_touching >= 12
