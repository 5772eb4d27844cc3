"""Motions about rest: which are free, which run away, and how to say in words what moves."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from polycontact.statics.small_motions import SmallMotions
from polycontact.statics.tangent_space import Freedom
from polycontact.tolerances import FREE_SQUARE, FREE_SQUARE_RELATIVE, FREE_SQUARE_ROUNDING

Array = NDArray[np.float64]

SHOWN_PART = 0.2
"""Displacements of at least this part of the largest are named in words."""

MOST_PARTS = 3
"""Parts of a motion that are told in words."""

ALONG_AXIS = 0.999
"""Cosine from which on a direction is called by its axis."""


@dataclass(frozen=True, eq=False)
class RestMotion:
    """A motion about rest, without damping: ``square`` ω² (1/s²), negative where it runs away.

    ``frequency`` (Hz) is 0 of a free motion and nan of one that runs away; ``shape`` (m,) along the independent
    displacements; ``words`` say what moves.
    """

    square: float
    frequency: float
    shape: Array
    words: str

    @property
    def is_free(self) -> bool:
        """Whether nothing holds the motion, and nothing drives it on."""
        return self.frequency == 0.0

    @property
    def runs_away(self) -> bool:
        """Whether the smallest push lets it go on."""
        return math.isnan(self.frequency)

    def __repr__(self) -> str:
        kind = "free" if self.is_free else "runs away" if self.runs_away else f"{self.frequency:.4g} Hz"
        return f"RestMotion({self.words}: {kind})"


def rest_motions(motions: SmallMotions, size: float) -> tuple[RestMotion, ...]:
    """All motions about rest, the slowest first: those that run away, free ones, and the others by frequency.

    ``size`` (m) of the system: by it rotations are compared with displacements.
    """
    if not motions.freedoms:
        return ()
    from scipy.linalg import eig

    stiffness = motions.held_stiffness
    values, vectors = eig(stiffness, motions.mass)
    # Of a pair of complex vectors, which share a plane, one gives the real and one the imaginary part.
    squares, shapes = np.real(values), np.where(np.imag(values) < 0.0, np.imag(vectors), np.real(vectors))
    bound = free_bound(squares)
    order = np.argsort(squares, kind="stable")
    free = [i for i in order.tolist() if abs(squares[i]) <= bound]
    if free:
        shapes[:, free] = simple_basis(shapes[:, free])
    found = []
    for i in order.tolist():
        frequency = 0.0 if i in free else math.nan if squares[i] < 0.0 else math.sqrt(squares[i]) / (2.0 * math.pi)
        largest = float(shapes[int(np.argmax(np.abs(shapes[:, i]))), i])
        shape = shapes[:, i] / (largest if largest != 0.0 else 1.0)
        found.append(RestMotion(float(squares[i]), frequency, shape, words_of(motions.freedoms, shape, size)))
    return tuple(found)


def free_bound(squares: Array) -> float:
    """Size of a square (1/s²) below which its motion is free."""
    largest = float(np.abs(squares).max(initial=0.0))
    return max(min(FREE_SQUARE, FREE_SQUARE_RELATIVE * largest), FREE_SQUARE_ROUNDING * largest, 1e-300)


def simple_basis(vectors: Array) -> Array:
    """Another basis of the same space, in which each vector has a displacement of its own: easier to say in words."""
    from scipy.linalg import orth, qr

    basis = orth(vectors)
    if basis.shape[1] != vectors.shape[1]:
        return vectors
    own = np.sort(qr(basis.T, pivoting=True, mode="r")[1][: basis.shape[1]])
    return np.asarray(basis @ np.linalg.inv(basis[own]))


def words_of(freedoms: tuple[Freedom, ...], shape: Array, size: float) -> str:
    """What moves in a shape, the most first: "ball moves along x and turns about y", "crank.angle"; ``size`` in m."""
    ways = np.array([abs(x) * (size if each.unit == "rad" else 1.0) for x, each in zip(shape, freedoms, strict=True)])
    if not len(ways) or float(ways.max()) == 0.0:
        return "nothing"
    least = SHOWN_PART * float(ways.max())
    told: dict[str, float] = {}
    done: set[tuple[str, bool]] = set()
    for i in np.argsort(-ways, kind="stable").tolist():
        each = freedoms[i]
        if ways[i] < least:
            break
        if not each.of_free_body:
            told[each.name] = ways[i]
            continue
        turns = each.unit == "rad"
        if (each.body, turns) in done:
            continue
        done.add((each.body, turns))
        vector = np.zeros(3)
        for x, other in zip(shape, freedoms, strict=True):
            if other.of_free_body and other.body == each.body and (other.unit == "rad") == turns:
                vector["xyz".index(other.speed[-1])] = x
        verb = "turns about" if turns else "moves along"
        told[f"{each.body} {verb} {direction_words(vector)}"] = ways[i]
    return _joined(list(told))


def _joined(words: list[str]) -> str:
    """Parts in one sentence; a body that moves and turns is named once."""
    merged: list[str] = []
    for each in words:
        body = each.partition(" ")[0]
        if merged and " " in each and merged[-1].partition(" ")[0] == body and " " in merged[-1]:
            merged[-1] += f" and {each.partition(' ')[2]}"
        else:
            merged.append(each)
    if len(merged) > MOST_PARTS:
        return f"{', '.join(merged[:MOST_PARTS])} and {len(merged) - MOST_PARTS} more"
    return ", ".join(merged)


def direction_words(vector: Array) -> str:
    """A direction (3,) by its axis, or as three numbers."""
    unit = vector / np.linalg.norm(vector)
    k = int(np.argmax(np.abs(unit)))
    if abs(unit[k]) >= ALONG_AXIS:
        return f"{'-' if unit[k] < 0.0 else ''}{'xyz'[k]}"
    return "(" + ", ".join(f"{0.0 if abs(x) < 5e-3 else x:.2f}" for x in unit) + ")"
