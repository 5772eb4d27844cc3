"""Reference and stiffness of a comparison: what makes areas (N/m³) and points (N/m) comparable.

All methods for areas get one stiffness c, all points one stiffness k, such that k u = F: a point carries the force of
the reference at the depth of the reference, in this pose. In another pose they differ; the table of laws tells how.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from polycontact.comparison.measuring import Row, evaluate_trial
from polycontact.comparison.sides import moved
from polycontact.comparison.subjects import Subject
from polycontact.comparison.trials import POINT_METHODS, Trial
from polycontact.contact.distance import Distance, DistanceStatus
from polycontact.contact.kinematics import RelativeKinematics
from polycontact.contact.laws import LayerLaw, RestitutionLaw, SpringDamperLaw
from polycontact.contact.methods import Base, ContactMethod, PenetrationLines, PolygonalMethod
from polycontact.contact.node_block_method import NodeBlockMethod
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
    c = own.stiffness if gives_c else None
    row = _row(reference, subject, 1.0 if c is None else c)
    if row.magnitude == 0.0:
        return NoContact(_distance(row.pairing, row.pose))
    words = f"{reference.label}, on the meshes"
    depth = _depth(row)
    if c is not None:
        return Scale(row.force, depth, c, row.magnitude / depth, words, "as given", "force over depth of the reference")
    held = _own_result(subject)
    if held is None:
        return NoContact(_distance(row.pairing, row.pose))
    force, own_depth = held
    c = force / row.magnitude
    same = "so that the reference carries what the contact's own law does"
    return Scale(
        c * row.force, own_depth, c, force / own_depth, words, same, "force over depth of the contact's own method"
    )


def _reference(method: ContactMethod, subject: Subject) -> Trial:
    """The contact's own method where it is one for meshes, else polygons with the defaults."""
    chosen = method if isinstance(method, MESH_METHODS) else PolygonalMethod(base=Base.E)
    return Trial(chosen, ("mesh", "mesh"), subject.e.as_form("mesh"), subject.f.as_form("mesh"))


def _row(trial: Trial, subject: Subject, c: float) -> Row:
    return evaluate_trial(trial, LayerLaw(stiffness=c), subject.pose, subject.name)


def _depth(row: Row) -> float:
    """Depth of the deepest point, m; that of the elements where surfaces are open."""
    found = _distance(row.pairing, row.pose)
    deep = (DistanceStatus.PENETRATING, DistanceStatus.PENETRATING_AT_LEAST)
    return -found.distance if found is not None and found.status in deep else row.depth


def _distance(pairing: ContactPairing, pose: RelativeKinematics) -> Distance | None:
    R, r, *_ = pose.arrays()
    try:
        return pairing.distance(R, r)
    except ContactError:
        return None


def _own_result(subject: Subject) -> tuple[float, float] | None:
    """Force (N) and depth (m) of the contact as it is, at rest; None where it does not touch."""
    own = subject.description
    pairing = ContactPairing(subject.e.given, subject.f.given, description=own, name=subject.name)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ContactWarning)
        result = pairing.evaluate(moved(subject.pose, subject.e.own, subject.f.own))
    force = float(np.linalg.norm(result.force))
    depth = float(result.elements.peak_depth.max(initial=0.0))
    return (force, depth) if force > 0.0 and depth > 0.0 else None
