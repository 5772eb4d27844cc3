"""Reference and stiffness of a comparison: what makes areas (N/m³) and points (N/m) comparable.

All methods for areas get one stiffness c, all points one stiffness k, such that k u = F: a point carries the force of
the reference at the depth of the reference, in this pose. In another pose they differ; the table of laws tells how.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from polycontact.comparison.compared_body import moved
from polycontact.comparison.measuring import Row, evaluate_trial
from polycontact.comparison.subjects import Subject
from polycontact.comparison.trials import Trial
from polycontact.contact.base_choice import with_base
from polycontact.contact.description import POINT_METHODS
from polycontact.contact.distance import Distance, DistanceStatus
from polycontact.contact.kinematics import RelativeKinematics
from polycontact.contact.laws import LayerLaw, RestitutionLaw, SpringDamperLaw
from polycontact.contact.methods import Base, ContactMethod, PenetrationLines, PolygonalMethod
from polycontact.contact.node_block_options import NodeBlockMethod
from polycontact.contact.pairing import ContactPairing
from polycontact.errors import ContactError, ContactWarning

LINEAR_LAWS = (LayerLaw, SpringDamperLaw, RestitutionLaw)
"""Laws whose force at rest is a stiffness times the depth."""
MESH_METHODS = (PolygonalMethod, PenetrationLines, NodeBlockMethod)


@dataclass(frozen=True, eq=False)
class Scale:
    """``force`` (3,) N on E and ``depth`` (m) of the reference; ``c`` N/m³ and ``k`` N/m; where each comes from."""

    force: NDArray[np.float64]
    depth: float
    c: float
    k: float
    reference_words: str
    c_words: str
    k_words: str

    @property
    def normal(self) -> NDArray[np.float64]:
        """Direction of the force on E."""
        return np.asarray(self.force / np.linalg.norm(self.force))


@dataclass(frozen=True)
class NoContact:
    """The bodies do not touch; their ``distance``, None where no method knows it."""

    distance: Distance | None


def find_scale(subject: Subject) -> Scale | NoContact:
    """Reference and stiffness of two bodies, or how far they are apart."""
    own = subject.description
    exact = subject.exact
    if exact is not None and own.stiffness is not None:
        return Scale(
            force=exact.force * exact.normal,
            depth=exact.depth,
            c=own.stiffness,
            k=exact.force / exact.depth,
            reference_words=f"closed form, {exact.words}",
            c_words="as given",
            k_words="force over depth of the closed form",
        )
    reference = _reference(own.method, subject)
    gives_c = isinstance(own.law, LINEAR_LAWS) and not isinstance(own.method, POINT_METHODS)
    row = _row(reference, subject, own.stiffness if gives_c and own.stiffness is not None else 1.0)
    if gives_c and own.stiffness is not None:
        if row.magnitude == 0.0:
            return NoContact(_distance(row.pairing, row.pose))
        return _by_areas(row, own.stiffness, _depth(row, subject))
    held = _own_result(subject)
    return _by_own_law(row, held) if held is not None else NoContact(_own_distance(subject))


def _by_areas(row: Row, c: float, depth: float) -> Scale:
    """The contact has a stiffness per area: points follow."""
    words = "force over depth of the reference"
    return Scale(row.force, depth, c, row.magnitude / depth, _on_meshes(row), "as given", words)


def _by_own_law(row: Row, held: _Held) -> Scale:
    """The contact has points, or a law without a stiffness: areas follow from the force that it carries.

    ``row``: the reference with c = 1 N/m³. Where its meshes do not touch, their chords are farther from the bodies than
    these are deep: then the contact itself is the reference, and areas carry nothing whatever c is.
    """
    force = float(np.linalg.norm(held.force))
    k, k_words = force / held.depth, "force over depth of the contact's own method"
    if row.magnitude == 0.0:
        c_words = "as k per m²: meshes do not touch, they are coarser than the contact is deep"
        return Scale(held.force, held.depth, k, k, "the contact itself", c_words, k_words)
    c = force / row.magnitude
    words = "so that the reference carries what the contact's own law does"
    return Scale(c * row.force, held.depth, c, k, _on_meshes(row), words, k_words)


def _on_meshes(row: Row) -> str:
    return f"{row.label}, on the meshes"


def _reference(method: ContactMethod, subject: Subject) -> Trial:
    """The contact's own method where it is one for meshes, else polygons with the defaults."""
    chosen = method if isinstance(method, MESH_METHODS) else PolygonalMethod(base=Base.E)
    e, f = subject.e.as_form("mesh"), subject.f.as_form("mesh")
    chosen, _ = with_base(chosen, e.geometry, f.geometry)
    return Trial(chosen, ("mesh", "mesh"), e, f)


def _row(trial: Trial, subject: Subject, c: float) -> Row:
    return evaluate_trial(trial, LayerLaw(stiffness=c), subject.pose, subject.name)


def _depth(row: Row, subject: Subject) -> float:
    """Depth of the deepest point, m: by the query and by elements with depths as distances, neither of which is more.

    That of the row's own elements where surfaces are open.
    """
    trial = Trial(PolygonalMethod(base=Base.BOTH), ("mesh", "mesh"), row.trial.e, row.trial.f)
    found = _distance(row.pairing, row.pose)
    deep = (DistanceStatus.PENETRATING, DistanceStatus.PENETRATING_AT_LEAST)
    by_query = -found.distance if found is not None and found.status in deep else 0.0
    return max(by_query, _row(trial, subject, 1.0).depth) or row.depth


def _distance(pairing: ContactPairing, pose: RelativeKinematics) -> Distance | None:
    R, r, *_ = pose.arrays()
    try:
        return pairing.distance(R, r)
    except ContactError:
        return None


class _Held(NamedTuple):
    """Force (3,) N on E and greatest depth (m) of the contact as it is, at rest."""

    force: NDArray[np.float64]
    depth: float


def _own_result(subject: Subject) -> _Held | None:
    """The result of the contact as it is; None where the bodies do not touch."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ContactWarning)
        result = _own_pairing(subject).evaluate(moved(subject.pose, subject.e.own, subject.f.own))
    depth = float(result.elements.peak_depth.max(initial=0.0))
    return _Held(result.force, depth) if np.linalg.norm(result.force) > 0.0 and depth > 0.0 else None


def _own_distance(subject: Subject) -> Distance | None:
    return _distance(_own_pairing(subject), moved(subject.pose, subject.e.own, subject.f.own))


def _own_pairing(subject: Subject) -> ContactPairing:
    return ContactPairing(subject.e.given, subject.f.given, description=subject.description, name=subject.name)
