"""The laws on one evaluation: their formulas by hand on a flat face, continuity, mixing, bad input, files."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import polycontact as pc
from polycontact.contact.description import ContactDescription
from polycontact.contact.laws.impact_damping import calibrated_damping, delivered_restitution, printed_damping
from scenes import at

BOX, PLATE = pc.shapes.box((0.2, 0.1, 0.05), (4, 2, 1)), pc.shapes.plane(2.0)
AREA = 0.2 * 0.1
LAWS: tuple[Any, ...] = (
    pc.LayerLaw(stiffness=1e6, damping=2e4, damping_in="compression"),
    pc.laws.SpringDamperLaw(stiffness=1e6, damping=2e4),
    pc.laws.RestitutionLaw(stiffness=1e6, restitution=0.6),
    pc.laws.RestitutionLaw(stiffness=1e6, restitution=0.6, calibrated=False, rest_speed=0.1),
    pc.laws.HuntCrossley(coefficient=1e9, exponent=2.0, dissipation=0.3),
)
FRICTIONS: tuple[Any, ...] = (
    pc.laws.SpinFriction(coefficient=0.3, velocity=0.1, spin_length=0.01, spin_velocity=2.0),
    pc.StickFriction(coefficient=0.3, damping=1e3),
    pc.StickFriction(coefficient=0.3, stiffness=2e6, spin_radius=0.02),
)


def pressed(
    law: Any,
    friction: Any = None,
    *,
    depth: float = 1e-3,
    v: tuple[float, float, float] = (0.0, 0.0, 0.0),
    w: float = 0.0,
    base: pc.Base = pc.Base.E,
) -> pc.ContactResult:
    """The box, pressed flat into the plate, F, which moves with v against it and spins with w about the box's axis."""
    pair = pc.ContactPairing(BOX, PLATE, law=law, friction=friction, base=base, depth="target_normal")
    return pair.evaluate(at(None, (0.0, 0.0, -0.025 + depth), velocity=v, angular_velocity=(0.0, 0.0, w)))


def push(law: Any, depth: float, approach: float) -> float:
    """Force on the box, N; the plate comes from below."""
    return float(pressed(law, depth=depth, v=(0.0, 0.0, approach)).force[2])


@pytest.mark.parametrize("u", [2e-4, 1e-3, 4e-3])
@pytest.mark.parametrize("v", [-0.3, -0.01, 0.0, 0.01, 0.3])
def test_normal_forces_by_hand(u: float, v: float) -> None:
    damped = (1e6 * u + 2e4 * v) * AREA
    assert push(LAWS[0], u, v) == pytest.approx(1e6 * u * AREA if v < 0.0 else damped, rel=1e-9)
    assert push(LAWS[1], u, v) == pytest.approx(max(damped, 0.0), rel=1e-9)
    for law, a, least in ((LAWS[2], calibrated_damping(0.6), 0.01), (LAWS[3], (1.0 - 0.6) / 0.6, 0.1)):
        factor = max(1.0 + a * v / max(v, least), 0.0)  # the contact begins just now
        assert push(law, u, v) == pytest.approx(factor * 1e6 * u * AREA, rel=1e-9)
    assert push(LAWS[4], u, v) == pytest.approx(max(1.0 + 0.45 * v, 0.0) * 1e9 * u**2 * AREA, rel=1e-9)


@pytest.mark.parametrize("law", LAWS, ids=repr)
def test_normal_forces_are_continuous_and_never_pull(law: Any) -> None:
    speeds = np.linspace(-1.0, 1.0, 41)
    forces = np.array([push(law, 1e-3, v) for v in speeds])
    assert (forces >= 0.0).all()
    assert (np.diff(forces) >= -1e-9 * forces.max()).all()
    assert push(law, 1e-3, 1e-9) == pytest.approx(push(law, 1e-3, -1e-9), rel=1e-6), "no jump where motion reverses"
    assert push(law, 1e-9, 0.0) < 1e-4 * push(law, 1e-3, 0.0), "at rest it begins at zero"


@pytest.mark.parametrize("law", [LAWS[2], LAWS[4]], ids=repr)
def test_forces_in_proportion_to_the_elastic_one_begin_at_zero_at_any_speed(law: Any) -> None:
    assert push(law, 1e-9, 2.0) < 1e-4 * push(law, 1e-3, 0.0)


@pytest.mark.parametrize("base", [pc.Base.E, pc.Base.F, pc.Base.BOTH])
@pytest.mark.parametrize("law", LAWS, ids=repr)
def test_laws_do_not_depend_on_the_base(law: Any, base: pc.Base) -> None:
    """A flat face has the same area and depth from both sides."""
    moved, usual = (pressed(law, FRICTIONS[0], v=(0.05, 0.0, 0.1), base=each) for each in (base, pc.Base.E))
    np.testing.assert_allclose(moved.force, usual.force, rtol=1e-9, atol=1e-9)


def test_sliding_with_spin_friction_fades_linearly() -> None:
    law, normal = pc.laws.SpringDamperLaw(stiffness=1e6), 1e6 * 1e-3 * AREA
    for speed, share in ((0.02, 0.2), (0.1, 1.0), (3.0, 1.0)):
        result = pressed(law, FRICTIONS[0], v=(speed, 0.0, 0.0))
        assert result.force[0] == pytest.approx(0.3 * share * normal, rel=1e-9)
        assert result.torque[2] == pytest.approx(0.0, abs=1e-9)


@pytest.mark.parametrize("base", [pc.Base.E, pc.Base.F, pc.Base.BOTH])
def test_spin_torque(base: pc.Base) -> None:
    """Without friction only the torque about the normal is left, d_w F_n, on the box along the spin of the plate."""
    law, normal = pc.laws.SpringDamperLaw(stiffness=1e6), 1e6 * 1e-3 * AREA
    friction = pc.laws.SpinFriction(coefficient=0.0, spin_length=0.01, spin_velocity=2.0)
    for spin, share in ((0.5, 0.25), (-0.5, -0.25), (2.0, 1.0), (9.0, 1.0), (-9.0, -1.0)):
        result = pressed(law, friction, w=spin, base=base)
        assert result.torque[2] == pytest.approx(0.01 * share * normal, rel=1e-9)
        np.testing.assert_allclose(result.force[:2], 0.0, atol=1e-9)
        np.testing.assert_allclose(result.torque[:2], 0.0, atol=1e-9)
        assert sum(patch.torque[2] for patch in result.patches) == pytest.approx(result.torque[2], rel=1e-9)
        assert np.abs(result.elements.spin_torque).sum() == pytest.approx(abs(result.torque[2]), rel=1e-9)


def test_other_laws_have_no_spin_torque() -> None:
    table = pressed(LAWS[1], pc.RegularisedCoulomb(coefficient=0.3), w=1.0).elements
    assert len(table) == 16
    assert (table.spin_torque == 0.0).all()


def test_mixing() -> None:
    a = pc.laws.ContactProperties(stiffness=3e6, damping=10.0, spin_length=0.01, friction=0.2)
    b = pc.laws.ContactProperties(stiffness=6e6, damping=30.0, friction=0.6, slip_velocity=3e-3, spin_velocity=5e-3)
    for first, second in ((a, b), (b, a)):
        law = pc.laws.SpringDamperLaw.between(first, second)
        assert (law.stiffness, law.damping) == pytest.approx((2e6, 20.0))
        friction = pc.laws.SpinFriction.between(first, second)
        found = (friction.coefficient, friction.velocity, friction.spin_length, friction.spin_velocity)
        assert found == pytest.approx((0.4, 2e-3, 0.005, 3e-3))


def test_defaults_are_those_of_the_paper() -> None:
    plain = pc.laws.ContactProperties()
    assert (plain.stiffness, plain.damping, plain.spin_length, plain.friction) == (1e7, 0.0, 0.0, 0.0)
    assert (plain.slip_velocity, plain.spin_velocity) == (1e-3, 1e-3)
    assert pc.laws.SpringDamperLaw.between(plain, plain).stiffness == pytest.approx(5e6)


def test_damping_of_an_impact_against_an_equation_solver() -> None:
    """An elastic force of another kind than any law here has: what an impact gives back does not depend on it."""
    from scipy.integrate import solve_ivp

    for a in (0.1, 1.0, 5.0):
        speed, mass = 2.3, 0.7

        def motion(t: float, y: Any, a: float = a, speed: float = speed, mass: float = mass) -> list[float]:
            return [y[1], -(40.0 * y[0] + 900.0 * y[0] ** 3) * (1.0 + a * y[1] / speed) / mass]

        def parted(t: float, y: Any) -> float:
            return float(y[0])

        parted.terminal, parted.direction = True, -1  # type: ignore[attr-defined]
        found = solve_ivp(motion, (0.0, 100.0), [0.0, speed], events=parted, rtol=1e-10, atol=1e-12)
        assert -found.y[1, -1] / speed == pytest.approx(delivered_restitution(a), abs=1e-7)


@pytest.mark.parametrize("restitution", [1e-9, 1e-3, 0.1, 0.5, 0.8, 0.999, 1.0 - 1e-9, 1.0])
def test_damping_and_restitution_undo_each_other(restitution: float) -> None:
    # Where nearly all is lost the speed of parting is at its limit 1/a.
    assert delivered_restitution(calibrated_damping(restitution)) == pytest.approx(restitution, rel=1e-9)


def test_the_printed_law_gives_back_more_than_it_says() -> None:
    delivered = [delivered_restitution(printed_damping(e)) for e in (0.5, 0.8)]
    assert delivered == pytest.approx([0.594, 0.857], abs=5e-4)
    assert calibrated_damping(1.0 - 1e-6) == pytest.approx(1.5e-6, rel=1e-5), "3/2 (1 - e), as by Hunt and Crossley"


def test_hertz_of_balls() -> None:
    given = {"youngs_moduli": (210e9, 70e9), "poissons_ratios": (0.3, 0.33), "radii": (0.02, math.inf)}
    law = pc.laws.HertzPoint.of_balls(**given)
    assert law.modulus == pytest.approx(1.0 / ((1 - 0.3**2) / 210e9 + (1 - 0.33**2) / 70e9))
    assert law.radius == pytest.approx(0.02)
    assert law.coefficient == pytest.approx(4.0 / 3.0 * law.modulus * math.sqrt(0.02))
    assert pc.laws.HertzPoint.of_balls(**{**given, "radii": (0.02, -0.03)}).radius == pytest.approx(0.06), "in a cup"
    assert pc.laws.HertzPoint.of_balls(**{**given, "youngs_moduli": (1e9, math.inf)}).modulus == pytest.approx(
        1e9 / 0.91
    )


BAD = [
    (pc.LayerLaw, {"stiffness": 1.0, "damping_in": "tension"}, "damping_in is 'tension'"),
    (pc.laws.SpringDamperLaw, {"stiffness": -1.0}, "stiffness is -1.0 N/m"),
    (pc.laws.SpringDamperLaw, {"stiffness": 0.0}, "stiffness is 0.0 N/m"),
    (pc.laws.SpringDamperLaw, {"stiffness": 1.0, "damping": math.nan}, "damping is nan"),
    (pc.laws.ContactProperties, {"friction": -0.1}, "friction is -0.1"),
    (pc.laws.ContactProperties, {"spin_length": math.inf}, "spin length is inf m"),
    (pc.laws.SpinFriction, {"coefficient": -0.5}, "friction coefficient is -0.5"),
    (pc.laws.SpinFriction, {"coefficient": 0.5, "velocity": 0.0}, "friction velocity is 0.0 m/s"),
    (pc.laws.SpinFriction, {"coefficient": 0.5, "spin_velocity": -1.0}, "spin velocity is -1.0 rad/s"),
    (pc.laws.RestitutionLaw, {"stiffness": 1.0, "restitution": 0.0}, "restitution is 0.0; .* infinite damping"),
    (pc.laws.RestitutionLaw, {"stiffness": 1.0, "restitution": 1.01}, "restitution is 1.01; it must be .* at most 1"),
    (pc.laws.RestitutionLaw, {"stiffness": 1.0, "restitution": math.nan}, "restitution is nan"),
    (pc.laws.RestitutionLaw, {"stiffness": 1.0, "rest_speed": 0.0}, "rest speed is 0.0 m/s"),
    (pc.laws.RestitutionLaw, {"stiffness": 1.0, "calibrated": "no"}, "calibrated is 'no'"),
    (pc.laws.HuntCrossley, {"coefficient": -1.0}, "coefficient k is -1.0"),
    (pc.laws.HuntCrossley, {"coefficient": 1.0, "exponent": 0.5}, "exponent is 0.5"),
    (pc.laws.HuntCrossley, {"coefficient": 1.0, "dissipation": -1.0}, "dissipation is -1.0 s/m"),
    (pc.laws.HertzPoint, {"modulus": 0.0, "radius": 1.0}, "modulus is 0.0 Pa"),
    (pc.laws.HertzPoint, {"modulus": 1.0, "radius": math.nan}, "radius is nan"),
    (pc.StickFriction, {"coefficient": math.nan}, "friction coefficient is nan"),
    (pc.StickFriction, {"coefficient": 0.3, "stiffness": 0.0}, "stiffness is 0.0"),
    (pc.StickFriction, {"coefficient": 0.3, "spin_radius": -1.0}, "spin radius is -1.0 m"),
]


@pytest.mark.parametrize(("cls", "options", "told"), BAD)
def test_bad_values_are_refused(cls: type, options: dict[str, Any], told: str) -> None:
    with pytest.raises(pc.ContactError, match=told):
        cls(**options)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"youngs_moduli": (1e9, -1e9)}, "must be positive"),
        ({"youngs_moduli": (math.inf, math.inf)}, "both bodies are rigid"),
        ({"youngs_moduli": (1e9,)}, "give two numbers"),
        ({"poissons_ratios": (0.3, 0.6)}, "at most 0.5"),
        ({"radii": (0.03, -0.02)}, "do not touch at a point"),
        ({"radii": (0.0, 1.0)}, "do not touch at a point"),
        ({"radii": (math.nan, 1.0)}, "give two numbers"),
    ],
)
def test_bad_balls_are_refused(change: dict[str, Any], told: str) -> None:
    given = {"youngs_moduli": (1e9, 1e9), "poissons_ratios": (0.3, 0.3), "radii": (0.1, 0.1), **change}
    with pytest.raises(pc.ContactError, match=told):
        pc.laws.HertzPoint.of_balls(**given)  # type: ignore[arg-type]


def test_parts_that_do_not_fit_together_are_refused() -> None:
    with pytest.raises(pc.ContactError, match="HertzPoint is a law of one point, but elements of PolygonalMethod"):
        pc.ContactPairing(BOX, PLATE, law=pc.laws.HertzPoint(modulus=1e9, radius=0.1))
    with pytest.raises(pc.ContactError, match=r"no stiffness: give RestitutionLaw\(stiffness=…\)"):
        pc.ContactPairing(BOX, PLATE, law=pc.laws.RestitutionLaw(restitution=0.5))
    hunt = pc.laws.HuntCrossley(coefficient=1e9)
    with pytest.raises(pc.ContactError, match="the normal law has no stiffness to share"):
        pc.ContactPairing(BOX, PLATE, law=hunt, friction=pc.StickFriction(coefficient=0.3))


@pytest.mark.parametrize("law", [LAWS[1], LAWS[4]], ids=repr)
def test_layers_that_a_law_would_ignore_are_refused(law: Any) -> None:
    layer = pc.ElasticLayer(1e6, 0.3, 0.01)
    with pytest.raises(pc.ContactError, match="takes no stiffness from layers"):
        pc.ContactPairing(BOX, PLATE, layers=(layer, layer), law=law)


def test_layers_give_the_restitution_law_its_stiffness() -> None:
    layer = pc.ElasticLayer(1e6, 0.3, 0.01)
    pair = pc.ContactPairing(
        BOX,
        PLATE,
        layers=(layer, pc.ElasticLayer.rigid()),
        law=pc.laws.RestitutionLaw(restitution=0.5),
        depth="target_normal",
    )
    force = pair.wrench(np.eye(3), (0.0, 0.0, -0.024))[2]
    assert force == pytest.approx(layer.stiffness * 1e-3 * AREA, rel=1e-9)


@pytest.mark.parametrize("friction", FRICTIONS, ids=repr)
@pytest.mark.parametrize("law", LAWS, ids=repr)
def test_descriptions_survive_files(law: Any, friction: Any) -> None:
    described = ContactDescription(law=law, friction=friction if hasattr(law, "stiffness") else FRICTIONS[2])
    assert ContactDescription.from_plain(described.to_plain()) == described
