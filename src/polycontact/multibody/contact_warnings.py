"""Warnings of contacts that are hardly meant so: once a pair and reason."""

from __future__ import annotations

import warnings
from collections.abc import Sequence

import numpy as np

from polycontact.contact.pairing import ContactPairing
from polycontact.contact.result import Base
from polycontact.errors import ContactWarning
from polycontact.kernels.memory import COARSE_BASE
from polycontact.multibody.evaluation import Evaluation
from polycontact.multibody.system_setup import SystemSetup

OVERLAP_AT_START = 0.25
"""Bodies that overlap by more than this part of the thinner one at the start were hardly meant to."""


class ContactWarnings:
    """Looks at evaluations and warns. ``pairings``: those of the evaluator that made them."""

    def __init__(self, setup: SystemSetup, pairings: Sequence[ContactPairing | None]) -> None:
        self._setup = setup
        self._pairings = pairings
        self._warned: set[tuple[str, str]] = set()

    def of_overlap(self, start: Evaluation) -> None:
        """Warn where bodies overlap deeply at the start, which throws them apart."""
        for pair, depth in self._deep_pairs(start, OVERLAP_AT_START):
            self._warn(
                pair,
                f"the bodies overlap by {1e3 * depth:.3g} mm at the start, which will throw them apart; move one",
            )

    def of_contacts(self, found: Evaluation) -> None:
        """Warn where a base is too coarse for its target, and where a body has sunk in by more than its thickness.

        Where both surfaces are bases, the finer one is among them.
        """
        for pair in np.flatnonzero(found.contacts.status & COARSE_BASE).tolist():
            made = self._pairings[pair]
            if made is not None and made.base is not Base.BOTH:
                self._warn(
                    pair,
                    "triangles of the base are much larger than those of the target, so that one sample of the depth "
                    "stands for a large area; make the finer surface the base, or refine it",
                )
        for pair, depth in self._deep_pairs(found, 1.0):
            self._warn(
                pair,
                f"the depth has reached {1e3 * depth:.3g} mm in the mean, more than the thinner body is thick: the "
                f"contact is too soft for this load, or the units of a mesh are wrong",
            )

    def _deep_pairs(self, found: Evaluation, part: float) -> list[tuple[int, float]]:
        """Pairs whose mean depth exceeds ``part`` of the thickness of the thinner shape, with that depth in m.

        The root of the mean square, from the elastic energy: the greatest depth alone means little where a steep edge
        is measured along its own normal.
        """
        contacts, pairs, thickness = found.contacts, self._setup.pairs, self._setup.shapes.thickness
        thinner = np.minimum(thickness[pairs.shape_e], thickness[pairs.shape_f])
        deep = []
        for pair in np.flatnonzero(contacts.depth > part * thinner).tolist():
            made = self._pairings[pair]
            if made is not None:
                depth = float(np.sqrt(2.0 * contacts.energy[pair] / (made.stiffness * contacts.area[pair])))
                if depth > part * thinner[pair]:
                    deep.append((pair, depth))
        return deep

    def _warn(self, pair: int, message: str) -> None:
        """Warn, once a pair and message."""
        name = self._setup.contacts[pair].name
        if (name, message[:20]) not in self._warned:
            self._warned.add((name, message[:20]))
            warnings.warn(f"contact {name!r}: {message}", ContactWarning, stacklevel=5)
