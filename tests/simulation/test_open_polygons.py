"""A polygon that ends at a crack of a body meant to be closed is reported, once a contact; of a sheet it is not."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

import polycontact as pc

SPHERE = pc.shapes.sphere(0.1, 3)


def cracked_sphere() -> pc.Surface:
    """The sphere in two halves, cut through its lowest point, that lie on each other within 1e-7 m."""
    aside = SPHERE.barycentres[:, 0] > 0.0
    triangles = np.where(aside[:, None], SPHERE.triangles + len(SPHERE.vertices), SPHERE.triangles)
    vertices = np.concatenate((SPHERE.vertices, SPHERE.vertices + 1e-7))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", pc.SurfaceWarning)  # that making it warns is tested elsewhere
        return pc.Surface(vertices, triangles, name="ball")


def dropped(ball: pc.Surface, x: float = 0.0, n: int = 1) -> pc.MultibodySystem:
    """Balls over a sheet of 1 m, 10 mm above it, at ``x`` (m) from its middle."""
    system = pc.MultibodySystem("drop")
    system.add_body("floor", surface=pc.shapes.plane(1.0, 10), fixed=True)
    for i in range(n):
        place = (x, 0.3 * i, 0.11)
        system.add_body(f"ball{i}", surface=ball, mass=1.0, inertia=(4e-3,) * 3, position=place)
        system.add_contact("floor", f"ball{i}", law=pc.LayerLaw(stiffness=1e7))
    return system


def told(system: pc.MultibodySystem, **options: Any) -> list[str]:
    """What a run of the drop, until after the rebound, says of open polygons."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        pc.simulate(system, end_time=0.1, **options)
    return [str(entry.message) for entry in caught if "polygon is open" in str(entry.message)]


def test_an_open_polygon_at_a_crack_is_told_once_a_contact() -> None:
    messages = told(dropped(cracked_sphere(), n=2))
    assert len(messages) == 2
    for i, message in enumerate(messages):
        assert message.startswith(f"contact 'floor–ball{i}': an intersection polygon is open at t = 0.04")  # √(2 h / g)
        assert "surface 'ball' of body" in message
        assert "has cracks along" in message
        assert "repair_surface or 'polycontact repair'" in message


def test_an_open_polygon_between_samples_is_told_too() -> None:
    assert len(told(dropped(cracked_sphere()), output_times=())) == 1


def test_a_repaired_body_says_nothing() -> None:
    mended = pc.repair_surface(cracked_sphere())
    assert mended.is_closed
    assert told(dropped(mended)) == []


def test_the_border_of_a_sheet_says_nothing() -> None:
    """The ball lands on the border of the sheet, whose polygon is open as it should be."""
    system = dropped(SPHERE, x=0.5)
    assert told(system) == []
    compiled = system.compile()
    state = compiled.start_state(0.0)
    state[2] -= 0.02
    status = compiled.evaluate(0.0, state).contacts.status
    assert pc.ContactStatus.OPEN_POLYGON in pc.ContactStatus(int(status[0]))


def test_cracks_that_no_polygon_meets_say_nothing() -> None:
    """Cut beside the contact: the halves lie above and below the middle."""
    above = SPHERE.barycentres[:, 2] > 0.0
    triangles = np.where(above[:, None], SPHERE.triangles + len(SPHERE.vertices), SPHERE.triangles)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", pc.SurfaceWarning)
        ball = pc.Surface(np.concatenate((SPHERE.vertices, SPHERE.vertices + 1e-7)), triangles, name="ball")
    assert ball.cracks is not None
    assert told(dropped(ball)) == []
