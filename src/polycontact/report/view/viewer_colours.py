"""Colours: the scale of patches, bodies that have none of their own, and marks."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

SCALE_STOPS: Final = (
    (0.00, "#3b2fb4"),
    (0.20, "#7a2bb8"),
    (0.42, "#c8338a"),
    (0.62, "#f35b4e"),
    (0.81, "#ffa22b"),
    (1.00, "#fff07a"),
)
"""From no load to the greatest: lightness rises all the way, so that it reads without seeing colour."""

BODY_COLOURS: Final = (
    "#5b8fc7",
    "#e0a458",
    "#6fae83",
    "#c97b84",
    "#8f82c4",
    "#5fb0b7",
    "#b5985a",
    "#9aa3ad",
)
"""For bodies without a colour, in turn."""

SURFACE: Final = "#9fb2c4"
"""A mesh whose problems are shown: pale, so that marks stand out."""

ACTIVE_E: Final = "#2f9e8f"
ACTIVE_F: Final = "#d9822b"
LINE: Final = "#00b8d4"
POINT: Final = "#1f2937"

JOINT: Final = "#0b6bcb"
LIMIT: Final = "#e8590c"
SPRING: Final = "#2f9348"
DRIVE: Final = "#8b2fc9"
COUPLER: Final = "#a8730a"
GRAVITY: Final = "#5c6b7c"


def body_colour(number: int, given: str | None) -> str:
    """The colour of a body: as given, or one of ours."""
    return given if given else BODY_COLOURS[number % len(BODY_COLOURS)]


def scale_table(n: int = 256) -> NDArray[np.uint8]:
    """The colour scale as (n, 3) bytes, interpolated where equal steps look equal (Oklab, Ottosson 2020)."""
    stops = np.array([position for position, _ in SCALE_STOPS])
    labs = np.array([_oklab(_linear(colour)) for _, colour in SCALE_STOPS])
    at = np.linspace(0.0, 1.0, n)
    lab = np.stack([np.interp(at, stops, labs[:, i]) for i in range(3)], axis=1)
    return _srgb(lab)


def _linear(colour: str) -> NDArray[np.float64]:
    values = np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)]) / 255.0
    return np.where(values <= 0.04045, values / 12.92, ((values + 0.055) / 1.055) ** 2.4)


_TO_CONES: Final = np.array(
    [
        [0.4122214708, 0.5363325363, 0.0514459929],
        [0.2119034982, 0.6806995451, 0.1073969566],
        [0.0883024619, 0.2817188376, 0.6299787005],
    ]
)
_TO_LAB: Final = np.array(
    [
        [0.2104542553, 0.7936177850, -0.0040720468],
        [1.9779984951, -2.4285922050, 0.4505937099],
        [0.0259040371, 0.7827717662, -0.8086757660],
    ]
)


def _oklab(linear: NDArray[np.float64]) -> NDArray[np.float64]:
    return _TO_LAB @ np.cbrt(_TO_CONES @ linear)


def _srgb(lab: NDArray[np.float64]) -> NDArray[np.uint8]:
    cones = (lab @ np.linalg.inv(_TO_LAB).T) ** 3
    linear = np.clip(cones @ np.linalg.inv(_TO_CONES).T, 0.0, 1.0)
    encoded = np.where(linear <= 0.0031308, 12.92 * linear, 1.055 * linear ** (1 / 2.4) - 0.055)
    return np.round(255.0 * encoded).astype(np.uint8)
