"""A scenario whose runs take milliseconds and have a closed form, and results that are hard to search."""

from __future__ import annotations

import math

import polycontact as pc
from polycontact.scenario.parsing import Scenario, parse_scenario

G, END = 9.81, 0.1

TEXT = """
[scenario]
name = "drop"

[simulation]
end_time = 0.1
output_step = 0.05
rtol = 1e-8
atol = 1e-9

[[bodies]]
name = "ball"
shape = { kind = "box", size = 0.1 }
density = 1000.0
position = [0.0, 0.0, 1.0]
velocity = [0.5, 0.0, 0.0]
"""

UP = "bodies.ball.velocity[2]"
ALONG = "bodies.ball.velocity[0]"


def drop() -> Scenario:
    """A ball that falls freely from 1 m."""
    return parse_scenario(TEXT, file="drop.toml")


def speed(run: pc.Run, axis: int = 2) -> float:
    """A velocity of the ball at the start, m/s."""
    return float(run.trajectory.body("ball").velocity[0, axis])


def noisy(run: pc.Run) -> float:
    """The speed, off by 0.02 m/s to and fro."""
    v = speed(run)
    return v + 0.02 * math.sin(1e5 * v)


def twice(run: pc.Run) -> float:
    """A parabola: 1 above 0.5 m/s from 0."""
    return speed(run) ** 2


def gone_when_slow(run: pc.Run) -> float:
    """A result that some runs do not have."""
    if 0.3 < speed(run) < 0.4:
        raise RuntimeError("too slow for me")
    return speed(run)


def valley(run: pc.Run) -> float:
    """Rosenbrock's function of the two speeds: 0 at (1, 1) m/s."""
    x, y = speed(run, 0), speed(run, 2)
    return (1.0 - x) ** 2 + 100.0 * (y - x * x) ** 2


def distance(run: pc.Run) -> float:
    """Square of the distance of the two speeds from (1, 1) m/s."""
    return (speed(run, 0) - 1.0) ** 2 + (speed(run, 2) - 1.0) ** 2


def total(run: pc.Run) -> float:
    """Sum of the two speeds."""
    return speed(run, 0) + speed(run, 2)


def waves(run: pc.Run) -> float:
    """Many valleys, the deepest at 0.7 m/s."""
    return 1.0 - math.cos(12.0 * (speed(run) - 0.7)) + 2.0 * (speed(run) - 0.7) ** 2
