"""No body moves through another: where a step was longer than its limit, a check of the way of each surface."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from polycontact.errors import IntegrationError
from polycontact.multibody.evaluator import Evaluator
from polycontact.multibody.placement import ShapePlaces
from polycontact.multibody.system_setup import SystemSetup
from polycontact.simulation.integrated_rates import INSIDE
from polycontact.surfaces.surface import Surface
from polycontact.tolerances import THICKNESS_SHARE

N_PROBES = 200
"""Vertices of each surface that are followed where a step was long."""


class StepGuard:
    """Finds where a body went through another although steps are limited by speeds and sizes."""

    def __init__(self, setup: SystemSetup, evaluator: Evaluator) -> None:
        self._setup = setup
        self._evaluator = evaluator

    def longest_step(self, t: float, y: NDArray[np.float64]) -> float:
        """Longest step (s) from a state that no step led to."""
        found = self._evaluator.evaluate(t, y)
        return self._evaluator.look_ahead(t, y, found.acceleration, THICKNESS_SHARE).longest_step

    def look(
        self, before: tuple[float, NDArray[np.float64]], after: tuple[float, NDArray[np.float64]], longest: float
    ) -> None:
        """Look at a step between two times (s) and states; raise where a body has passed through another or into it.

        ``longest``: step (s) that was allowed, for the message.
        """
        shapes = [self._shapes(*before), self._shapes(*after)]
        t, step = after[0], after[0] - before[0]
        contacts = self._evaluator.contacts(*after)
        for pair in np.flatnonzero(contacts.status & INSIDE):
            raise self._error(int(pair), t, step, "one lies wholly inside the other", longest)
        apart = contacts.area == 0.0
        for pair in np.flatnonzero(apart & self._have_met(*shapes)):
            if self._passed_through(int(pair), *shapes):
                raise self._error(int(pair), t, step, "one has passed through the other", longest)

    def _shapes(self, t: float, y: NDArray[np.float64]) -> ShapePlaces:
        still = np.zeros((self._setup.tree.n_bodies, 6))
        return self._evaluator.look_ahead(t, y, still, THICKNESS_SHARE).shapes

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

    def _error(self, pair: int, t: float, step: float, what: str, longest: float) -> IntegrationError:
        contact = self._setup.contacts[pair]
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
    from polycontact.kernels.queries.path_crossing import enters

    return bool(enters(before[may_meet], after[may_meet], corners, np.ascontiguousarray(normals)))
