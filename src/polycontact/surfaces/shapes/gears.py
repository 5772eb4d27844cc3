"""Spur gears with involute teeth."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from polycontact.errors import SurfaceError
from polycontact.surfaces.shapes import arguments as check
from polycontact.surfaces.shapes.extrusion import extrude
from polycontact.surfaces.shapes.rings import exact_cos_sin
from polycontact.surfaces.surface import Surface

_ADDENDUM = 1.0
_DEDENDUM = 1.25
"""Heights of a tooth above and below the pitch circle, in modules (basic rack of ISO 53)."""


def spur_gear(
    module: float,
    teeth: int,
    width: float,
    *,
    pressure_angle: float = math.radians(20.0),
    backlash: float = 0.0,
    bore: float | None = None,
    flank_edges: int = 8,
    spacing: float | None = None,
    divisions: int | None = None,
) -> Surface:
    """A spur gear about z with involute teeth, between z = -width/2 and width/2, closed; a tooth points along x.

    ``module`` and ``width`` in m; the pitch radius is module · teeth / 2. Teeth are those of the basic rack of ISO 53:
    one module above the pitch circle, 1.25 below, with ``pressure_angle`` (rad). Each tooth is thinner by ``backlash``
    (m) on the pitch circle, so that two such gears have twice as much. ``bore`` (m): radius of the hole, half of the
    root's by default. ``flank_edges`` edges of equal length on each flank; ``spacing`` (m) and ``divisions`` as for
    `extrude`.

    Gears of so few teeth that their feet would be undercut are refused: 17 and fewer at 20°.
    """
    module = check.length("spur_gear", "module", module)
    pressure_angle = check.real_number("spur_gear", "pressure_angle", pressure_angle, "rad", 0.15, 0.6)
    teeth = check.count("spur_gear", "teeth", teeth, math.ceil(2.0 * _ADDENDUM / math.sin(pressure_angle) ** 2), 10_000)
    width = check.length("spur_gear", "width", width)
    backlash = check.real_number("spur_gear", "backlash", backlash, "m", 0.0, 0.5 * module)
    flank_edges = check.count("spur_gear", "flank_edges", flank_edges, 1, 1000)
    root = module * (0.5 * teeth - _DEDENDUM)
    hole = check.real_number("spur_gear", "bore", 0.5 * root if bore is None else bore, "m", 1e-3 * root, 0.95 * root)
    outline = _outline(module, teeth, pressure_angle, backlash, flank_edges)
    n_hole = max(12, 2 * teeth)
    circle = hole * np.stack(exact_cos_sin(np.arange(n_hole) / n_hole), axis=1)
    gear = extrude(outline, width, holes=[circle], spacing=spacing, divisions=divisions, name="spur_gear")
    return gear.transformed(position=(0.0, 0.0, -0.5 * width))


def _outline(module: float, teeth: int, pressure_angle: float, backlash: float, edges: int) -> NDArray[np.float64]:
    """Corners (n, 2) of the outline, m, counter-clockwise."""
    pitch = 0.5 * module * teeth
    base, tip, root = pitch * math.cos(pressure_angle), pitch + _ADDENDUM * module, pitch - _DEDENDUM * module
    # On an involute the angle of rolling t leads to the radius base·√(1 + t²) and the polar angle t - atan(t).
    first = math.sqrt(max(root / base, 1.0) ** 2 - 1.0)
    rolling = np.sqrt(np.linspace(first**2, (tip / base) ** 2 - 1.0, edges + 1))  # the length is base·t²/2
    radius = base * np.sqrt(1.0 + rolling**2)
    half = 0.25 * (math.pi * module - 2.0 * backlash) / pitch
    half_angle = half + math.tan(pressure_angle) - pressure_angle - (rolling - np.arctan(rolling))
    if half_angle[-1] <= 0.0:
        raise SurfaceError(f"spur_gear: {teeth} teeth are pointed at this pressure angle and backlash; lower either")
    if root < base:  # straight down to the root
        radius, half_angle = np.append(root, radius), np.append(half_angle[0], half_angle)
    space = math.pi / teeth
    angle = np.concatenate((-half_angle, half_angle[::-1], [space]))
    tooth = np.concatenate((radius, radius[::-1], [root]))
    turns = np.add.outer(np.arange(teeth) / teeth, angle / (2.0 * math.pi))
    cosine, sine = exact_cos_sin(turns.ravel())
    lengths = np.tile(tooth, teeth)
    return np.stack((lengths * cosine, lengths * sine), axis=1)
