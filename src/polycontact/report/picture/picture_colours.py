"""Colours: of themes, of bodies without one, and of values."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from polycontact.errors import SimulationError
from polycontact.report.view.viewer_colours import scale_table


@dataclass(frozen=True)
class Theme:
    """Colours of a picture: ``above`` and ``below`` of the background, ``ink`` of text, ``shadow`` its strength, of
    an ``arrow``."""

    above: str
    below: str
    ink: str
    faint: str
    shadow: float
    light: float
    arrow: str


THEMES = {
    "light": Theme("#ffffff", "#e9edf2", "#1d2733", "#5b6876", 0.42, 1.0, "#d62839"),
    "dark": Theme("#20262e", "#12161b", "#e8edf2", "#9aa7b4", 0.60, 0.92, "#ff5d6c"),
}


def find_theme(name: str) -> Theme:
    """The theme of this name; an unknown name raises an error that lists the themes."""
    if name not in THEMES:
        raise SimulationError(f"picture: no theme {name!r}; there are {', '.join(THEMES)}")
    return THEMES[name]


def rgb(colour: str) -> NDArray[np.float64]:
    """Red, green and blue (3,) from 0 to 1 of "#rrggbb"; a colour of another form is grey."""
    if not re.fullmatch(r"#[0-9a-fA-F]{6}", colour):
        return np.full(3, 0.6)
    return np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)]) / 255.0


def to_linear(values: NDArray[np.floating]) -> NDArray[np.float32]:
    """Amounts of light, which can be added and multiplied, from values as screens take them."""
    linear: NDArray[np.float32] = np.asarray(values, np.float32) ** np.float32(2.2)
    return linear


def to_screen(light: NDArray[np.floating]) -> NDArray[np.float32]:
    """Values as screens take them from amounts of light; what is too bright fades to white."""
    screen: NDArray[np.float32] = np.clip(light, 0.0, 1.0).astype(np.float32) ** np.float32(1 / 2.2)
    return screen


def map_colours(share: NDArray[np.floating]) -> NDArray[np.float64]:
    """Colours (…, 3) of values from 0 to 1, as the 3D view shows them."""
    table = scale_table()
    place = np.round(np.clip(share, 0.0, 1.0) * (len(table) - 1)).astype(np.int64)
    return np.asarray(table[place] / 255.0)
