"""The half-space law against closed forms: Hertz, Boussinesq, Sneddon; what it refuses; that nothing jumps."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.typing import NDArray

import polycontact as pc
from scenes import rotation

Array = NDArray[np.float64]

STEEL = pc.HalfSpaceLaw(youngs_modulus=210e9, poissons_ratio=0.3)
MODULUS = STEEL.modulus
RADIUS = 0.05


def lowered(body: pc.Surface, height: float, aside: tuple[float, float] = (1.5e-5, 1e-5)) -> pc.ContactResult:
    """A body as the base, its marker ``height`` (m) above a plane."""
    pairing = pc.ContactPairing(body, pc.shapes.plane(0.2), base=pc.Base.E, law=STEEL)
    return pairing.evaluate(pc.RelativeKinematics(position=(*aside, -height)))


def lowered_ball(subdivisions: int, depth: float) -> pc.ContactResult:
    return lowered(pc.shapes.sphere(RADIUS, subdivisions).balanced(), RADIUS - depth)


def hertz(depth: float) -> tuple[float, float, float]:
    """Force, area and peak pressure of the ball."""
    force = 4.0 / 3.0 * MODULUS * math.sqrt(RADIUS) * depth**1.5
    return force, math.pi * RADIUS * depth, 2.0 * MODULUS / math.pi * math.sqrt(depth / RADIUS)


def test_modulus_and_share_of_the_depth() -> None:
    assert pytest.approx(0.5 * 210e9 / 0.91, rel=1e-14) == MODULUS
    assert STEEL.depth_share == 0.5
    mixed = pc.HalfSpaceLaw.between("steel", "rubber_60")
    rubber = pc.materials["rubber_60"]
    compliances = 0.91 / 210e9, 0.75 / rubber.youngs_modulus
    assert pytest.approx(1.0 / sum(compliances), rel=1e-14) == mixed.modulus
    assert pytest.approx(compliances[0] / sum(compliances), rel=1e-14) == mixed.depth_share
    assert pc.HalfSpaceLaw.between("steel", None).depth_share == 1.0
    assert pc.HalfSpaceLaw.between(None, "steel").depth_share == 0.0
    assert pc.HalfSpaceLaw.between(None, "steel").modulus == pytest.approx(2.0 * MODULUS, rel=1e-14)


@pytest.mark.parametrize(
    ("subdivisions", "depth", "n", "force", "area", "pressure"),
    [
        # Elements in contact, and shares by which force, area and peak pressure may be off. The area is a whole number
        # of triangles: one more or less at the border, of some 2 √(π n), is what it knows.
        (4, 1e-3, 30, 0.005, 0.1, 0.03),
        (5, 0.4e-3, 45, 0.006, 0.03, 0.02),
        (5, 1e-3, 115, 0.007, 0.05, 0.01),
        (6, 1e-3, 435, 0.004, 0.01, 0.01),
    ],
)
def test_ball_after_hertz(subdivisions: int, depth: float, n: int, force: float, area: float, pressure: float) -> None:
    found = lowered_ball(subdivisions, depth)
    expected = hertz(depth)
    assert 0.9 * n < found.statistics.elements < 1.1 * n
    assert found.force[2] == pytest.approx(expected[0], rel=force)
    assert found.area == pytest.approx(expected[1], rel=area)
    assert found.elements.pressure.max() == pytest.approx(expected[2], rel=pressure)
    assert found.elements.pressure.min() > 0.0
    assert found.status == pc.ContactStatus.NORMAL
    assert found.law_residual == 0.0


def test_energy_is_the_work_of_pressing_in() -> None:
    """2/5 F δ, as for every Hertz contact: the force is the derivative of the energy that the table holds."""
    ball = pc.shapes.sphere(RADIUS, 5).balanced()
    pairing = pc.ContactPairing(ball, pc.shapes.plane(0.2), base=pc.Base.E, law=STEEL)
    step = 1e-8

    def energy(depth: float) -> float:
        pairing.wrench(np.eye(3), np.array([0.0, 0.0, depth - RADIUS]))
        with pairing.borrowed_memory() as memory:  # the one that was used last
            return float(memory.report.energy)

    force = float(pairing.wrench(np.eye(3), np.array([0.0, 0.0, 1e-3 - RADIUS]))[2])
    assert energy(1e-3) == pytest.approx(0.4 * force * 1e-3, rel=0.01)
    slope = (energy(1e-3 + step) - energy(1e-3 - step)) / (2.0 * step)
    # The force acts along the normals of the base, the energy changes with those of the target: cos of a slope of
    # 0.14 at the border of the contact.
    assert slope == pytest.approx(force, rel=0.01)


@pytest.mark.parametrize(("cap_rings", "segments", "limit"), [(6, 24, 0.012), (12, 48, 0.006)])
def test_flat_punch(cap_rings: int, segments: int, limit: float) -> None:
    """A disc: 2 E* a δ, and the pressure is singular at its rim: first order in the edge length."""
    radius, depth = 0.01, 1e-5
    punch = pc.shapes.cylinder(radius, 0.01, segments=segments, cap_rings=cap_rings)
    found = lowered(punch, 0.005 - depth)
    side = math.pi / segments
    round_radius = radius * math.sqrt(math.sin(side) * math.cos(side) / side)  # of a disc as large as the polygon
    assert found.force[2] == pytest.approx(2.0 * MODULUS * round_radius * depth, rel=limit)
    # Boussinesq's pressure in the middle is E* δ/(π a).
    middle = np.argmin(np.hypot(found.elements.position[:, 0], found.elements.position[:, 1]))
    assert found.elements.pressure[middle] == pytest.approx(MODULUS * depth / (math.pi * round_radius), rel=0.03)


def test_side_of_the_plate_as_the_base() -> None:
    """Cut triangles of the plate under the rim of the punch take part as triangles of their size."""
    radius, depth = 0.01, 1e-5
    punch = pc.shapes.cylinder(radius, 0.01, segments=64)
    plate = pc.shapes.plane(0.024, 24)
    pairing = pc.ContactPairing(punch, plate, base=pc.Base.F, law=STEEL)
    force = pairing.wrench(np.eye(3), np.array([1e-4, 2e-4, depth - 0.005]))[2]
    assert force == pytest.approx(2.0 * MODULUS * radius * depth, rel=0.012)  # as above


def test_both_bases_count_half_each() -> None:
    ball = pc.shapes.sphere(RADIUS, 4).balanced()
    plate = pc.shapes.plane(0.03, 20)
    pose = (np.eye(3), np.array([1e-4, 2e-4, 1e-3 - RADIUS]))
    forces = [
        pc.ContactPairing(ball, plate, base=base, law=STEEL).wrench(*pose)
        for base in (pc.Base.E, pc.Base.F, pc.Base.BOTH)
    ]
    assert forces[2] == pytest.approx(0.5 * (forces[0] + forces[1]), rel=1e-12, abs=1e-6)


def test_cone_after_sneddon() -> None:
    """F = 2 E* δ² tan α/π, α from the axis; at the tip the pressure is singular."""
    slope, depth = 0.1, 5e-4
    flat = pc.shapes.plane(0.015, 40)
    vertices = flat.vertices.copy()
    vertices[:, 2] = slope * np.hypot(vertices[:, 0], vertices[:, 1])
    cone = pc.Surface(vertices, flat.triangles[:, ::-1])
    found = lowered(cone, -depth)
    assert found.force[2] == pytest.approx(2.0 * MODULUS * depth**2 / (math.pi * slope), rel=0.01)
    assert found.area == pytest.approx(4.0 * depth**2 / (math.pi * slope**2), rel=0.03)


def test_damping_and_restitution() -> None:
    """The force is multiplied by 1 + 3/2 α v; the restitution is that of the closed form."""
    damped = pc.HalfSpaceLaw(youngs_modulus=210e9, poissons_ratio=0.3, dissipation=0.4)
    ball = pc.shapes.sphere(RADIUS, 4).balanced()
    plane = pc.shapes.plane(0.2)
    pose = (np.eye(3), np.array([0.0, 0.0, 1e-3 - RADIUS]))
    still = pc.ContactPairing(ball, plane, base=pc.Base.E, law=STEEL).wrench(*pose)
    pairing = pc.ContactPairing(ball, plane, base=pc.Base.E, law=damped)
    approaching = pairing.wrench(*pose, np.array([0.0, 0.0, 0.5]))
    parting = pairing.wrench(*pose, np.array([0.0, 0.0, -2.0]))
    # Elements around the middle approach by the cosine of their slope, at most 0.14.
    assert approaching[2] == pytest.approx(1.3 * still[2], rel=0.003)
    assert parting[2] == 0.0
    assert damped.restitution(0.0) == 1.0
    assert damped.restitution(0.01) == pytest.approx(1.0 - 0.4 * 0.01, abs=2e-5)


# No jumps, no history ----------------------------------------------------------------------------------------------


PLATE = pc.shapes.plane(0.06, 24)
POSES = [
    (rotation((1.0, 2.0, 3.0), 0.4 + 0.05 * k), np.array([1e-3 * k, -4e-4 * k, 1e-4 * (k % 4 + 2) - RADIUS]))
    for k in range(12)
]


@pytest.mark.parametrize("base", [pc.Base.E, pc.Base.F])
def test_same_bits_whatever_came_before(base: pc.Base) -> None:
    ball = pc.shapes.sphere(RADIUS, 4)
    pairing = pc.ContactPairing(ball, PLATE, base=base, law=STEEL)
    forwards = [pairing.wrench(*pose) for pose in POSES]
    backwards = [pairing.wrench(*pose) for pose in reversed(POSES)]
    fresh = [pc.ContactPairing(ball, PLATE, base=base, law=STEEL).wrench(*pose) for pose in POSES[::3]]
    assert np.array_equal(forwards, backwards[::-1])
    assert np.array_equal(forwards[::3], fresh)
    R, r = POSES[3]
    for nudge in (1e-12, 1e-9, 1e-7):  # after a pose of which nearly the same elements carry
        pairing.wrench(R, r + nudge)
        assert np.array_equal(pairing.wrench(R, r), forwards[3])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("base", "way"), [(pc.Base.E, (0.01, 0.003, 0.0)), (pc.Base.F, (0.01, 0.003, 0.0)), (pc.Base.F, (0, 0, -6e-4))]
)
def test_nothing_jumps(base: pc.Base, way: tuple[float, float, float]) -> None:
    """Halving the step with the greatest change makes the change vanish: elements and those that carry come and go."""
    pairing = pc.ContactPairing(pc.shapes.sphere(RADIUS, 4), PLATE, base=base, law=STEEL)
    turn = rotation((1.0, 2.0, 3.0), 0.4)
    start = np.array([-0.005, 0.001, 9e-4 - RADIUS])

    def force(t: float) -> Array:
        return pairing.wrench(turn, start + t * np.asarray(way))[:3].copy()

    low, high = 0.0, 1.0
    for parts in (64, *[2] * 24):
        places = np.linspace(low, high, parts + 1)
        forces = np.array([force(t) for t in places])
        jump = np.linalg.norm(np.diff(forces, axis=0), axis=1)
        worst = int(np.argmax(jump))
        low, high = places[worst], places[worst + 1]
    # dF/dδ = 2 E* a; what is left of the way, and ten times that for facets that come and go
    stiffness = 2.0 * MODULUS * math.sqrt(RADIUS * 9e-4)
    assert jump[worst] < 10.0 * stiffness * (high - low) * np.linalg.norm(way) + 1e-8 * stiffness * 1e-3


def test_slope_is_that_of_differences() -> None:
    pairing = pc.ContactPairing(pc.shapes.sphere(RADIUS, 4).balanced(), PLATE, base=pc.Base.E, law=STEEL)
    pose = (np.eye(3), np.array([1e-4, 2e-4, 1e-3 - RADIUS]))
    known = pairing.wrench_derivative(*pose)
    assert known[2, 2] == pytest.approx(2.0 * MODULUS * math.sqrt(RADIUS * 1e-3), rel=0.1)  # 2 E* a, of facets
    by_differences = pairing.wrench_derivative(*pose, differences=True)
    scale = np.array([1.0, 1.0, 1.0, 100.0, 100.0, 100.0])[:, None]
    assert known * scale == pytest.approx(by_differences * scale, rel=0.05, abs=0.05 * abs(known[2, 2]))


def test_the_work_space_grows() -> None:
    """From one element in contact to hundreds with one memory, and back."""
    pairing = pc.ContactPairing(pc.shapes.sphere(RADIUS, 5).balanced(), pc.shapes.plane(0.2), base=pc.Base.E, law=STEEL)
    few = pairing.wrench(np.eye(3), np.array([0.0, 0.0, 2e-5 - RADIUS])).copy()
    many = pairing.evaluate(pc.RelativeKinematics(position=(0.0, 0.0, 3e-3 - RADIUS)))
    assert many.statistics.elements > 300  # beyond what is factorised
    assert many.force[2] == pytest.approx(hertz(3e-3)[0], rel=0.01)
    assert np.array_equal(pairing.wrench(np.eye(3), np.array([0.0, 0.0, 2e-5 - RADIUS])), few)


# What is refused ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"youngs_modulus": 0.0, "poissons_ratio": 0.3}, r"half-space law: Young's modulus is 0.0 Pa; it must be"),
        ({"youngs_modulus": -1e9, "poissons_ratio": 0.3}, "must be positive"),
        ({"youngs_modulus": math.inf, "poissons_ratio": 0.3}, "Young's modulus is inf Pa"),
        ({"youngs_modulus": 1e9, "poissons_ratio": 0.51}, "Poisson's ratio is 0.51; it must be"),
        ({"youngs_modulus": 1e9, "poissons_ratio": -1.0}, "Poisson's ratio is -1.0"),
        ({"youngs_modulus": 1e9, "poissons_ratio": math.nan}, "Poisson's ratio is nan"),
        ({"youngs_modulus": 1e9, "poissons_ratio": 0.3, "dissipation": -1.0}, "dissipation is -1.0 s/m"),
        ({"youngs_modulus": 1e9, "poissons_ratio": 0.3, "youngs_modulus_f": 1e9}, "give its Poisson's ratio too"),
        ({"youngs_modulus": 1e9, "poissons_ratio": 0.3, "rigid": "both"}, "rigid is 'both'; allowed"),
        ({"youngs_modulus": "210 mm", "poissons_ratio": 0.3}, "210 mm"),
    ],
)
def test_bad_numbers_are_named(options: dict[str, object], told: str) -> None:
    with pytest.raises(pc.ContactError, match=told):
        pc.HalfSpaceLaw(**options)  # type: ignore[arg-type]


def test_bad_materials_and_speeds() -> None:
    with pytest.raises(pc.ContactError, match="both bodies are rigid"):
        pc.HalfSpaceLaw.between(None, None)
    with pytest.raises(pc.ContactError, match="no material 'stele'; did you mean 'steel'"):
        pc.HalfSpaceLaw.between("stele", "steel")
    with pytest.raises(pc.ContactError, match="speed is -1"):
        STEEL.restitution(-1)


def test_methods_without_areas_are_refused() -> None:
    ball = pc.shapes.sphere(RADIUS, 2)
    for method in (pc.contact.ConvexMethod(), "node_block"):
        with pytest.raises(pc.ContactError, match="HalfSpaceLaw needs elements that are pieces of triangles"):
            pc.ContactPairing(ball, ball, method=method, law=STEEL)
    layer = pc.ElasticLayer(youngs_modulus=1e9, poissons_ratio=0.3, thickness=0.01)
    with pytest.raises(pc.ContactError, match="HalfSpaceLaw takes no stiffness from layers"):
        pc.ContactPairing(ball, ball, layers=(layer, layer), law=STEEL)
    with pytest.raises(pc.ContactError, match="no stiffness to share"):
        pc.ContactPairing(ball, ball, law=STEEL, friction=pc.StickFriction(coefficient=0.3))
