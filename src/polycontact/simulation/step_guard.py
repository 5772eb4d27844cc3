"""No body moves through another: a limit for the next step, and a check of the last one."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from polycontact.errors import IntegrationError
from polycontact.multibody.evaluator import Evaluator, Outlook
from polycontact.multibody.placement import ShapePlaces
from polycontact.multibody.system_setup import SystemSetup
from polycontact.simulation.integrated_rates import INSIDE
from polycontact.surfaces.surface import Surface

THICKNESS_SHARE = 0.5
"""Part of the thinner shape's thickness by which two bodies may move towards each other in one step."""

SHORTEST_STEP = 1e-9
"""The limit itself is never shorter than this, s."""

N_PROBES = 200
"""Vertices of each surface that are followed where a step was long."""


class StepLimit:
    """Limits steps by speeds and sizes, and finds where a body went through another all the same."""

    def __init__(
        self, setup: SystemSetup, evaluator: Evaluator, t: float, y: NDArray[np.float64], *, active: bool
    ) -> None:
        self._setup = setup
        self._evaluator = evaluator
        self._active = active
        self._outlook = self._look_from(t, y)

    def restart(self, t: float, y: NDArray[np.float64]) -> None:
        """Go on from another state."""
        self._outlook = self._look_from(t, y)

    def _look_from(self, t: float, y: NDArray[np.float64]) -> Outlook:
        found = self._evaluator.evaluate(t, y)
        return self._evaluator.look_ahead(t, y, found.acceleration, THICKNESS_SHARE)

    def next_step(self) -> float:
        """Longest step (s) that may follow, infinite where steps are not limited."""
        return max(self._outlook.longest_step, SHORTEST_STEP) if self._active else math.inf

    def follow(
        self, t: float, y: NDArray[np.float64], step: float, acceleration: NDArray[np.float64], suspected: bool
    ) -> None:
        """Look at the state after a step (s); raise where it put a body inside another, or moved one through it.

        ``acceleration`` (n_bodies, 6) of the bodies at its end or near it; ``suspected``: one may lie inside another.
        """
        before = self._outlook
        after = self._outlook = self._evaluator.look_ahead(t, y, acceleration, THICKNESS_SHARE)
        if suspected or step > 2.0 * min(before.longest_step, after.longest_step):
            contacts = self._evaluator.contacts(t, y)
            for pair in np.flatnonzero(contacts.status & INSIDE):
                raise self._error(int(pair), t, step, "one lies wholly inside the other")
            apart = contacts.area == 0.0
            for pair in np.flatnonzero(apart & self._have_met(before.shapes, after.shapes)):
                if self._passed_through(int(pair), before.shapes, after.shapes):
                    raise self._error(int(pair), t, step, "one has passed through the other")

    def _have_met(self, before: ShapePlaces, after: ShapePlaces) -> NDArray[np.bool_]:
        """Pairs whose boxes may have met on the way."""
        pairs = self._setup.pairs
        low = np.minimum(before.low, after.low)
        high = np.maximum(before.high, after.high)
        e, f = pairs.shape_e, pairs.shape_f
        met = (low[e] <= high[f]) & (low[f] <= high[e])
        return met[:, 0] & met[:, 1] & met[:, 2]

    def _passed_through(self, pair: int, earlier: ShapePlaces, later: ShapePlaces) -> bool:
        """Whether a vertex of one surface entered the other during the last step, though they do not touch now."""
        contact, bodies, pairs = self._setup.contacts[pair], self._setup.system.bodies, self._setup.pairs
        surfaces = (
            bodies[contact.e].shapes[contact.shape_e].surface.picture,
            bodies[contact.f].shapes[contact.shape_f].surface.picture,
        )
        shapes = (int(pairs.shape_e[pair]), int(pairs.shape_f[pair]))
        for own, other in ((0, 1), (1, 0)):
            vertices = surfaces[own].vertices
            probes = vertices[:: max(1, len(vertices) // N_PROBES)]
            before = earlier.seen_from(shapes[other], shapes[own], probes)
            after = later.seen_from(shapes[other], shapes[own], probes)
            if _enters(before, after, surfaces[other]):
                return True
        return False

    def _error(self, pair: int, t: float, step: float, what: str) -> IntegrationError:
        contact, longest = self._setup.contacts[pair], self._outlook.longest_step
        return IntegrationError(
            f"contact {contact.name!r}: {what} after the step of {step:.3g} s to t = {t:.6g} s ({contact.e!r}, "
            f"{contact.f!r}); set max_step (at most {longest:.2g} s here) or keep step_limit on, take a stiffer "
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
    lowest, highest = corners.min(axis=(0, 1)), corners.max(axis=(0, 1))
    may_meet = ((np.maximum(before, after) >= lowest) & (np.minimum(before, after) <= highest)).all(axis=1)
    for start, end in zip(before[may_meet], after[may_meet], strict=True):
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
