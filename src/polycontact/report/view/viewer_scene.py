"""The picture as data: bodies with meshes, how they move, and what is drawn on them. No file format, no page.

In: nothing; this module only names things. `run_scene`, `mesh_scene` and `evaluation_scene` make scenes, `packing`
turns them into bytes. All quantities are in SI units; what belongs to a body is in the frame of that body.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from polycontact.report.view.curves import Curve
from polycontact.report.view.display_units import Quantity


class SceneKind(StrEnum):
    """What a scene shows; the page arranges its controls accordingly."""

    RUN = "run"
    MESH = "mesh"
    EVALUATION = "evaluation"
    MODEL = "model"


IN_WORLD = -1
"""Body number of a layer that lies in the world."""


class LayerKind(StrEnum):
    """What a layer is made of: triangles (n, 3, 3), segments (n, 2, 3) or points (n, 1, 3)."""

    FACES = "faces"
    LINES = "lines"
    POINTS = "points"


@dataclass(frozen=True, eq=False)
class Part:
    """A mesh on a body: ``vertices`` (n, 3) m and ``triangles`` (m, 3) in the frame of the body number ``body``.

    ``is_open``: a sheet, whose back is drawn faintly so that one looks into a container from behind its wall.
    ``boxes``: bounding volumes level by level, (n, 4, 3) m: a corner and the three edges from it. ``maps``: values
    (m,) of triangles in SI units, by the key of a quantity of `Scene.maps`.
    """

    body: int
    name: str
    vertices: NDArray[np.float64]
    triangles: NDArray[np.int64]
    colour: str
    is_open: bool
    boxes: tuple[NDArray[np.float64], ...] = ()
    maps: Mapping[str, NDArray[np.float64]] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class SceneBody:
    """A moving frame; ``centre`` of mass (3,) m in it, or None; ``markers`` (n, 4, 3): position (m), x, y, z axis.

    ``note``: what stands beside its name, say its mass; ``is_fixed``: known to stay where it is.
    """

    name: str
    colour: str
    centre: NDArray[np.float64] | None = None
    markers: NDArray[np.float64] | None = None
    note: str = ""
    is_fixed: bool = False


@dataclass(frozen=True, eq=False)
class PatchPiece:
    """Coloured triangles of one patch of a pairing on one body at one frame.

    ``triangles`` (n, 3, 3) m in the body frame, ``values`` (n, number of quantities) in SI units, constant on each
    triangle as they are on a contact element; ``patch``: its number among those of the pairing.
    """

    body: int
    pairing: int
    triangles: NDArray[np.float64]
    values: NDArray[np.float64]
    patch: int = 0


@dataclass(frozen=True, eq=False)
class LinePiece:
    """Segments (n, 2, 3) m on a body at one frame: intersection polygons.

    ``width``: mean width of the patch that they bound, m, so that they do not hide it; infinite where it is not known.
    """

    body: int
    segments: NDArray[np.float64]
    width: float = math.inf


class PatchForce(NamedTuple):
    """What a patch exerts: centre of pressure ``point`` (3,) m, ``force`` (3,) N and ``area`` m²."""

    point: NDArray[np.float64]
    force: NDArray[np.float64]
    area: float


@dataclass(frozen=True, eq=False)
class ContactMark:
    """The contact of a pairing at one frame.

    ``body``: on which the force is drawn; ``point`` (3,) m in its frame, the centre of pressure; ``force`` (3,) N on
    that body, world axes; ``area`` m², greatest ``depth`` m and ``pressure`` Pa;
    a point has no area and no pressure, zeros. ``patches``: of each patch the same, by its number; none where they are
    not known.
    """

    pairing: int
    body: int
    point: NDArray[np.float64]
    force: NDArray[np.float64]
    area: float
    depth: float
    pressure: float
    patches: tuple[PatchForce, ...] = ()


@dataclass(frozen=True, eq=False)
class SceneFrame:
    """What is drawn at one time on top of the bodies."""

    patches: tuple[PatchPiece, ...] = ()
    polygons: tuple[LinePiece, ...] = ()
    contacts: tuple[ContactMark, ...] = ()


@dataclass(frozen=True, eq=False)
class Layer:
    """Something that is drawn the whole time and can be switched: ``data`` as `LayerKind` says, body frame, m.

    ``body``: on which it is drawn, or `IN_WORLD`; ``count``: what the legend says; ``text`` and ``remedy`` explain it;
    ``severity`` groups problems of a mesh.
    """

    key: str
    label: str
    kind: LayerKind
    body: int
    data: NDArray[np.float64]
    colour: str
    count: int | None = None
    is_on: bool = True
    width: float = 2.0
    text: str = ""
    remedy: str = ""
    severity: str = ""


@dataclass(frozen=True, eq=False)
class Item:
    """A named thing of a model, in the list of its ``group``: ``value`` stands beside the name, ``text`` below it.

    ``place`` (3,) m in the world, None where it has none, and how far about it to look, ``reach`` m.
    """

    group: str
    name: str
    value: str = ""
    text: str = ""
    place: NDArray[np.float64] | None = None
    reach: float = 0.0


@dataclass(frozen=True, eq=False)
class Scene:
    """All that a page shows.

    ``times`` (n,) s; ``positions`` (n, nb, 3) m and ``quaternions`` (n, nb, 4) of the bodies; ``frames``: n of them,
    or none where nothing but bodies is shown; ``quantities``: what patches can be coloured by; ``pairings``: names, and
    ``pair_bodies``: the numbers of their bodies, empty where they are never shown; ``facts``: label and value, for the
    table beside the picture; ``items``: what a model consists of, by name.

    Of a run, whose frames are some of its samples: ``greatest`` values by the key of the quantity, of all samples;
    ``curves`` and their ``history`` (1 + number of curves, m): times (s) and values, with peaks between frames;
    ``speed``: simulated seconds for each second of playback; ``maps``: what bodies can be coloured by.
    """

    kind: SceneKind
    title: str
    subtitle: str
    bodies: tuple[SceneBody, ...]
    parts: tuple[Part, ...]
    times: NDArray[np.float64]
    positions: NDArray[np.float64]
    quaternions: NDArray[np.float64]
    frames: tuple[SceneFrame, ...] = ()
    quantities: tuple[Quantity, ...] = ()
    pairings: tuple[str, ...] = ()
    pair_bodies: tuple[tuple[int, ...], ...] = ()
    layers: tuple[Layer, ...] = ()
    facts: tuple[tuple[str, str], ...] = ()
    notes: tuple[str, ...] = ()
    items: tuple[Item, ...] = ()
    greatest: Mapping[str, float] = field(default_factory=dict)
    curves: tuple[Curve, ...] = ()
    history: NDArray[np.float64] = field(default_factory=lambda: np.empty((1, 0)))
    speed: float = 1.0
    maps: tuple[Quantity, ...] = ()


def still(n_bodies: int) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Times, positions and quaternions of a scene in which nothing moves."""
    quaternions = np.zeros((1, n_bodies, 4))
    quaternions[..., 0] = 1.0
    return np.zeros(1), np.zeros((1, n_bodies, 3)), quaternions
