"""What must not change a contact: where it happens, who is called E, the unit of length, the numbers of triangles."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from polycontact.contact.laws import LayerLaw
from polycontact.contact.methods import Base, PolygonalMethod
from polycontact.contact.pairing import ContactPairing
from polycontact.report.document.markup import Section, paragraph
from polycontact.surfaces.surface import Surface
from proof.book.book_page import BookPage, Check, Effort
from proof.book.page_parts import check_table, number_table, percent, prose, short
from proof.book.pair_picture import pair_picture
from proof.book.random_pairs import LAW, Array, Touching, random_rotation, touching_pairs

N_PAIRS = 40
SEED = 1
ROUNDING = 1e-8
"""Deviation that rounding may cause, relative to the force: a grazing cut of a triangle loses half of the digits."""
SCALE = 7.3
SWAPPED = {Base.E: Base.F, Base.F: Base.E, Base.BOTH: Base.BOTH}
MODELS: dict[str, dict[str, Any]] = {"distance (default)": {}, "base normal": {"depth": "base_normal"}}


@dataclass(frozen=True)
class Change:
    """A change of the description that must not change the contact.

    ``force`` gives the force (3,), N, of the changed contact, changed back; ``by_rounding``: the deviation is one of
    rounding, else it is bounded by the tolerance of the division too, with the depth as a distance.
    """

    name: str
    words: str
    force: Callable[[Touching, dict[str, Any], np.random.Generator], Array]
    by_rounding: bool = True


def invariances(effort: Effort) -> BookPage:
    """Page of what must not change a wrench: a rigid motion, a swap of E and F, another unit or numbering."""
    pairs = list(touching_pairs(effort.count(N_PAIRS), SEED))
    found = {
        (change.name, model): _deviations(change, pairs, options)
        for change in CHANGES
        for model, options in MODELS.items()
    }
    checks, rows = [], []
    for change in CHANGES:
        cells: list[str | float] = [change.words]
        for model in MODELS:
            deviations = found[change.name, model]
            limit = ROUNDING if change.by_rounding or model == "base normal" else PolygonalMethod().tolerance
            checks.append(Check(f"{change.name}, {model}", float(max(deviations)), limit))
            cells += [float(np.median(deviations)), float(max(deviations))]
        rows.append(cells)
    header = ("change", *(f"{model}, {word}" for model in MODELS for word in ("median", "worst")))
    picture = pair_picture(pairs[0], f"One of the pairs: {pairs[0].names[0]} and {pairs[0].names[1]}")
    sections = (
        Section(
            "problem",
            "The problem",
            prose(STORY.format(n=len(pairs))) + picture,
        ),
        Section(
            "deviations",
            "How much the force changes",
            paragraph("Change of the force vector, relative to the force.", "note")
            + number_table(header, rows, digits=2),
        ),
        Section("limits", "Limits", check_table(checks)),
    )
    worst = max(check.value for check, change in zip(checks[::2], CHANGES, strict=True) if change.by_rounding)
    loosest = max(check.value for check in checks)
    return BookPage(
        sections, tuple(checks), f"motion, swap, units: {short(worst, 1)}; mirror and numbers: {percent(loosest)}"
    )


STORY = (
    "{n} pairs of bodies at random, round and edged, coarse and fine, with any base, overlap by 1 to 10 % of the "
    "smaller one. Each is described anew: in other frames, with E and F exchanged, in other units, mirrored, with "
    "other numbers. The force must be the same. With the depth as a distance a base triangle is divided beginning "
    "with one of its corners, so that mirrored or renumbered triangles are divided in another way: the force agrees "
    "within the tolerance of the division."
)


def _deviations(change: Change, pairs: list[Touching], options: dict[str, Any]) -> list[float]:
    rng = np.random.default_rng(SEED)
    deviations = []
    for pair in pairs:
        force = _force(pair, options)
        size = float(np.linalg.norm(force))
        if size > 0.0:
            deviations.append(float(np.linalg.norm(change.force(pair, options, rng) - force)) / size)
    return deviations


def _force(pair: Touching, options: dict[str, Any], law: LayerLaw = LAW) -> Array:
    return ContactPairing(pair.e, pair.f, law=law, base=pair.base, **options).wrench(pair.R, pair.position)[:3]


def _moved(pair: Touching, options: dict[str, Any], rng: np.random.Generator) -> Array:
    """Both meshes described in frames that are turned and shifted at random."""
    R_e, R_f = random_rotation(rng), random_rotation(rng)
    r_e, r_f = 0.1 * rng.normal(size=(2, 3))
    e, f = pair.e.transformed(rotation=R_e, position=r_e), pair.f.transformed(rotation=R_f, position=r_f)
    R = R_e @ pair.R @ R_f.T
    pairing = ContactPairing(e, f, law=LAW, base=pair.base, **options)
    force: Array = R_e.T @ pairing.wrench(R, R_e @ pair.position + r_e - R @ r_f)[:3]
    return force


def _exchanged(pair: Touching, options: dict[str, Any], _: np.random.Generator) -> Array:
    """F is called E: the force on it is the opposite one, in its own frame."""
    pairing = ContactPairing(pair.f, pair.e, law=LAW, base=SWAPPED[pair.base], **options)
    force: Array = -pair.R @ pairing.wrench(pair.R.T, -pair.R.T @ pair.position)[:3]
    return force


def _scaled(pair: Touching, options: dict[str, Any], _: np.random.Generator) -> Array:
    """All lengths times a factor: forces grow with its third power."""
    pairing = ContactPairing(pair.e.scaled(SCALE), pair.f.scaled(SCALE), law=LAW, base=pair.base, **options)
    force: Array = pairing.wrench(pair.R, SCALE * pair.position)[:3] / SCALE**3
    return force


def _stiffer(pair: Touching, options: dict[str, Any], _: np.random.Generator) -> Array:
    """Another stiffness: forces are proportional to it."""
    assert LAW.stiffness is not None
    return _force(pair, options, LayerLaw(stiffness=LAW.stiffness / SCALE)) * SCALE


def _mirrored(pair: Touching, options: dict[str, Any], _: np.random.Generator) -> Array:
    """Everything seen in a mirror."""
    M = np.diag([-1.0, 1.0, 1.0])
    e, f = (Surface(each.vertices @ M, each.triangles[:, ::-1]) for each in (pair.e, pair.f))
    pairing = ContactPairing(e, f, law=LAW, base=pair.base, **options)
    force: Array = M @ pairing.wrench(M @ pair.R @ M, M @ pair.position)[:3]
    return force


def _renumbered(pair: Touching, options: dict[str, Any], rng: np.random.Generator) -> Array:
    """Vertices, triangles and the corners of each triangle in another order."""

    def shuffled(surface: Surface) -> Surface:
        order = rng.permutation(len(surface.vertices))
        triangles = np.argsort(order)[surface.triangles][rng.permutation(surface.n_triangles)]
        starts = rng.integers(3, size=(len(triangles), 1))
        return Surface(surface.vertices[order], np.take_along_axis(triangles, (np.arange(3) + starts) % 3, axis=1))

    pairing = ContactPairing(shuffled(pair.e), shuffled(pair.f), law=LAW, base=pair.base, **options)
    return pairing.wrench(pair.R, pair.position)[:3]


CHANGES = (
    Change("rigid motion", "both frames turned and shifted", _moved),
    Change("exchange", "E and F exchanged", _exchanged),
    Change("scale", f"lengths times {SCALE:g}, force over its cube", _scaled),
    Change("stiffness", f"stiffness over {SCALE:g}, force times it", _stiffer),
    Change("mirror", "everything in a mirror", _mirrored, by_rounding=False),
    Change("numbering", "vertices, triangles and corners renumbered", _renumbered, by_rounding=False),
)
