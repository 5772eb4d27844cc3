"""Warnings of contacts that are hardly meant so: once a pair and reason."""

from __future__ import annotations

import warnings

import numpy as np

from polycontact.contact.methods import Base
from polycontact.errors import ContactWarning
from polycontact.kernels.contact.contact_report import Status
from polycontact.multibody.evaluation import Evaluation
from polycontact.multibody.system_setup import SystemSetup

OVERLAP_AT_START = 0.25
"""Bodies that overlap by more than this part of the thinner one at the start were hardly meant to."""


class ContactWarnings:
    """Looks at evaluations and warns."""

    def __init__(self, setup: SystemSetup) -> None:
        self._setup = setup
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
        for pair in np.flatnonzero(found.contacts.status & Status.COARSE_BASE).tolist():
            method = self._setup.contacts[pair].description.method
            if getattr(method, "base", None) is not Base.BOTH:
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
        is measured along its own normal. Of a law without a stiffness the greatest depth all the same.
        """
        contacts, pairs, thickness = found.contacts, self._setup.pairs, self._setup.shapes.thickness
        thinner = np.minimum(thickness[pairs.shape_e], thickness[pairs.shape_f])
        deep = []
        for pair in np.flatnonzero(contacts.depth > part * thinner).tolist():
            stiffness = self._setup.contacts[pair].description.stiffness
            depth = float(contacts.depth[pair])
            if stiffness is not None:
                depth = float(np.sqrt(2.0 * contacts.energy[pair] / (stiffness * contacts.area[pair])))
            if depth > part * thinner[pair]:
                deep.append((pair, depth))
        return deep

    def _warn(self, pair: int, message: str) -> None:
        """Warn, once a pair and message."""
        name = self._setup.contacts[pair].name
        if (name, message[:20]) not in self._warned:
            self._warned.add((name, message[:20]))
            warnings.warn(f"contact {name!r}: {message}", ContactWarning, stacklevel=5)
