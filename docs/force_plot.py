"""Plots of forces over time: the feet of the six-legged robot, the tool of the arm on plates of four stiffnesses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

import polycontact as pc
from polycontact.robots.manipulator_model import END_TIME, STIFFNESSES

SIZE = (560, 340)
FINE = 2
LEFT, RIGHT, TOP, BOTTOM = 60, 20, 44, 40
INK = "#16202a"
Curve = tuple[NDArray[np.float64], NDArray[np.float64]]
"""Times, s, and forces, N."""


def feet() -> list[Image.Image]:
    """Normal forces of the left feet, standing and in four steps, on flat and on wavy ground."""
    panels = []
    for name, ground in (("hexapod", "points on a plate"), ("hexapod_polygonal", "meshes on waves")):
        scenario = pc.load_scenario(name)
        run = pc.simulate(scenario.build(), **scenario.settings).trajectory
        colours = {"front": "#4c84b8", "middle": "#2a9d8f", "rear": "#d1495b"}
        curves = {
            f"{each} left": (colour, (run.time, run.pairing(f"{each} left foot").force[:, 2]))
            for each, colour in colours.items()
        }
        panels.append(draw(f"feet, N: {ground}", curves, 120.0, (0.0, 1.0, 2.0, 3.0)))
    return panels


def tool(task: str) -> Image.Image:
    """Normal force of the tool on the four plates of the source."""
    curves = {}
    for stiffness, colour in zip(STIFFNESSES, ("#8c2f39", "#d1495b", "#f4a261", "#e9c46a"), strict=True):
        system = pc.robots.manipulator(task, stiffness=stiffness).system()  # type: ignore[arg-type]
        run = pc.simulate(system, end_time=END_TIME, rtol=1e-5, atol=1e-6).trajectory
        curves[f"{stiffness:.0e} N/m".replace("e+0", "e")] = (colour, (run.time, run.pairing("tool").force[:, 2]))
    return draw(f"tool, N: {task} motion, logarithmic", curves, 1000.0, (0.0, 0.5, 1.0, 1.5, 2.0), lowest=0.1)


def draw(
    title: str,
    curves: Mapping[str, tuple[str, Curve]],
    highest: float,
    times: Sequence[float],
    *,
    lowest: float | None = None,
) -> Image.Image:
    """Curves with their names, over a grid; a logarithmic scale from ``lowest`` (N) on where it is given."""
    image = Image.new("RGB", (FINE * SIZE[0], FINE * SIZE[1]), "white")
    pencil, font = ImageDraw.Draw(image), ImageFont.load_default(size=14 * FINE)
    end = max(float(t[-1]) for _, (t, _) in curves.values())

    def place(t: float, force: float) -> tuple[float, float]:
        share = force / highest
        if lowest is not None:
            share = np.log(max(force, lowest) / lowest) / np.log(highest / lowest)
        width, height = SIZE[0] - LEFT - RIGHT, SIZE[1] - TOP - BOTTOM
        return FINE * (LEFT + width * t / end), FINE * (TOP + height * (1.0 - float(share)))

    marks = (
        np.linspace(0.0, highest, 4) if lowest is None else 10.0 ** np.arange(np.log10(lowest), np.log10(highest) + 0.5)
    )
    for mark in marks:
        pencil.line([place(0.0, mark), place(end, mark)], fill="#d5dbe1", width=FINE)
        x, y = place(0.0, mark)
        pencil.text((x - 8 * FINE, y), f"{mark:g}", fill=INK, font=font, anchor="rm")
    for t in times:
        x, _ = place(t, 0.0)
        pencil.text((x, FINE * (SIZE[1] - BOTTOM + 8)), f"{t:g} s", fill=INK, font=font, anchor="ma")
    x = FINE * LEFT
    pencil.text((x, 6 * FINE), title, fill=INK, font=font)
    for name, (colour, (t, force)) in curves.items():
        pencil.line([place(float(a), float(b)) for a, b in zip(t, force, strict=True)], fill=colour, width=2 * FINE)
        pencil.text((x, 24 * FINE), name, fill=colour, font=font)
        x += pencil.textlength(name, font=font) + 16 * FINE
    return image.resize(SIZE, Image.Resampling.LANCZOS)
