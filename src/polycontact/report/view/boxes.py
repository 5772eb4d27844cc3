"""Bounding volumes of a surface, level by level, as drawn in Fig. 2 of the PCM paper."""

from __future__ import annotations

import warnings
from typing import Final

import numpy as np
from numpy.typing import NDArray

from polycontact.errors import SurfaceError, SurfaceWarning
from polycontact.surfaces.surface import Surface

LEVELS: Final = 9
"""Levels of the tree that are shown, from the root on: below, boxes are too small to be told apart."""


def level_boxes(
    surface: Surface, rotation: NDArray[np.float64], position: NDArray[np.float64]
) -> tuple[NDArray[np.float64], ...]:
    """For each level (n, 4, 3) m: a corner of each box and its three edges; the surface is placed as given."""
    deepest = max(1, int(np.ceil(np.log2(surface.n_triangles))) + 1)
    levels = []
    for depth in range(min(LEVELS, deepest)):
        boxes = surface.tree.level(depth)
        corner = (boxes[:, :3] - boxes[:, 3:]) @ rotation.T + position
        edges = 2.0 * boxes[:, 3:, None] * rotation.T
        levels.append(np.concatenate((corner[:, None], edges), axis=1))
    return tuple(levels)


def try_level_boxes(
    vertices: NDArray[np.float64],
    triangles: NDArray[np.int64],
    rotation: NDArray[np.float64],
    position: NDArray[np.float64],
) -> tuple[NDArray[np.float64], ...]:
    """As `level_boxes`; none where the mesh is no surface, such as a mere picture."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SurfaceWarning)  # loading the mesh has said it already
        try:
            surface = Surface(vertices, triangles)
        except SurfaceError:
            return ()
    return level_boxes(surface, rotation, position)
