"""The plot of why explicit integrators stall at rest: a ball bounces and comes to rest, and the steps of three."""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

import polycontact as pc

SIZE = (1000, 560)
FINE = 2
LEFT, RIGHT = 80, 190
HEIGHTS, STEPS = (40, 170), (230, 510)
"""Top and bottom of both parts, pixels."""
INK, GRID = "#16202a", "#d5dbe1"
END = 2.0
"""Simulated time, s."""
SHORTEST, LONGEST = 1e-5, 1.0
"""Ends of the scale of steps, s."""
COLOURS = {"cvode-bdf": "#2a9d8f", "auto": "#4c84b8", "dopri5": "#d1495b"}


@dataclass(frozen=True)
class Steps:
    """Ends of steps (s), their lengths (s), the ball's height (m) at all ``samples`` (s) and what it took."""

    time: NDArray[np.float64]
    length: NDArray[np.float64]
    samples: NDArray[np.float64]
    height: NDArray[np.float64]
    evaluations: int


def bouncing_ball() -> pc.MultibodySystem:
    """A rubber ball of 5 cm above a table, damped so that it bounces some times in two seconds."""
    system = pc.MultibodySystem("ball")
    system.add_body("table", surface=pc.shapes.box(size=(0.3, 0.3, 0.02)), fixed=True, position=(0.0, 0.0, -0.01))
    system.add_body("ball", surface=pc.shapes.sphere(0.05), density=300.0, position=(0.0, 0.0, 0.15))
    law, friction = pc.LayerLaw(stiffness=1e8, damping=6e4), pc.RegularisedCoulomb(coefficient=0.3, velocity=1e-3)
    system.add_contact("ball", "table", law=law, friction=friction)
    return system


def steps_of(integrator: str) -> Steps:
    """Run the ball, and note each step."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        run = pc.simulate(bouncing_ball(), end_time=END, integrator=integrator, output_step=1e-3)
    steps = np.asarray(run.trajectory.array("steps"), dtype=float)
    time, height = run.trajectory.time, run.trajectory.body("ball").position[:, 2]
    made = np.flatnonzero(np.diff(steps, prepend=-1.0) > 0.0)
    ends, lengths = time[made][1:], np.diff(time[made]) / np.diff(steps[made])
    until_end = np.append(ends, END), np.append(lengths, lengths[-1])
    return Steps(*until_end, time, height, run.statistics.evaluations)


def draw() -> Image.Image:
    """The height of the ball above, the lengths of steps below, over the same time."""
    image = Image.new("RGB", (FINE * SIZE[0], FINE * SIZE[1]), "white")
    pencil, font = ImageDraw.Draw(image), ImageFont.load_default(size=15 * FINE)
    _axes(pencil, font)
    found = {name: steps_of(name) for name in COLOURS}
    ball = found["cvode-bdf"]
    top = float(ball.height.max())
    points = [_place(HEIGHTS, t, z / top) for t, z in zip(ball.samples, ball.height, strict=True)]
    pencil.line(points, fill=INK, width=2 * FINE)
    for number, (name, steps) in enumerate(found.items()):
        points = [_place(STEPS, t, _share(h)) for t, h in zip(steps.time, steps.length, strict=True)]
        pencil.line(points, fill=COLOURS[name], width=2 * FINE, joint="curve")
        x, y = FINE * (SIZE[0] - RIGHT + 14), FINE * (STEPS[0] + 20 + 46 * number)
        pencil.text((x, y), name, fill=COLOURS[name], font=font)
        pencil.text((x, y + 18 * FINE), f"{steps.evaluations:,} evaluations", fill=COLOURS[name], font=font)
    return image.resize(SIZE, Image.Resampling.LANCZOS)


def _share(step: float) -> float:
    """Where a step (s) stands on the logarithmic scale, 0 to 1."""
    return float(np.log(min(max(step, SHORTEST), LONGEST) / SHORTEST) / np.log(LONGEST / SHORTEST))


def _place(part: tuple[int, int], t: float, share: float) -> tuple[float, float]:
    width = SIZE[0] - LEFT - RIGHT
    return FINE * (LEFT + width * float(t) / END), FINE * (part[1] - (part[1] - part[0]) * float(share))


def _axes(pencil: ImageDraw.ImageDraw, font: ImageFont.FreeTypeFont | ImageFont.ImageFont) -> None:
    for part, title in ((HEIGHTS, "height of the ball's centre"), (STEPS, "length of the steps, logarithmic")):
        pencil.text((FINE * 12, FINE * (part[0] - 30)), title, fill=INK, font=font)
    for t in (0.0, 0.5, 1.0, 1.5, 2.0):
        for part in (HEIGHTS, STEPS):
            pencil.line([_place(part, t, 0.0), _place(part, t, 1.0)], fill=GRID, width=FINE)
        x, y = _place(STEPS, t, 0.0)
        pencil.text((x, y + 8 * FINE), f"{t:g} s", fill=INK, font=font, anchor="ma")
    for step, told in (
        (1e-5, "0.01 ms"),
        (1e-4, "0.1 ms"),
        (1e-3, "1 ms"),
        (1e-2, "10 ms"),
        (1e-1, "0.1 s"),
        (1.0, "1 s"),
    ):
        pencil.line([_place(STEPS, 0.0, _share(step)), _place(STEPS, END, _share(step))], fill=GRID, width=FINE)
        x, y = _place(STEPS, 0.0, _share(step))
        pencil.text((x - 10 * FINE, y), told, fill=INK, font=font, anchor="rm")
    pencil.line([_place(HEIGHTS, 0.0, 0.0), _place(HEIGHTS, END, 0.0)], fill=GRID, width=FINE)
