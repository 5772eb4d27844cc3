"""No body moves through another: a limit for the next step, and a check of the last one."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from polycontact.errors import IntegrationError
from polycontact.kernels.contact.contact_report import Status
from polycontact.kernels.dynamics.evaluation_views import PlacedShapes
from polycontact.kernels.dynamics.step_length import longest_step
from polycontact.multibody.compiled import CompiledSystem
from polycontact.surfaces.surface import Surface

PART = 0.5
"""Part of the thinner shape's thickness by which two bodies may move towards each other in one step."""

SHORTEST = 1e-9
"""The limit itself is never shorter than this, s."""

INSIDE = int(Status.E_INSIDE_F | Status.F_INSIDE_E)

N_PROBES = 200
"""Vertices of each surface that are followed where a step was long."""


@dataclass(frozen=True)
class ShapePlaces:
    """Where the shapes were at one instant: rotations (n, 3, 3), positions (n, 3) and boxes (n, 3), world, m."""

    rotation: NDArray[np.float64]
    position: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]

    @classmethod
    def of(cls, placed: PlacedShapes) -> ShapePlaces:
        """A copy of what the kernels have found."""
        rotation = placed.rotation.copy().reshape(-1, 3, 3)
        return cls(rotation, placed.position.copy(), placed.low.copy(), placed.high.copy())

    def seen_from(self, frame: int, own: int, points: NDArray[np.float64]) -> NDArray[np.float64]:
        """Points of one shape in the frame of another."""
        world = points @ self.rotation[own].T + self.position[own]
        return np.asarray((world - self.position[frame]) @ self.rotation[frame])


class StepLimit:
    """Limits steps by speeds and sizes, and finds where a body went through another all the same."""

    def __init__(self, compiled: CompiledSystem, *, active: bool) -> None:
        self._compiled = compiled
        self._active = active
        self._allowed = math.inf
        self._places = ShapePlaces.of(compiled.view.placed)

    def start(self, t: float, y: NDArray[np.float64]) -> None:
        """Begin at a state, also after a restart."""
        self._compiled.rates(t, y, np.zeros(self._compiled.n_states))
        self._look()

    def next_step(self) -> float:
        """Longest next step, s."""
        return max(self._allowed, SHORTEST) if self._active else math.inf

    def suspects(self) -> bool:
        """Whether the last evaluation of a step saw a body inside another; before anything else is evaluated."""
        return bool((self._compiled.contact_status() & INSIDE).any())

    def follow(self, t: float, y: NDArray[np.float64], step: float, suspected: bool) -> None:
        """Look at the state after a step (s); raise where it put a body inside another, or moved one through it."""
        compiled = self._compiled
        before, allowed = self._places, self._allowed
        compiled.locate(t, y)
        self._look()
        if suspected or step > 2.0 * min(allowed, self._allowed):
            compiled.touch()
            for pair in np.flatnonzero(compiled.contact_status() & INSIDE):
                raise self._error(int(pair), t, step, "one lies wholly inside the other")
            for pair in self._swept_pairs(before):
                if self._passed_through(int(pair), before):
                    raise self._error(int(pair), t, step, "one has passed through the other")

    def _look(self) -> None:
        """Remember where everything is and how long the next step may be."""
        view = self._compiled.view
        self._allowed = float(longest_step(view.row, view.bodies.acceleration, PART))
        self._places = ShapePlaces.of(view.placed)

    def _swept_pairs(self, before: ShapePlaces) -> NDArray[np.intp]:
        """Pairs that do not touch now, but whose boxes may have met on the way."""
        after, pairs = self._places, self._compiled.setup.pairs
        low = np.minimum(before.low, after.low)
        high = np.maximum(before.high, after.high)
        e, f = pairs.shape_e, pairs.shape_f
        met = ((low[e] <= high[f]) & (low[f] <= high[e])).all(axis=1)
        return np.flatnonzero(met & (self._compiled.view.contacts.area == 0.0))

    def _passed_through(self, pair: int, earlier: ShapePlaces) -> bool:
        """Whether a vertex of one surface entered the other during the last step, though they do not touch now."""
        contact = self._compiled.contacts[pair]
        bodies = self._compiled.system.bodies
        surfaces = (
            bodies[contact.e].shapes[contact.shape_e].surface,
            bodies[contact.f].shapes[contact.shape_f].surface,
        )
        pairs = self._compiled.setup.pairs
        shapes = (int(pairs.shape_e[pair]), int(pairs.shape_f[pair]))
        for own, other in ((0, 1), (1, 0)):
            vertices = surfaces[own].vertices
            probes = vertices[:: max(1, len(vertices) // N_PROBES)]
            before = earlier.seen_from(shapes[other], shapes[own], probes)
            after = self._places.seen_from(shapes[other], shapes[own], probes)
            if _enters(before, after, surfaces[other]):
                return True
        return False

    def _error(self, pair: int, t: float, step: float, what: str) -> IntegrationError:
        contact = self._compiled.contacts[pair]
        return IntegrationError(
            f"contact {contact.name!r}: {what} after the step of {step:.3g} s to t = {t:.6g} s ({contact.e!r}, "
            f"{contact.f!r}); set max_step (at most {self._allowed:.2g} s here) or keep step_limit on, take a stiffer "
            f"contact, or start the bodies apart",
            time=t,
            step=step,
            reason="passed through",
        )


def _enters(before: NDArray[np.float64], after: NDArray[np.float64], surface: Surface) -> bool:
    """Whether a straight path from before to after meets the outer side of the surface first."""
    low = np.minimum(before, after).min(axis=0)
    high = np.maximum(before, after).max(axis=0)
    corners = surface.vertices[surface.triangles]
    near = ((corners.max(axis=1) >= low) & (corners.min(axis=1) <= high)).all(axis=1)
    corners, normals = corners[near], surface.normals[near]
    if len(corners) == 0:
        return False
    for start, end in zip(before, after, strict=True):
        first = _first_crossing(start, end - start, corners)
        if first >= 0 and (end - start) @ normals[first] < 0.0:
            return True
    return False


def _first_crossing(start: NDArray[np.float64], path: NDArray[np.float64], corners: NDArray[np.float64]) -> int:
    """Index of the first triangle that a path meets, -1 for none (Möller and Trumbore 1997)."""
    a = corners[:, 0]
    first, second = corners[:, 1] - a, corners[:, 2] - a
    across = np.cross(path, second)
    with np.errstate(divide="ignore", invalid="ignore"):
        inverse = 1.0 / np.einsum("ij,ij->i", first, across)
        to_start = start - a
        u = inverse * np.einsum("ij,ij->i", to_start, across)
        along = np.cross(to_start, first)
        v = inverse * (along @ path)
        at = inverse * np.einsum("ij,ij->i", second, along)
        met = (u >= 0.0) & (v >= 0.0) & (u + v <= 1.0) & (at >= 0.0) & (at <= 1.0)
    if not met.any():
        return -1
    return int(np.where(met, at, np.inf).argmin())
