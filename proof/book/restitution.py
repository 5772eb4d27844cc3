"""Restitution against damping: a block that falls flat, for which there is a closed form, and a ball."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from polycontact.contact.laws import LayerLaw
from polycontact.multibody.multibody_system import MultibodySystem
from polycontact.report.document.line_plot import Line, LinePlot, svg
from polycontact.report.document.markup import Section, paragraph
from polycontact.simulation.run_result import Run
from polycontact.simulation.simulate import simulate
from polycontact.surfaces.surface import Surface
from polycontact.verification import remembered_shapes as shapes
from polycontact.verification.closed_forms import restitution as exact_restitution
from proof.book.book_page import BookPage, Check, Effort
from proof.book.contact_picture import run_picture
from proof.book.mesh_ladder import balanced
from proof.book.page_parts import check_table, equation, number_table, percent, prose, side_by_side

SPEED = 0.5
"""Before the impact, m/s."""
MASS = 1.0
BLOCK = (0.1, 0.1, 0.05)
BLOCK_STIFFNESS = 1e8
RADIUS = 0.05
BALL_STIFFNESS = 1e8
RATIOS = (0.0, 0.02, 0.05, 0.1, 0.2, 0.35, 0.5, 0.7, 0.9, 1.2)
LIMIT = 3e-3
"""Of e itself, which is 1 at most. An element that pulls in part is left out or counted as a whole, an error of second
order in the mesh: 3e-3 with 5,120 triangles, a quarter of it with 20,480."""


def restitution(effort: Effort) -> BookPage:
    """Page of restitution over damping, for a block and a ball."""
    ratios = RATIOS[:: 4 if effort.quick else 1]
    area = BLOCK[0] * BLOCK[1]
    critical = 2.0 * math.sqrt(BLOCK_STIFFNESS * area * MASS) / area
    block, ball = shapes.box(BLOCK), balanced(shapes.sphere(RADIUS, 4 if effort.quick else 5))
    blocks = [_bounce(block, 0.5 * BLOCK[2], BLOCK_STIFFNESS, ratio * critical) for ratio in ratios]
    dampings = [ratio * BALL_STIFFNESS * _ball_depth() / SPEED for ratio in ratios]
    balls = [_bounce(ball, RADIUS, BALL_STIFFNESS, damping) for damping in dampings]
    got_block, got_ball = ([_speed_ratio(run) for run in runs] for runs in (blocks, balls))
    exact_block = [exact_restitution(ratio) for ratio in ratios]
    exact_ball = [ball_restitution(damping) for damping in dampings]
    checks = [
        Check("block, worst difference from the closed form", _worst(got_block, exact_block), LIMIT),
        Check("ball, worst difference from the smooth ball", _worst(got_ball, exact_ball), LIMIT),
    ]
    rows = [
        [f"{ratio:g}", *(f"{value:.4f}" for value in values)]
        for ratio, *values in zip(ratios, exact_block, got_block, exact_ball, got_ball, strict=True)
    ]
    sections = (
        Section(
            "problem",
            "The problem",
            prose(STORY)
            + side_by_side(
                _picture(blocks[0], "The block, most pressed"), _picture(balls[0], "The ball, most pressed")
            ),
        ),
        Section("exact", "What is exact", _formulas()),
        Section(
            "curves",
            "Restitution against damping",
            _plot(ratios, got_block, got_ball)
            + number_table(("damping ratio", "block exact", "block run", "ball smooth", "ball run"), rows)
            + paragraph(
                f"Damping ratio of the block: ζ; of the ball: d v₀/(c u₀), u₀ = {1e3 * _ball_depth():.3g} mm "
                "the depth without damping.",
                "note",
            ),
        ),
        Section("use", "To choose the damping", prose(USE)),
        Section("limits", "Limits", check_table(checks)),
    )
    figure = f"worst difference in e: block {percent(checks[0].value)}, ball {percent(checks[1].value)}"
    return BookPage(sections, tuple(checks), figure)


STORY = (
    "A block falls flat on a plane, and a ball as well, without gravity. Both bounce: the speed $v_1$ afterwards over "
    "the speed $v_0$ before is the coefficient of restitution $e$. The flat block is a mass on a spring and a damper "
    "that cannot pull, with a closed form for $e$. For the ball the equation of motion of the smooth ball is "
    "integrated, the pressure over its surface by quadrature: no mesh enters there."
)
USE = (
    "Read the damping ratio $ζ$ for the wanted $e$ from the curve. For a flat face of area $A$ under a mass $m$ take "
    "$d = 2 ζ \\sqrt{c m / A}$: $e$ does not depend on the speed. A ball's contact grows with the depth, so that the "
    "same $d$ damps a slow impact more than a fast one: $d = D c u_0 / v_0$ with $u_0 = (3 m v_0^2 / (2 π c R))^{1/3}$."
)


def _formulas() -> str:
    return (
        equation(
            "e = \\exp (- ζ τ), \\quad \\tan (s τ) = \\frac{2 ζ s}{2 ζ^2 - 1}, \\quad s = \\sqrt{1 - ζ^2}", "block"
        )
        + equation("ζ = \\frac{d A}{2 \\sqrt{c A m}}", "its damping ratio (Schwager and Pöschel 2007)")
        + equation(
            "m u′′ = - 2 π R^2 \\int \\max (c φ + d u′ \\cos^3 θ, 0) \\cos θ \\sin θ d θ",
            "ball: damping with the factor 1 less the square of the slope, cos² θ",
        )
    )


def _ball_depth() -> float:
    """Greatest depth of a ball without damping, m, from πcRu³/3 = mv²/2."""
    return float((1.5 * MASS * SPEED**2 / (math.pi * BALL_STIFFNESS * RADIUS)) ** (1.0 / 3.0))


def ball_restitution(damping: float) -> float:
    """Coefficient of restitution of the smooth ball, its motion integrated to 1e-9."""
    from scipy.integrate import solve_ivp

    nodes, weights = np.polynomial.legendre.leggauss(64)
    c, R = BALL_STIFFNESS, RADIUS

    def rates(_: float, state: NDArray[np.float64]) -> tuple[float, float]:
        u, v = state.tolist()
        if u <= 0.0:
            return v, 0.0
        least = 1.0 - u / R  # cos θ at the border of the contact
        x = 0.5 * (1.0 - least) * (nodes + 1.0) + least
        pressure = np.maximum(c * (R * x - (R - u)) + damping * v * x**3, 0.0)
        force = 2.0 * math.pi * R * R * float((pressure * x * weights).sum()) * 0.5 * (1.0 - least)
        return v, -force / MASS

    def parted(_: float, state: NDArray[np.float64]) -> float:
        return float(state[0]) + 1e-12 if state[1] < 0.0 else 1.0

    parted.terminal = True  # type: ignore[attr-defined]
    scale = _ball_depth() / SPEED
    found = solve_ivp(rates, (0.0, 400.0 * scale), (0.0, SPEED), events=parted, rtol=1e-9, atol=1e-13, max_step=scale)
    return -float(found.y[1, -1]) / SPEED


def _bounce(body: Surface, height: float, stiffness: float, damping: float) -> Run:
    """A body of 1 kg that meets a fixed plane, its lowest point ``height`` (m) below its centre."""
    system = MultibodySystem("bounce", gravity=(0.0, 0.0, 0.0))
    system.add_body("ground", surface=shapes.plane(0.4), fixed=True)
    system.add_body("body", surface=body, mass=MASS, position=(0.01, 0.02, height + 1e-5), velocity=(0.0, 0.0, -SPEED))
    system.add_contact("body", "ground", law=LayerLaw(stiffness=stiffness, damping=damping))
    return simulate(system, end_time=0.06, rtol=1e-7, atol=1e-8, velocity_atol=1e-7, output_step=1e-4)


def _speed_ratio(run: Run) -> float:
    return float(run.trajectory.body("body").velocity[-1, 2]) / SPEED


def _worst(got: list[float], exact: list[float]) -> float:
    return max(abs(a - b) for a, b in zip(got, exact, strict=True))


def _picture(run: Run, caption: str) -> str:
    height = run.trajectory.body("body").position[:, 2]
    return run_picture(run.trajectory, float(run.trajectory.time[int(np.argmin(height))]), caption)


def _plot(ratios: Sequence[float], block: list[float], ball: list[float]) -> str:
    fine = np.linspace(0.0, max(ratios), 61).tolist()
    scale = BALL_STIFFNESS * _ball_depth() / SPEED
    lines = [
        Line("block, closed form", fine, [exact_restitution(ratio) for ratio in fine], mark="line", colour=0),
        Line("block, runs", ratios, block, mark="points", colour=0),
        Line(
            "ball, smooth", fine[::3], [ball_restitution(ratio * scale) for ratio in fine[::3]], mark="line", colour=1
        ),
        Line("ball, runs", ratios, ball, mark="points", colour=1),
    ]
    return svg(LinePlot(x_label="damping ratio", y_label="coefficient of restitution e", lines=lines))
