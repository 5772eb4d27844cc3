"""Impacts of single balls, after the tests of Chung and Ooi (2011): Hertz's force, restitution, friction."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from polycontact.contact.convex_kinds import ConvexMethod
from polycontact.contact.laws import HertzPoint, RegularisedCoulomb, RestitutionLaw
from polycontact.contact.laws.contact_law import ContactLaw
from polycontact.multibody.multibody_system import MultibodySystem
from polycontact.report.document.line_plot import Line, LinePlot, svg
from polycontact.simulation.simulate import simulate
from polycontact.surfaces.convex import Box, Sphere
from proof.validation.finding import Finding, Validation

RTOL = 1e-9
ANGLES = (5.0, 15.0, 25.0, 35.0, 45.0, 60.0, 75.0)
"""Angles between the velocity and the normal, degrees."""


class Ball(NamedTuple):
    """Radius (m), density (kg/m³), Young's modulus (Pa), Poisson's ratio."""

    radius: float
    density: float
    youngs_modulus: float
    poissons_ratio: float

    @property
    def mass(self) -> float:
        """Mass, kg."""
        return 4.0 / 3.0 * math.pi * self.radius**3 * self.density


class Rebound(NamedTuple):
    """After an impact: velocity (m/s) and angular velocity (rad/s) of the ball; greatest force (N), duration (s)."""

    velocity: tuple[float, float, float]
    spin: tuple[float, float, float]
    force: float
    duration: float


GLASS = Ball(10e-3, 2800.0, 4.8e10, 0.20)
LIMESTONE = Ball(10e-3, 2500.0, 2.0e10, 0.25)
ALUMINIUM = Ball(0.1, 2699.0, 7.0e10, 0.30)
MAGNESIUM = Ball(0.1, 1800.0, 4.0e10, 0.35)
ALUMINA = Ball(2.5e-3, 4000.0, 3.8e11, 0.23)


def validate() -> Validation:
    """Tests 1 to 4 with their parameters, and the kinds of 5 and 8: a ball that spins, balls of two sizes."""
    findings = [*_two_equal_balls(), *_ball_and_plane(), *_restitutions(), *_spinning()]
    oblique, plot = _oblique()
    return Validation(
        "impacts",
        "Impacts of single balls",
        "Chung and Ooi, Granular Matter 13 (2011): benchmark tests at the level of single impacts; Hertz (1882)",
        "Two balls meet, a ball hits a plane, straight and at an angle, with and without losses. Forces follow from "
        "Hertz's theory, velocities after an impact that slides throughout from its impulses.",
        (*findings, *oblique),
        plot,
    )


def _two_equal_balls() -> list[Finding]:
    """Test 1: 10 m/s each."""
    found = []
    for name, ball in (("glass", GLASS), ("limestone", LIMESTONE)):
        modulus = ball.youngs_modulus / (2.0 * (1.0 - ball.poissons_ratio**2))
        law = HertzPoint(modulus=modulus, radius=0.5 * ball.radius)
        rebound = _meet(ball, ball, 20.0, law)
        found += _hertz_findings(f"two balls of {name}", law, 0.5 * ball.mass, 20.0, rebound)
    return found


def _ball_and_plane() -> list[Finding]:
    """Test 2: 0.2 m/s onto a rigid plane."""
    found = []
    for name, ball in (("aluminium", ALUMINIUM), ("magnesium", MAGNESIUM)):
        law = _rigid_plane(ball)
        found += _hertz_findings(
            f"ball of {name} on a plane", law, ball.mass, 0.2, _hit(ball, (0.0, -0.2), 0.0, law, 0.0)
        )
    return found


def _hertz_findings(name: str, law: HertzPoint, mass: float, speed: float, rebound: Rebound) -> list[Finding]:
    """Force and duration of Hertz's impact; tolerances of the integration are 1e-9."""
    depth = (1.25 * mass * speed**2 / law.coefficient) ** 0.4
    reason = "the greatest force is found between steps, to the fourth power of a step"
    return [
        Finding(f"{name}: greatest force", law.coefficient * depth**1.5, rebound.force, "N", 1e-4, reason),
        Finding(
            f"{name}: duration",
            2.943275 * depth / speed * 1e6,
            rebound.duration * 1e6,
            "µs",
            1e-5,
            "2.9433 δ/v has seven figures",
        ),
    ]


def _restitutions() -> list[Finding]:
    """Test 3: the restitution of a law that is calibrated for it."""
    found = []
    for restitution in (0.2, 0.5, 0.8, 1.0):
        law = RestitutionLaw(stiffness=1e7, restitution=restitution)
        rebound = _hit(ALUMINA, (0.0, -3.9), 0.0, law, 0.0)
        reason = "integration, and a law whose start has the speed of the first step in contact"
        found.append(Finding(f"restitution {restitution:g}", restitution, rebound.velocity[2] / 3.9, "", 1e-4, reason))
    return found


def _spinning() -> list[Finding]:
    """The kinds of test 5 and 8: all friction impulses are those of sliding, μ(1 + e) m v."""
    ball, speed, coefficient = ALUMINA, 5.0, 0.2
    law = _rigid_plane(ball)
    rebound = _hit(ball, (0.0, -speed), 6000.0, law, coefficient)
    reason = "the slip stays above the velocity at which friction fades: impulses are those of sliding"
    found = [
        Finding("spinning ball: tangential speed", 2.0 * coefficient * speed, rebound.velocity[0], "m/s", 1e-4, reason),
        Finding(
            "spinning ball: loss of spin",
            5.0 * coefficient * speed / ball.radius,
            6000.0 - rebound.spin[1],
            "rad/s",
            _depth(ball, speed, law) / ball.radius,
            "the lever of friction is shorter by the depth",
        ),
    ]
    small, large = ALUMINA, ALUMINA._replace(radius=2.0 * ALUMINA.radius)
    modulus = small.youngs_modulus / (2.0 * (1.0 - small.poissons_ratio**2))
    uneven = HertzPoint(modulus=modulus, radius=small.radius * large.radius / (small.radius + large.radius))
    after = _meet(small, large, 2.0, uneven).velocity[0]
    exact = 1.0 - 4.0 * large.mass / (small.mass + large.mass)
    return [*found, Finding("small ball after a large one", exact, after, "m/s", 1e-6, "integration at 1e-9")]


def _oblique() -> tuple[list[Finding], str]:
    """Test 4: 3.9 m/s at several angles, μ = 0.092; where it slides throughout, impulses give spin and speed."""
    ball, speed, coefficient = ALUMINA, 3.9, 0.092
    law = _rigid_plane(ball)
    found, spins, exact = [], [], []
    for degrees in ANGLES:
        normal, tangential = speed * math.cos(math.radians(degrees)), speed * math.sin(math.radians(degrees))
        rebound = _hit(ball, (tangential, -normal), 0.0, law, coefficient)
        sliding = 2.0 * coefficient * normal
        slides = 3.5 * sliding < tangential
        impulse = sliding if slides else tangential / 3.5
        spins.append(rebound.spin[1])
        exact.append(2.5 * impulse / ball.radius)
        words = "slides throughout" if slides else "rolls at the end"
        bound, reason = _depth(ball, normal, law) / ball.radius, "the lever of friction is shorter by the depth"
        found.append(Finding(f"spin after {degrees:g}°, {words}", exact[-1], spins[-1], "rad/s", bound, reason))
    lines = [Line("polycontact", ANGLES, spins, "points"), Line("impulses", ANGLES, exact, "dashed", 1)]
    return found, svg(LinePlot(x_label="angle of incidence, °", y_label="spin after the impact, rad/s", lines=lines))


def _depth(ball: Ball, speed: float, law: HertzPoint) -> float:
    """Greatest depth of Hertz's impact on a plane, m."""
    return float((1.25 * ball.mass * speed**2 / law.coefficient) ** 0.4)


def _rigid_plane(ball: Ball) -> HertzPoint:
    return HertzPoint.of_balls(
        youngs_moduli=(ball.youngs_modulus, math.inf),
        poissons_ratios=(ball.poissons_ratio, ball.poissons_ratio),
        radii=(ball.radius, math.inf),
    )


def _hit(ball: Ball, velocity: tuple[float, float], spin: float, law: ContactLaw, coefficient: float) -> Rebound:
    """A ball meets the plane z = 0 with a velocity along x and z (m/s) and a spin about y (rad/s)."""
    system = MultibodySystem("ball on plane", gravity=(0.0, 0.0, 0.0))
    inertia = 0.4 * ball.mass * ball.radius**2
    system.add_body(
        "ball",
        surface=Sphere(ball.radius),
        mass=ball.mass,
        inertia=(inertia, inertia, inertia),
        position=(0.0, 0.0, ball.radius),
        velocity=(velocity[0], 0.0, velocity[1]),
        angular_velocity=(0.0, spin, 0.0),
    )
    plane = Box((100.0 * ball.radius, 100.0 * ball.radius, 10.0 * ball.radius))
    system.add_body("plane", surface=plane, fixed=True, position=(0.0, 0.0, -5.0 * ball.radius))
    return _rebound(system, ("ball", "plane"), law, coefficient, -velocity[1], ball.mass)


def _meet(first: Ball, second: Ball, speed: float, law: ContactLaw) -> Rebound:
    """Two balls meet along x, the first at rest relative to their mean velocity being half of ``speed`` (m/s)."""
    system = MultibodySystem("two balls", gravity=(0.0, 0.0, 0.0))
    for name, ball, at, v in (
        ("ball", first, -first.radius, 0.5 * speed),
        ("plane", second, second.radius, -0.5 * speed),
    ):
        inertia = 0.4 * ball.mass * ball.radius**2
        system.add_body(
            name,
            surface=Sphere(ball.radius),
            mass=ball.mass,
            inertia=(inertia, inertia, inertia),
            position=(at, 0.0, 0.0),
            velocity=(v, 0.0, 0.0),
        )
    reduced = first.mass * second.mass / (first.mass + second.mass)
    return _rebound(system, ("ball", "plane"), law, 0.0, speed, reduced)


def _rebound(
    system: MultibodySystem, names: tuple[str, str], law: ContactLaw, coefficient: float, speed: float, mass: float
) -> Rebound:
    """Simulate two to three durations of the impact."""
    friction = RegularisedCoulomb(coefficient=coefficient, velocity=1e-4) if coefficient else None
    system.add_contact(*names, method=ConvexMethod(), law=law, friction=friction)
    if isinstance(law, HertzPoint):
        depth = (1.25 * mass * speed**2 / law.coefficient) ** 0.4
        duration = 2.95 * depth / speed
    else:
        assert isinstance(law, RestitutionLaw)
        assert law.stiffness is not None
        duration = math.pi * math.sqrt(mass / law.stiffness)
        depth = speed * duration / math.pi
    run = simulate(
        system,
        end_time=6.0 * duration,
        output_step=0.02 * duration,
        rtol=RTOL,
        atol=1e-6 * depth,
        velocity_atol=1e-9 * speed,
        contact_events=True,
    )
    body = run.trajectory.body("ball")
    times = {event.kind: event.time for event in run.events}
    peaks = run.peaks.contacts[f"{names[0]}–{names[1]}"]
    return Rebound(
        tuple(np.asarray(body.velocity[-1]).tolist()),
        tuple(np.asarray(body.angular_velocity[-1]).tolist()),
        peaks.force.value,
        times["end"] - times.get("start", 0.0),
    )
