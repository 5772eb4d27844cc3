"""Pressed deeper than thick: told where it is true, with the wall and the depth, and not where edges of solids meet."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import polycontact as pc

LAW = pc.LayerLaw(stiffness=1e9)
SIZE = 0.008
CUBE = pc.shapes.box((SIZE, SIZE, SIZE), 4)
HEXAGON = pc.shapes.cylinder(SIZE / 2, SIZE, segments=6)
SOLIDS = {"cube": CUBE, "hexagon": HEXAGON, "drum": pc.shapes.cylinder(SIZE / 2, SIZE)}
FLOOR = pc.shapes.box((0.1, 0.1, 0.05), 4)


@pytest.mark.slow
@pytest.mark.parametrize(("e", "f"), [("cube", "cube"), ("hexagon", "cube"), ("drum", "hexagon")])
def test_edges_of_solids_are_not_pressed_through(e: str, f: str) -> None:
    """Parts of 8 mm that meet 0.2 mm deep in random poses: edge on edge, faces look away from the nearest side."""
    rng = np.random.default_rng(1)
    pair = pc.ContactPairing(SOLIDS[e], SOLIDS[f], law=LAW)
    with warnings.catch_warnings():
        warnings.simplefilter("error", pc.ContactWarning)
        for _ in range(60):
            R = Rotation.random(random_state=rng).as_matrix()
            way = rng.normal(size=3)
            way /= np.linalg.norm(way)
            low, high = 0.0, 2.0 * SIZE
            for _ in range(12):  # to 4 µm
                middle = 0.5 * (low + high)
                apart = pair.distance(R, middle * way).distance
                low, high = (middle, high) if apart < -2e-4 else (low, middle)
            assert not pair.evaluate(pc.RelativeKinematics(rotation=R, position=high * way)).status


@pytest.mark.parametrize("tilt", [0.0, 0.04])
def test_a_thin_plate_is_told(tilt: float) -> None:
    plate = pc.shapes.box((0.02, 0.02, 1e-3), (4, 4, 1))
    pair = pc.ContactPairing(plate, FLOOR, law=LAW)
    R = Rotation.from_rotvec((tilt, 0.0, 0.0)).as_matrix()
    # Tilted, so that it is not wholly inside: its lower face about 0.4 mm to 2 mm deep.
    position = (0.0, 0.0, -0.025 - 0.5e-3 + (1.3e-3 if tilt else 0.9e-3))
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        found = pair.evaluate(pc.RelativeKinematics(rotation=R, position=position))
    if not tilt:
        assert not found.status
        return
    assert found.status is pc.ContactStatus.PRESSED_THROUGH
    (message,) = [str(each.message) for each in told]
    assert "'box' has been pressed deeper than it is thick: at triangle" in message
    assert "it is 1 mm thick" in message


def test_a_thin_target_is_told() -> None:
    """A block that has passed the middle of a shelf 1 mm thick."""
    shelf = pc.shapes.box((0.1, 0.1, 1e-3), (6, 6, 1))
    pair = pc.ContactPairing(CUBE, shelf, law=LAW, base=pc.Base.E)
    with pytest.warns(pc.ContactWarning, match=r"passed the middle of a wall of .* triangle .* is 1 mm thick"):
        found = pair.evaluate(pc.RelativeKinematics(position=(0.0, 0.0, -SIZE / 2 - 0.5e-3 + 0.8e-3)))
    assert found.status is pc.ContactStatus.PRESSED_THROUGH


def test_a_run_says_when_and_which_body() -> None:
    system = pc.MultibodySystem()
    plate = pc.shapes.box((0.02, 0.02, 1e-3), (4, 4, 1))
    tilted = Rotation.from_rotvec((0.04, 0.0, 0.0)).as_matrix()
    system.add_body("floor", surface=FLOOR, fixed=True)
    system.add_body("plate", surface=plate, density=1e6, rotation=tilted, position=(0.0, 0.0, 0.0242))
    system.add_contact("plate", "floor", law=pc.LayerLaw(stiffness=1e7))
    message = r"contact 'plate–floor': at t = .* s 'plate' has been pressed deeper than it is thick: at triangle"
    with pytest.warns(pc.ContactWarning, match=message):  # of the overlap, too
        pc.simulate(system, end_time=1e-5)
