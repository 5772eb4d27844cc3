"""Warnings of contacts that are hardly meant so: once a pair and reason, and of each reason only a few."""

from __future__ import annotations

import warnings

import numpy as np
from numpy.typing import NDArray

from polycontact.contact.lost_contact import LOST_CONTACT
from polycontact.contact.methods import PRESSED_THROUGH, Base, has_distance_depth
from polycontact.errors import ContactWarning, level_of_the_caller
from polycontact.kernels.contact.contact_report import Status
from polycontact.multibody.evaluation import Evaluation
from polycontact.multibody.system_setup import SystemSetup

OVERLAP_AT_START = 0.25
"""Bodies that overlap by more than this part of the thinner one at the start were hardly meant to."""


MAX_WARNINGS_PER_REASON = 3
"""Warnings of one reason in a run: the contacts of a heap would otherwise all say the same."""


class ContactWarnings:
    """Looks at evaluations and warns."""

    def __init__(self, setup: SystemSetup) -> None:
        self._setup = setup
        self._warned: dict[str, set[int]] = {}
        """Pairs that were warned of, by reason."""
        self._told: dict[str, int] = {}
        """How often it was warned, by reason."""
        self._torn = _torn_shapes(setup)
        """What is said of pairs with a shape that has cracks, until it has been said."""

    def of_overlap(self, start: Evaluation) -> None:
        """Warn where bodies overlap deeply at the start, which throws them apart."""
        for pair, depth in self._deep_pairs(start, OVERLAP_AT_START):
            self._warn(
                [pair],
                f"the bodies overlap by {1e3 * depth:.3g} mm at the start, which will throw them apart; move one",
            )

    def of_contacts(self, found: Evaluation) -> None:
        """Warn where a base is too coarse for its target, where a polygon ends at a crack, and of too deep contacts.

        Where both surfaces are bases, the finer one is among them.
        """
        coarse = np.flatnonzero(found.contacts.status & Status.COARSE_BASE).tolist()
        self._warn(
            [
                pair
                for pair in coarse
                if getattr(self._setup.contacts[pair].description.method, "base", None) is not Base.BOTH
            ],
            "triangles of the base are much larger than those of the target, so that one sample of the depth stands "
            "for a large area; make the finer surface the base, or refine it",
        )
        self._warn(np.flatnonzero(found.contacts.status & Status.PRESSED_THROUGH).tolist(), PRESSED_THROUGH)
        for status, message in LOST_CONTACT.items():
            self._warn(np.flatnonzero(found.contacts.status & status).tolist(), message)
        self.of_open_polygons(found.time, found.contacts.status)
        for pair, depth in self._deep_pairs(found, 1.0):
            self._warn(
                [pair],
                f"the depth has reached {1e3 * depth:.3g} mm, more than the thinner body is thick: the contact is too "
                f"soft for this load, or the units of a mesh are wrong",
            )

    @property
    def awaits_open_polygons(self) -> bool:
        """Whether there are pairs of which `of_open_polygons` would warn."""
        return bool(self._torn)

    def of_open_polygons(self, t: float, status: NDArray[np.int32]) -> None:
        """Warn where a polygon ends in a shape that is torn, at time t (s); in an honest sheet it may."""
        for pair in [pair for pair in self._torn if status[pair] & Status.OPEN_POLYGON]:
            self._warn(
                [pair],
                f"an intersection polygon is open at t = {t:.6g} s, so that its force may be wrong: "
                f"{self._torn.pop(pair)}; weld them with repair_surface or 'polycontact repair'",
            )

    def _deep_pairs(self, found: Evaluation, part: float) -> list[tuple[int, float]]:
        """Pairs whose depth exceeds ``part`` of the thickness of the thinner shape, with that depth in m.

        The greatest depth where it is a distance. Along normals it means little, as a steep edge is measured along its
        own: there the root of the mean square, from the elastic energy, but of a law without a stiffness.
        """
        contacts, pairs, thickness = found.contacts, self._setup.pairs, self._setup.shapes.thickness
        thinner = np.minimum(thickness[pairs.shape_e], thickness[pairs.shape_f])
        deep = []
        for pair in np.flatnonzero(contacts.depth > part * thinner).tolist():
            description = self._setup.contacts[pair].description
            depth = float(contacts.depth[pair])
            if description.stiffness is not None and not has_distance_depth(description.method):
                depth = float(np.sqrt(2.0 * contacts.energy[pair] / (description.stiffness * contacts.area[pair])))
            if depth > part * thinner[pair]:
                deep.append((pair, depth))
        return deep

    def _warn(self, pairs: list[int], message: str) -> None:
        """Warn, once a pair and message, and of all pairs of one evaluation together."""
        reason = message[:20]
        warned = self._warned.setdefault(reason, set())
        new = [pair for pair in pairs if pair not in warned]
        warned.update(new)
        told = self._told.get(reason, 0)
        if not new or told == MAX_WARNINGS_PER_REASON:
            return
        self._told[reason] = told + 1
        name = self._setup.contacts[new[0]].name
        others = "" if len(new) == 1 else f" and {len(new) - 1} other{'' if len(new) == 2 else 's'}"
        last = "; further contacts with this are not named" if told + 1 == MAX_WARNINGS_PER_REASON else ""
        warnings.warn(f"contact {name!r}{others}: {message}{last}", ContactWarning, stacklevel=level_of_the_caller())


def _torn_shapes(setup: SystemSetup) -> dict[int, str]:
    """Pairs with shapes that have cracks, and which these are."""
    torn = {}
    for pair, contact in enumerate(setup.contacts):
        found = []
        for body, k in ((contact.e, contact.shape_e), (contact.f, contact.shape_f)):
            surface = setup.system.bodies[body].shapes[k].surface
            cracks = getattr(surface, "cracks", None)
            if cracks is not None:
                found.append(
                    f"surface {surface.name!r} of body {body!r} has cracks along {cracks.n_edges} border edges"
                )
        if found:
            torn[pair] = ", ".join(found)
    return torn
