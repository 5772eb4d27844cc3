"""Warnings of contacts that are hardly meant so: once a pair and reason, and of each reason only a few."""

from __future__ import annotations

import warnings

import numpy as np
from numpy.typing import NDArray

from polycontact.contact.lost_contact import LOST_CONTACT
from polycontact.contact.methods import Base, PenetrationLines, has_distance_depth
from polycontact.contact.pressed_through import told_far_side
from polycontact.contact.short_lines import missed_by_lines
from polycontact.errors import ContactWarning, level_of_the_caller
from polycontact.kernels.contact.contact_report import Status
from polycontact.kernels.stepping.sample_rows import SampleRows
from polycontact.multibody.evaluation import ContactsSeen, Evaluation
from polycontact.multibody.evaluator import Evaluator
from polycontact.multibody.system_setup import SystemSetup
from polycontact.surfaces.inner_points import share_inside

OVERLAP_AT_START = 0.25
"""Bodies that overlap by more than this part of the thinner one at the start were hardly meant to."""
SHARED_AT_START = 0.25
"""Bodies of which this part of one lies inside the other at the start were hardly meant to: a contact does not reach
the middle of the walls, which is looked at."""

MAX_WARNINGS_PER_REASON = 3
"""Warnings of one reason in a run: the contacts of a heap would otherwise all say the same."""


PRESSED_THROUGH = "pressed through"
"""Reason of warnings of walls that are thinner than the contact is deep."""
SHORT_LINES = "short lines"
"""Reason of warnings of penetration lines that are shorter than the contact is deep."""
DEEP = "deep"
"""Reason of warnings of contacts that are deeper than a body is thick."""


class ContactWarnings:
    """Looks at evaluations and warns; ``evaluator``: which made them, for the details of some."""

    def __init__(self, setup: SystemSetup, evaluator: Evaluator | None = None) -> None:
        self._setup = setup
        self._evaluator = evaluator
        self._warned: dict[str, set[int]] = {}
        """Pairs that were warned of, by reason."""
        self._told: dict[str, int] = {}
        """How often it was warned, by reason."""
        self._lines = {
            pair
            for pair, contact in enumerate(setup.contacts)
            if isinstance(contact.description.method, PenetrationLines)
        }
        """Pairs whose elements come from penetration lines, until it has been said that these are too short."""
        self._torn = _torn_shapes(setup)
        """What is said of pairs with a shape that has cracks, until it has been said."""

    def of_overlap(self, start: Evaluation) -> None:
        """Warn where bodies overlap deeply at the start, which throws them apart, or leaves them without a force.

        The depth does not tell all: of bodies that coincide, faces lie on faces, and the depth is zero.
        """
        deep = self._deep_pairs(start, OVERLAP_AT_START)
        for pair, depth in deep:
            self._warn(
                [pair],
                f"the bodies overlap by {1e3 * depth:.3g} mm at the start, which will throw them apart; move one",
            )
        told = {pair for pair, _ in deep}
        for pair in start.contacts.near.tolist():
            if pair not in told:
                self._warn_of_shared_place(pair, start.contacts.kinematics[pair])

    def _warn_of_shared_place(self, pair: int, kinematics: NDArray[np.float64]) -> None:
        """Warn where much of one body lies inside the other, whatever depth the contact has found."""
        contact = self._setup.contacts[pair]
        R, r = kinematics[:9].reshape(3, 3), kinematics[9:12]
        e, f = (
            self._setup.system.bodies[body].shapes[k].surface.picture
            for body, k in ((contact.e, contact.shape_e), (contact.f, contact.shape_f))
        )
        of_e, of_f = share_inside(e, f, R.T, -R.T @ r), share_inside(f, e, R, r)
        if max(of_e, of_f) < SHARED_AT_START:
            return
        inner, outer, share = (contact.e, contact.f, of_e) if of_e >= of_f else (contact.f, contact.e, of_f)
        self._warn(
            [pair],
            f"bodies {inner!r} and {outer!r} take up the same place at the start: {100 * share:.0f} % of {inner!r} "
            f"lies inside {outer!r}, where the contact force is not that of a touch and may be zero; move one, or "
            f"leave this contact out",
        )

    def of_contacts(self, found: Evaluation | ContactsSeen) -> None:
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
        for pair in np.flatnonzero(found.contacts.status & Status.PRESSED_THROUGH).tolist():
            self._warn_of_far_side(pair, found.time)
        self.of_lost_contacts(found.time, found.contacts.status)
        for pair in found.contacts.near.tolist() if self._lines else ():
            if pair in self._lines:
                self._warn_of_short_lines(pair, found)
        self.of_open_polygons(found.time, found.contacts.status)
        for pair, depth in self._deep_pairs(found, 1.0):
            self._warn([pair], self._told_deep(pair, depth, found), DEEP)

    def _told_deep(self, pair: int, depth: float, found: Evaluation | ContactsSeen) -> str:
        """What is said of a contact deeper (m) than the thinner body is thick; the thickness shows wrong units."""
        contact, pairs = self._setup.contacts[pair], self._setup.pairs
        thickness = [float(self._setup.shapes.thickness[of[pair]]) for of in (pairs.shape_e, pairs.shape_f)]
        thinner = contact.e if thickness[0] <= thickness[1] else contact.f
        load = float(np.linalg.norm(found.contacts.wrench[pair, :3]))
        return (
            f"at t = {found.time:.6g} s the depth has reached {1e3 * depth:.3g} mm, more than body {thinner!r} is "
            f"thick ({1e3 * min(thickness):.3g} mm): the layer is too soft for the load of {load:.4g} N; make it "
            f"stiffer"
        )

    @property
    def awaited_losses(self) -> int:
        """Status bits of lost points of contact of which nothing has been said yet."""
        return sum(int(status) for status in LOST_CONTACT if f"lost {int(status)}" not in self._warned)

    def begin(self, samples: SampleRows) -> None:
        """Tell compiled code at which contacts of later samples a warning may be due."""
        pairs, thickness = self._setup.pairs, self._setup.shapes.thickness
        lost = sum(int(status) for status in LOST_CONTACT)
        samples.told_bits[:] = lost | Status.COARSE_BASE | Status.PRESSED_THROUGH
        samples.told_bits[list(self._torn)] |= int(Status.OPEN_POLYGON)
        samples.told_depth[:] = np.minimum(thickness[pairs.shape_e], thickness[pairs.shape_f])
        samples.looks_at_near = int(bool(self._lines))

    def leave(self, samples: SampleRows, found: Evaluation | ContactsSeen) -> None:
        """Warned, of each pair and reason once, of what was found: later samples need not be looked at for that."""
        near = found.contacts.near
        samples.told_bits[near] &= ~found.contacts.status[near]
        samples.told_depth[list(self._warned.get(DEEP, ()))] = np.inf
        samples.looks_at_near = int(bool(self._lines))

    @property
    def awaited_bits(self) -> int:
        """Status bits of contacts of which a warning may still come."""
        return self.awaited_losses | (int(Status.OPEN_POLYGON) if self._torn else 0)

    def of_lost_contacts(self, t: float, status: NDArray[np.int32]) -> None:
        """Warn where the point of contact of surfaces by formulas was not found at time t (s)."""
        for lost, message in LOST_CONTACT.items():
            pairs = np.flatnonzero(status & lost).tolist()
            if pairs:
                self._warn(pairs, f"at t = {t:.6g} s {message}", f"lost {int(lost)}")

    def _warn_of_short_lines(self, pair: int, found: Evaluation | ContactsSeen) -> None:
        """Warn, once, where a base is deeper in its target than its penetration lines are long."""
        k = found.contacts.kinematics[pair]
        missed = missed_by_lines(self._setup.pairing(pair), k[:9].reshape(3, 3), k[9:12])
        if missed:
            self._lines.discard(pair)
            self._warn([pair], f"at t = {found.time:.6g} s {missed}", SHORT_LINES)

    def _warn_of_far_side(self, pair: int, t: float) -> None:
        """Say which wall has been pressed through, at time t (s), with the memory of the evaluator at hand."""
        if self._evaluator is None or pair in self._warned.get(PRESSED_THROUGH, ()):
            return
        contact = self._setup.contacts[pair]
        memory = self._evaluator.contact_memory(pair)
        text = told_far_side(self._setup.pairing(pair), memory, (contact.e, contact.f))
        self._warn([pair], f"at t = {t:.6g} s {text}", PRESSED_THROUGH)

    def of_open_polygons(self, t: float, status: NDArray[np.int32]) -> None:
        """Warn where a polygon ends in a shape that is torn, at time t (s); in an honest sheet it may."""
        for pair in [pair for pair in self._torn if status[pair] & Status.OPEN_POLYGON]:
            self._warn(
                [pair],
                f"an intersection polygon is open at t = {t:.6g} s, so that its force may be wrong: "
                f"{self._torn.pop(pair)}; weld them with repair_surface or 'polycontact repair'",
            )

    def _deep_pairs(self, found: Evaluation | ContactsSeen, part: float) -> list[tuple[int, float]]:
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

    def _warn(self, pairs: list[int], message: str, reason: str = "") -> None:
        """Warn, once a pair and reason, by default the message, and of all pairs of one evaluation together."""
        reason = reason or message[:20]
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
