"""Surfaces given by formulas, prepared for contact: samples of them, from which searches start.

In: a geometry that tells its code, its parameters and how it can be sampled. Out: a `SmoothSurface` for the kernels.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from polycontact.errors import SurfaceError
from polycontact.kernels.contact.law_compilation import UserParameters
from polycontact.kernels.smooth.surface_views import Located, SmoothSide, SmoothSurface, SurfaceKind
from polycontact.tolerances import NORMAL_WEIGHT

if TYPE_CHECKING:
    from polycontact.kernels.smooth.sampling import FoundPlaces
    from polycontact.surfaces.mass import MassProperties
    from polycontact.surfaces.surface import Surface

Array = NDArray[np.float64]

WANTED_COVER = 0.04
"""Distance of the farthest point from the samples: share of the size, 0.27 rad for normals."""
MOST_SAMPLES = 2000
"""Samples of one surface: two of them, compared sample by sample, take a few ms."""


class Chart(NamedTuple):
    """A part of a parametric surface: ``domain`` of α and of β, and which of them are ``periodic``."""

    domain: tuple[tuple[float, float], tuple[float, float]]
    periodic: tuple[bool, bool] = (False, False)
    divisions: tuple[int, int] = (64, 64)


class Places(NamedTuple):
    """Places of a surface: ``charts`` (n,), ``places`` (n, 3): α and β, or points; ``points``, ``normals`` (n, 3)."""

    charts: NDArray[np.int32]
    places: Array
    points: Array
    normals: Array


class SmoothGeometry(Protocol):
    """A geometry given by a formula."""

    def __hash__(self) -> int:
        """Geometries are hashable: each one is a frozen dataclass."""

    @property
    def name(self) -> str:
        """Name of the surface, for error messages."""

    @property
    def kind(self) -> SurfaceKind:
        """Whether the surface is parametric or implicit."""

    @property
    def code(self) -> int:
        """Address of its compiled code."""

    @property
    def numbers(self) -> tuple[float, ...]:
        """Numbers that its code gets."""

    @property
    def charts(self) -> tuple[Chart, ...]:
        """Charts of a parametric surface; none of an implicit one."""

    @property
    def is_closed(self) -> bool:
        """Whether it bounds a solid."""

    @property
    def bounds(self) -> Array:
        """Lower and upper corner (2, 3) of a box around the surface, m."""

    def dense_places(self) -> Places:
        """Many places, all over the surface and close enough to each other to know its normals."""


class FormulaGeometry:
    """What parametric and implicit surfaces have in common: a name, compiled code, and what follows from a picture."""

    name: str

    @property
    def code(self) -> int:
        """Address of its compiled code."""
        raise NotImplementedError

    @property
    def numbers(self) -> tuple[float, ...]:
        """Numbers that its code gets."""
        raise NotImplementedError

    @property
    def picture(self) -> Surface:
        """A triangle mesh of the surface, for pictures, sizes and masses."""
        raise NotImplementedError

    @property
    def is_closed(self) -> bool:
        """Whether it bounds a solid."""
        return self.picture.is_closed

    @property
    def thickness(self) -> float:
        """How far another body may move through it unnoticed, m; infinite where it has no inside."""
        return self.picture.thickness

    def mass_properties(self, density: float = 1.0, /) -> MassProperties:
        """Those of its picture, kg, m, kg m²; `SurfaceError` where it is open."""
        if not self.is_closed:
            raise SurfaceError(f"{self.name}: an open surface has no mass; fix its body, or give mass and inertia")
        return self.picture.mass_properties(density)


class OpenedSurface:
    """A surface whose code can be called, before it has samples."""

    def __init__(self, geometry: SmoothGeometry, size: float) -> None:
        self.view = view = SmoothSurface()
        self.parameters = UserParameters()  # lives as long as the view that holds its address
        self.parameters.reserve(n=len(geometry.numbers))
        self.parameters.values[:] = geometry.numbers
        view.kind, view.code, view.parameters = geometry.kind, geometry.code, self.parameters.address
        view.size = size
        view.reserve(n_charts=len(geometry.charts))
        for i, chart in enumerate(geometry.charts):
            view.domain[i] = chart.domain
            view.periodic[i] = chart.periodic
        from polycontact.kernels.smooth.sampling import Sampling

        self.sampling = Sampling()
        attach_side(self.sampling.side, view)

    def locate(self, charts: NDArray[np.int32], places: Array, longest: float = 0.0) -> FoundPlaces:
        """Places, points, normals, second derivatives and what was found, see `locate_many`."""
        from polycontact.kernels.smooth.sampling import locate_all

        return locate_all(self.sampling.address, charts, places, longest)


def attach_side(side: SmoothSide, surface: SmoothSurface, *, is_f: bool = False) -> None:
    """Let a side of an evaluation be this surface."""
    side.surface = surface
    side.is_f = int(is_f)
    is_parametric = surface.kind == SurfaceKind.PARAMETRIC
    side.point_at = side.parametric.address if is_parametric else side.implicit.address


def prepare_surface(geometry: SmoothGeometry) -> OpenedSurface:
    """A geometry with its samples; equal geometries share them."""
    return _prepared(geometry, geometry.code)


@lru_cache(maxsize=64)
def _prepared(geometry: SmoothGeometry, code: int) -> OpenedSurface:
    bounds = np.asarray(geometry.bounds, dtype=np.float64)
    size = float(np.linalg.norm(bounds[1] - bounds[0]))
    opened = OpenedSurface(geometry, size)
    view = opened.view
    dense = geometry.dense_places()
    if len(dense.charts) == 0:
        raise SurfaceError(
            f"{geometry.name}: no point has a normal: e_α and e_β are parallel, or zero; check its function"
        )
    rows, cover = spread_out(dense, size)
    view.box[:] = bounds
    view.is_closed = int(geometry.is_closed)
    view.cover = cover * size
    view.reserve(n=len(rows))
    view.charts[:], view.places[:] = dense.charts[rows], dense.places[rows]
    view.points[:], view.normals[:] = dense.points[rows], dense.normals[rows]
    return opened


def spread_out(places: Places, size: float) -> tuple[NDArray[np.int64], float]:
    """Rows of places that lie as far from each other as can be, and how far the others are from them at most.

    Each time the place farthest from those that were taken; far are places with other normals, too.
    """
    features = np.hstack((places.points / size, NORMAL_WEIGHT * places.normals))
    rows = [int(np.argmin(features @ np.array([1.0, 0.7, 0.4, 0.0, 0.0, 0.0])))]
    squares = np.full(len(features), np.inf)
    while len(rows) < MOST_SAMPLES:
        np.minimum(squares, ((features - features[rows[-1]]) ** 2).sum(axis=1), out=squares)
        farthest = int(squares.argmax())
        if squares[farthest] < WANTED_COVER**2:
            break
        rows.append(farthest)
    return np.array(rows), max(float(np.sqrt(squares.max())), WANTED_COVER)


def refuse_not_finite(name: str, charts: NDArray[np.int32], places: Array, found: NDArray[np.int32]) -> None:
    """Refuse a parametric surface whose function gives no number somewhere in its domain."""
    bad = np.flatnonzero(found == Located.NOT_FINITE)
    if len(bad):
        alpha, beta = places[bad[0], :2]
        raise SurfaceError(
            f"{name}: its function or a derivative is not a finite number at α = {alpha:.6g}, β = {beta:.6g} (chart "
            f"{charts[bad[0]]}) and {len(bad) - 1} more of {len(places)} places; narrow the domain, or mend the "
            f"function"
        )
