"""Closed bodies of many kinds for checks with random pairs: sharp and smooth, CAD-like and as if scanned."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np

from polycontact import scenario
from polycontact.surfaces import shapes
from polycontact.surfaces.mesh_loading import load_surface
from polycontact.surfaces.surface import Surface

_SEGMENTS = Path(scenario.__file__).parent / "data" / "pedestrian"


def gear(teeth: int = 12, radius: float = 0.1, height: float = 0.04) -> Surface:
    """A wheel with straight teeth and a bore, m."""
    angle = 2.0 * math.pi * (np.arange(4 * teeth) + 0.5) / (4 * teeth)
    reach = np.where(np.arange(4 * teeth) % 4 < 2, radius, 0.8 * radius)
    outline = reach[:, None] * np.column_stack((np.cos(angle), np.sin(angle)))
    turn = 2.0 * math.pi * np.arange(24) / 24
    bore = 0.3 * radius * np.column_stack((np.cos(turn), np.sin(turn)))
    return shapes.extrude(outline, height, holes=[bore])


def stone(radius: float = 0.1, roughness: float = 0.06, subdivisions: int = 3, seed: int = 0) -> Surface:
    """A ball with random bumps of many sizes, as a scanned stone; ``roughness`` in radii."""
    ball = shapes.sphere(radius, subdivisions)
    rng = np.random.default_rng(seed)
    bumps = np.zeros(len(ball.vertices))
    for waves in (2.0, 4.0, 8.0, 16.0):
        direction, phase = rng.normal(size=(3, 6)), rng.uniform(0.0, 2.0 * math.pi, 6)
        bumps += np.sin(waves / radius * ball.vertices @ direction / 2.0 + phase).sum(axis=1) / waves
    return Surface(ball.vertices * (1.0 + roughness * bumps / bumps.std())[:, None], ball.triangles)


def _segment(name: str) -> Callable[[], Surface]:
    """A part of the pedestrian's body."""
    return lambda: load_surface(_SEGMENTS / f"{name}.ply")


MAKERS: dict[str, Callable[[], Surface]] = {
    "coarse ball": lambda: shapes.sphere(0.1, 1),
    "ball": lambda: shapes.sphere(0.1, 2),
    "fine ball": lambda: shapes.sphere(0.1, 3),
    "small ball": lambda: shapes.sphere(0.03, 2),
    "box": lambda: shapes.box((0.2, 0.15, 0.1)),
    "fine box": lambda: shapes.box((0.2, 0.15, 0.1), (4, 3, 2)),
    "slab": lambda: shapes.box((0.5, 0.5, 0.1), (2, 2, 1)),
    "torus": lambda: shapes.torus(0.1, 0.04),
    "cylinder": lambda: shapes.cylinder(0.08, 0.2),
    "cone": lambda: shapes.cone(0.1, 0.2),
    "capsule": lambda: shapes.capsule(0.05, 0.15, segments=20),
    "egg": lambda: shapes.ellipsoid((0.12, 0.08, 0.06), 2),
    "bubble": lambda: shapes.bubble(),
    "table": lambda: shapes.table(),
    "plate": lambda: shapes.plate_with_hole((0.3, 0.3), 0.05, 0.06),
    "horseshoe": lambda: shapes.horseshoe(),
    "cup": lambda: shapes.spherical_cup(0.105, 0.05, segments=32),
    "gear": gear,
    "stone": stone,
    "head": _segment("head"),
    "hand": _segment("left_hand"),
    "foot": _segment("right_foot"),
    "torso": _segment("torso"),
    "pelvis": _segment("pelvis"),
}


@cache
def body(name: str) -> Surface:
    """A body of `MAKERS`, made once."""
    return MAKERS[name]()
