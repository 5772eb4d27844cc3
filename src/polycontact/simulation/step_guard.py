"""No body moves through another: a limit for the next step, and a check of the last one."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from polycontact.errors import IntegrationError
from polycontact.kernels import memory as pair_slots
from polycontact.kernels.dynamics import memory as slots
from polycontact.kernels.dynamics.step_limit import longest_step
from polycontact.multibody.compiled import CompiledSystem
from polycontact.surfaces.surface import Surface

PART = 0.5
"""Part of the thinner shape's thickness by which two bodies may move towards each other in one step."""

SHORTEST = 1e-9
"""The limit itself is never shorter than this, s."""

INSIDE = pair_slots.E_INSIDE_F | pair_slots.F_INSIDE_E

N_PROBES = 200
"""Vertices of each surface that are followed where a step was long."""


class StepLimit:
    """Limits steps by speeds and sizes, and finds where a body went through another all the same."""

    def __init__(self, compiled: CompiledSystem, *, active: bool) -> None:
        self._compiled = compiled
        self._active = active
        self._allowed = math.inf
        self._placed = compiled.memory.array(slots.SHAPE_POSES).copy()
        self._boxes = compiled.memory.array(slots.SHAPE_BOXES).copy()

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
        placed, boxes, allowed = self._placed, self._boxes, self._allowed
        compiled.locate(t, y)
        self._look()
        if suspected or step > 2.0 * min(allowed, self._allowed):
            compiled.touch()
            for pair in np.flatnonzero(compiled.contact_status() & INSIDE):
                raise self._error(int(pair), t, step, "one lies wholly inside the other")
            for pair in self._swept_pairs(boxes):
                if self._passed_through(int(pair), placed):
                    raise self._error(int(pair), t, step, "one has passed through the other")

    def _look(self) -> None:
        """Remember where everything is and how long the next step may be."""
        array = self._compiled.memory.array
        self._allowed = float(longest_step(self._compiled.row, PART))
        self._placed = array(slots.SHAPE_POSES).copy()
        self._boxes = array(slots.SHAPE_BOXES).copy()

    def _swept_pairs(self, before: NDArray[np.float64]) -> NDArray[np.intp]:
        """Pairs that do not touch now, but whose boxes may have met on the way."""
        array = self._compiled.memory.array
        after, pairs = array(slots.SHAPE_BOXES), array(slots.PAIRS)
        low = np.minimum(before[:, :3], after[:, :3])
        high = np.maximum(before[:, 3:], after[:, 3:])
        e, f = pairs[:, 0], pairs[:, 1]
        met = ((low[e] <= high[f]) & (low[f] <= high[e])).all(axis=1)
        return np.flatnonzero(met & (array(slots.PAIR_SUMMARY)[:, pair_slots.AREA] == 0.0))

    def _passed_through(self, pair: int, earlier: NDArray[np.float64]) -> bool:
        """Whether a vertex of one surface entered the other during the last step, though they do not touch now."""
        contact = self._compiled.contacts[pair]
        bodies = self._compiled.system.bodies
        surfaces = (
            bodies[contact.e].shapes[contact.shape_e].surface,
            bodies[contact.f].shapes[contact.shape_f].surface,
        )
        shapes = self._compiled.memory.array(slots.PAIRS)[pair]
        placed = self._compiled.memory.array(slots.SHAPE_POSES)
        for own, other in ((0, 1), (1, 0)):
            vertices = surfaces[own].vertices
            probes = vertices[:: max(1, len(vertices) // N_PROBES)]
            before = _seen_from(earlier[shapes[other]], earlier[shapes[own]], probes)
            after = _seen_from(placed[shapes[other]], placed[shapes[own]], probes)
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


def _seen_from(
    frame: NDArray[np.float64], own: NDArray[np.float64], points: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Points of one shape in the frame of another, from the poses of both in the world."""
    world = points @ own[:9].reshape(3, 3).T + own[9:12]
    return np.asarray((world - frame[9:12]) @ frame[:9].reshape(3, 3))


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
