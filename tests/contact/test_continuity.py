"""The clipped force is continuous in the pose: halving the step that changes it most makes the change vanish.

A motion of length s of a patch of area A changes the force by at most about c_l·A·s: the depth of each
element changes by no more than s, and what the border sweeps has a depth of the order of one element. Kinks
(a barycentre line that crosses an edge of the target) change the slope, not the value. A jump, in contrast,
survives every halving: so it is with whole triangles that enter under a flank at full depth, all at once.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray

import polycontact as pc
from scenes import STIFFNESS, pairing, rotation

pytestmark = pytest.mark.filterwarnings("ignore::polycontact.ContactWarning")
Array = NDArray[np.float64]
Path = Callable[[float], tuple[Array, Array]]

SPHERE = pc.shapes.sphere(0.1, 3)
PLATE = pc.shapes.box((0.5, 0.5, 0.1), (10, 10, 2)).transformed(position=(0.0, 0.0, -0.05))
BOX = pc.shapes.box((0.1, 0.1, 0.1), 4)
BUBBLE = pc.shapes.bubble()
HALVINGS = 26
SLOPE = 30.0
"""Greatest slope allowed, as a multiple of c_l times the area of the smaller body."""


def onset(t: float) -> tuple[Array, Array]:
    """A sphere comes down on the plate, from 1 mm above to 5 mm deep."""
    return rotation((1, 2, 3), 0.4), np.array([0.013, 0.021, 0.101 - 0.006 * t])


def sliding(t: float) -> tuple[Array, Array]:
    """A sphere 4 mm deep slides 60 mm across the triangles of the plate."""
    return rotation((1, 2, 3), 0.4), np.array([-0.03 + 0.06 * t, 0.021 + 0.01 * t, 0.096])


def rolling(t: float) -> tuple[Array, Array]:
    """A sphere 3 mm deep turns on the spot, by 1 rad."""
    return rotation((1, 0.3, 0.2), t), np.array([0.013, 0.021, 0.097])


def edge_entering(t: float) -> tuple[Array, Array]:
    """A tilted box comes down with an edge first."""
    return rotation((0.1, 1.0, 0.0), 0.3), np.array([0.013, 0.021, 0.064 - 0.01 * t])


def corner_entering(t: float) -> tuple[Array, Array]:
    """A box standing on a corner comes down and turns."""
    return rotation((1.0, 0.8, 0.1), 0.7 + 0.1 * t), np.array([0.013, 0.021, 0.085 - 0.012 * t])


def settling(t: float) -> tuple[Array, Array]:
    """A box pressed 2 mm into the plate tilts from 3° to -3°: its face comes flat on the way."""
    return rotation((0.2, 1.0, 0.1), 0.05 * (1.0 - 2.0 * t)), np.array([0.013, 0.021, 0.0481])


def bubbles_sliding(t: float) -> tuple[Array, Array]:
    """Two bubbles touch, overlap by 8 mm and part again."""
    return rotation((0.2, 0.3, 1.0), 0.5), np.array([0.1877, -0.04 + 0.08 * t, 0.01])


def bubbles_rolling(t: float) -> tuple[Array, Array]:
    return rotation((0.2, 0.3, 1.0), 0.3 + 0.5 * t), np.array([0.19, 0.01, 0.01])


def box_sliding(t: float) -> tuple[Array, Array]:
    """A box 2 mm deep slides askew across the triangles of the plate, turned about the vertical."""
    return rotation((0.0, 0.0, 1.0), 0.3), np.array([-0.03 + 0.06 * t, 0.021 + 0.01 * t, 0.048])


PATHS = {
    "box sliding": (PLATE, BOX, box_sliding),
    "onset": (PLATE, SPHERE, onset),
    "sliding": (PLATE, SPHERE, sliding),
    "rolling": (PLATE, SPHERE, rolling),
    "edge entering": (PLATE, BOX, edge_entering),
    "corner entering": (PLATE, BOX, corner_entering),
    "settling": (PLATE, BOX, settling),
    "bubbles sliding": (BUBBLE, BUBBLE, bubbles_sliding),
    "bubbles rolling": (BUBBLE, BUBBLE, bubbles_rolling),
}
EVERYWHERE = [(name, base) for name in PATHS for base in (pc.Base.E, pc.Base.F)]
"""The distance to the target is continuous whatever slides past what, so that either body may be the base."""
CLIPPED = [
    ("box sliding", pc.Base.E),
    ("box sliding", pc.Base.F),
    ("onset", pc.Base.F),
    ("sliding", pc.Base.F),
    ("rolling", pc.Base.F),
    ("edge entering", pc.Base.F),
    ("corner entering", pc.Base.F),
    ("settling", pc.Base.F),
    ("bubbles sliding", pc.Base.E),
    ("bubbles sliding", pc.Base.BOTH),
    ("bubbles rolling", pc.Base.F),
    ("onset", pc.Base.E),
    ("sliding", pc.Base.E),
    ("onset", pc.Base.BOTH),
]


def motion(e_and_f: pc.Surface, path: Path, a: float, b: float) -> float:
    """Greatest distance that a vertex of F moves between two points of a path, m."""
    (R_a, r_a), (R_b, r_b) = path(a), path(b)
    return float(np.linalg.norm(e_and_f.vertices @ (R_b - R_a).T + (r_b - r_a), axis=1).max())


def sharpest_change(pair: pc.ContactPairing, path: Path, steps: int) -> tuple[float, float, float]:
    """Largest change of the force that survives halving: the change, its interval and where it is."""

    def force(t: float) -> Array:
        return pair.wrench(*path(t))[:3]

    times = np.linspace(0.0, 1.0, steps + 1)
    forces = [force(t) for t in times]
    worst = (0.0, 0.0, 0.0)
    for a, b, force_a, force_b in zip(times, times[1:], forces, forces[1:], strict=False):
        t_a, t_b, f_a, f_b = float(a), float(b), force_a, force_b
        for _ in range(HALVINGS):
            middle = 0.5 * (t_a + t_b)
            f_m = force(middle)
            if np.linalg.norm(f_m - f_a) > np.linalg.norm(f_b - f_m):
                t_b, f_b = middle, f_m
            else:
                t_a, f_a = middle, f_m
        change = float(np.linalg.norm(f_b - f_a))
        if change > worst[0]:
            worst = (change, t_b - t_a, t_a)
    return worst


# Depth along the target's normal has no ramp for flanks, so it is continuous on smooth bases only (as documented):
# a box that settles brings a flank in at once.
BY_TARGET_NORMAL = [case for case in CLIPPED if case[0] != "settling"]


@pytest.mark.parametrize(
    ("depth", "name", "base"),
    [("distance", *case) for case in EVERYWHERE]
    + [("distance", "bubbles sliding", pc.Base.BOTH)]
    + [("base_normal", *case) for case in CLIPPED]
    + [("target_normal", *case) for case in BY_TARGET_NORMAL],
    ids=lambda x: getattr(x, "name", x),
)
def test_clipped_force_has_no_jump(depth: str, name: str, base: pc.Base) -> None:
    e, f, path = PATHS[name]
    pair = pairing(e, f, base=base, depth=depth)
    change, _, where = sharpest_change(pair, path, 80)
    step = motion(f, path, 0.0, 1.0) * 2.0**-HALVINGS / 80
    allowed = SLOPE * STIFFNESS * f.areas.sum() * step
    largest = max(np.linalg.norm(pair.wrench(*path(t))[:3]) for t in np.linspace(0.0, 1.0, 21))
    assert largest > 5.0  # there is a contact
    assert change <= allowed + 1e-9 * largest, f"a jump of {change:.4g} N of {largest:.4g} N at t = {where:.9f}"


def test_whole_triangles_jump() -> None:
    """The same measure finds the jumps of whole triangles, so it would find one of clipped ones."""
    e, f, path = PATHS["box sliding"]
    pair = pairing(e, f, base=pc.Base.E, elements="whole", depth="base_normal")
    change, _, _ = sharpest_change(pair, path, 20)
    assert change == pytest.approx(STIFFNESS * 0.002 * 0.5 * 0.05**2, rel=1e-6)  # one triangle, 2 mm deep


@pytest.mark.parametrize(
    ("name", "base"), [("onset", pc.Base.F), ("sliding", pc.Base.F), ("bubbles sliding", pc.Base.E)]
)
def test_change_of_the_force_is_explained_by_the_step(name: str, base: pc.Base) -> None:
    """On a fine path each change stays below c_l × (patch area and its border) × step."""
    e, f, path = PATHS[name]
    pair = pairing(e, f, base=base)
    times = np.linspace(0.0, 1.0, 2001)
    wrenches = np.array([pair.wrench(*path(t)) for t in times])
    changes = np.linalg.norm(np.diff(wrenches[:, :3], axis=0), axis=1)
    step = motion(f, path, 0.0, 1.0) / 2000
    area = max(pair.evaluate(pc.RelativeKinematics(rotation=R, position=r)).area for R, r in map(path, times[::100]))
    assert changes.max() <= 3.0 * STIFFNESS * area * step


def test_onset_starts_at_zero() -> None:
    """The first force is that of the first overlap: no threshold, no jump, growing with the depth."""
    pair = pairing(PLATE, SPHERE, base=pc.Base.F)
    lowest = float((SPHERE.vertices @ onset(0.0)[0].T)[:, 2].min())
    forces = []
    for depth in (1e-15, 1e-12, 1e-9, 1e-6, 1e-4):
        forces.append(-pair.wrench(onset(0.0)[0], np.array([0.013, 0.021, -lowest - depth]))[2])
    assert forces[0] < 1e-9
    assert (np.diff(forces) > -1e-20).all()  # below that rounding decides whether there is an area
    assert forces[-1] > 0.0
