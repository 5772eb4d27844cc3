"""The stiffness that is proposed: against Hertz's closed forms, and by pressing real meshes together with it."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest

import polycontact as pc


def test_rubber_after_gent() -> None:
    """Tables of Shore A 60 give about 3.6 MPa after Gent."""
    assert pc.materials["rubber_60"].youngs_modulus == pytest.approx(3.6e6, rel=0.01)
    with pytest.raises(pc.ContactError, match="from 20 to 80"):
        pc.contact.rubber(95)


def test_incompressible_rubber_makes_no_layer() -> None:
    with pytest.raises(pc.ContactError, match="incompressible"):
        pc.materials["rubber_60"].layer(0.01)
    assert pc.materials["aluminium"].layer(0.01).thickness == 0.01


@pytest.mark.parametrize("match", ["force", "stiffness"])
def test_ball_after_hertz(match: str) -> None:
    """F = 4/3 E* √R δ^1.5, secant c = 4 E*/(3π √(R δ)), tangent three quarters of it."""
    steel, R, F = pc.materials["steel"], 0.02, 500.0
    modulus = 210e9 / (2 * (1 - 0.3**2))
    depth = (0.75 * F / (modulus * math.sqrt(R))) ** (2 / 3)
    secant = 4 * modulus / (3 * math.pi * math.sqrt(R * depth))
    expected = secant if match == "force" else 0.75 * secant
    assert pc.laws.stiffness_like_hertz(F, steel, steel, radius=R, match=match) == pytest.approx(expected)  # type: ignore[arg-type]


def test_flat_disc_after_boussinesq() -> None:
    """F = 2 E* a δ over the area π a²."""
    rubber = pc.materials["rubber_50"]
    expected = 2 * rubber.youngs_modulus / 0.75 / (math.pi * 0.01)
    assert pc.laws.stiffness_like_hertz(10.0, rubber, radius=0.01, flat=True) == pytest.approx(expected)


def test_cylinder_has_the_slope_of_hertz() -> None:
    """The tangent by differences of the depth that belongs to two loads, from the secants."""
    steel, F, h = pc.materials["steel"], 1e3, 1.0
    size = {"radius": 0.01, "length": 0.05}

    def depth(force: float) -> float:
        c = pc.laws.stiffness_like_hertz(force, steel, **size)  # type: ignore[arg-type]
        return float((force / (4 / 3 * c * 0.05 * math.sqrt(0.02))) ** (2 / 3))

    slope = 2 * h / (depth(F + h) - depth(F - h))
    c = pc.laws.stiffness_like_hertz(F, steel, match="stiffness", **size)  # type: ignore[arg-type]
    assert 2 * c * 0.05 * math.sqrt(0.02 * depth(F)) == pytest.approx(slope, rel=1e-5)  # differences of second order


def pressed(body: pc.Surface, height: float, c: float) -> float:
    """Force (N) on a body with its origin ``height`` (m) above a plate."""
    pairing = pc.ContactPairing(body, pc.shapes.plane(2.0), law=pc.LayerLaw(stiffness=c), depth="target_normal")
    return float(pairing.wrench(np.eye(3), (0.0, 0.0, -height))[2])


def test_wanted_depth_is_reached() -> None:
    """Meshes: the box is exact; ball and cylinder to a few per cent, by their facets and by what is neglected, δ/R."""
    c = pc.laws.stiffness_for_depth("1 mm", "40 N", area=0.04)  # type: ignore[arg-type]
    assert pressed(pc.shapes.box((0.2, 0.2, 0.05), (4, 4, 1)), 0.024, c) == pytest.approx(40.0, rel=1e-9)
    c = pc.laws.stiffness_for_depth(2e-3, 100.0, radius=0.1)
    assert pressed(pc.shapes.sphere(0.1, 5), 0.098, c) == pytest.approx(100.0, rel=0.05)


@pytest.mark.parametrize(
    ("options", "part"),
    [
        ({}, "give a radius"),
        ({"radius": 0.1, "area": 0.1}, "give a radius"),
        ({"radius": -1.0}, "radius is -1.0 m"),
        ({"radius": math.nan}, "radius is nan m"),
        ({"radius": 1e-4}, "not below the radius"),
        ({"radius": "2 kg"}, "expected is a length"),
    ],
)
def test_bad_shapes_are_refused(options: dict[str, float], part: str) -> None:
    with pytest.raises(pc.ContactError, match=part):
        pc.laws.stiffness_for_depth(1e-3, 10.0, **options)


def test_loads_beyond_hertz_are_refused() -> None:
    with pytest.raises(pc.ContactError, match="small depths"):
        pc.laws.stiffness_like_hertz(1e6, pc.materials["skin"], radius=0.01)
    with pytest.raises(pc.ContactError, match="one or two bodies"):
        pc.laws.stiffness_like_hertz(1.0, radius=0.01)


@pytest.mark.parametrize(
    ("values", "part"),
    [
        (("", 1e9, 0.3, 100.0), "the name is ''"),
        (("x", -1e9, 0.3, 100.0), "material 'x': Young's modulus is -1000000000.0 Pa"),
        (("x", math.nan, 0.3, 100.0), "Young's modulus is nan Pa"),
        (("x", 1e9, 0.6, 100.0), "Poisson's ratio is 0.6"),
        (("x", 1e9, 0.3, 0.0), "density is 0.0 kg/m³"),
        (("x", "1 kg", 0.3, 100.0), "is a mass"),
    ],
)
def test_bad_materials_are_refused(values: tuple[str, float, float, float], part: str) -> None:
    with pytest.raises(pc.ContactError, match=re.escape(part)):
        pc.Material(*values)


def test_materials_go_by_their_names() -> None:
    assert pc.Material("mine", "210 GPa", 0.3, "7.85 g/cm³") == pc.Material("mine", 210e9, 0.3, 7850.0)
    steel = pc.materials["steel"]
    by_name = pc.laws.stiffness_like_hertz(500.0, "steel", "steel", radius=0.02)
    assert by_name == pc.laws.stiffness_like_hertz(500.0, steel, steel, radius=0.02)
    for look_up in (lambda: pc.materials["Steal"], lambda: pc.laws.stiffness_like_hertz(1.0, "Steal", radius=0.02)):
        with pytest.raises(pc.ContactError, match=r"no material 'Steal'; did you mean 'steel'\?"):
            look_up()
    assert pc.materials.get("steal") is None
