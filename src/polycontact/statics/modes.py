"""Modes of a linearised system: eigenvalues with frequencies, damping ratios and shapes."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from polycontact.statics.rest_motions import free_bound, simple_basis, words_of
from polycontact.statics.tangent_space import Freedom

Array = NDArray[np.float64]
Complexes = NDArray[np.complex128]


@dataclass(frozen=True, eq=False)
class Mode:
    """A motion x(t) = Re(shape exp(λ t)) of a linearised system; of a pair of complex eigenvalues one stands here.

    ``eigenvalue`` λ (1/s); ``frequency`` |λ|/2π, without damping, and ``damped_frequency`` Im λ/2π (Hz);
    ``damping_ratio`` -Re λ/|λ|: 1 where nothing oscillates, negative where the motion grows. ``shape`` (m,): along the
    independent displacements, the largest 1. ``words`` say what moves.
    """

    eigenvalue: complex
    frequency: float
    damped_frequency: float
    damping_ratio: float
    shape: Complexes
    words: str

    @property
    def kind(self) -> str:
        """ "free", "grows", "decays" (without oscillation) or "oscillates"."""
        if self.eigenvalue == 0.0:
            return "free"
        if self.eigenvalue.real > 0.0 and self.damping_ratio < -GROWS:
            return "grows"
        return "oscillates" if self.eigenvalue.imag != 0.0 else "decays"

    def __repr__(self) -> str:
        if self.kind == "oscillates":
            told = f"{self.frequency:.4g} Hz, damping ratio {self.damping_ratio:.3g}"
        else:
            told = self.kind if self.kind == "free" else f"{self.kind} with {abs(self.eigenvalue.real):.3g}/s"
        return f"Mode({self.words}: {told})"


GROWS = 1e-9
"""Negative damping ratio from which on a mode grows: less is rounding."""


def find_modes(matrix: Array, freedoms: tuple[Freedom, ...], size: float) -> tuple[Mode, ...]:
    """Modes of ẋ = A x, whose first states are displacements along the ``freedoms``: free ones first.

    ``size`` (m) of the system: by it rotations are compared with displacements.
    """
    if not len(matrix):
        return ()
    from scipy.linalg import eig

    n = len(freedoms)
    values, vectors = eig(matrix)
    bound = math.sqrt(free_bound(np.abs(values) ** 2))
    free = np.abs(values) <= bound
    modes = [_mode(0.0, shape.astype(np.complex128), freedoms, size) for shape in _free_shapes(vectors[:n, free])]
    held = [i for i in np.argsort(np.abs(values), kind="stable").tolist() if not free[i] and values[i].imag >= 0.0]
    return (*modes, *(_mode(complex(values[i]), vectors[:n, i], freedoms, size) for i in held))


def _free_shapes(vectors: Complexes) -> list[Array]:
    """Shapes of free motions: displacements that eigenvectors of zero span, of which there are two for each."""
    parts = np.hstack([vectors.real, vectors.imag])
    sizes = np.linalg.norm(parts, axis=0)
    parts = parts[:, sizes > 1e-6]
    if not parts.size:
        return []
    left, values, _ = np.linalg.svd(parts / np.linalg.norm(parts, axis=0), full_matrices=False)
    basis = simple_basis(left[:, values > SAME_SHAPE])
    return [basis[:, k] for k in range(basis.shape[1])]


SAME_SHAPE = 1e-4
"""Singular value of unit vectors below which they span no more: a pair of zero eigenvalues has the same vector twice,
to the root of rounding."""


def _mode(value: complex, shape: Complexes, freedoms: tuple[Freedom, ...], size: float) -> Mode:
    scaled = np.array([abs(x) * (size if each.unit == "rad" else 1.0) for x, each in zip(shape, freedoms, strict=True)])
    largest = shape[int(np.argmax(scaled))] if len(shape) else 0.0
    unit = shape / largest if largest != 0.0 else shape
    fast = abs(value)
    return Mode(
        eigenvalue=value,
        frequency=fast / (2.0 * math.pi),
        damped_frequency=abs(value.imag) / (2.0 * math.pi),
        damping_ratio=-value.real / fast if fast else 0.0,
        shape=unit,
        words=words_of(freedoms, _seen(unit), size),
    )


def _seen(shape: Complexes) -> Array:
    """The shape at the instant at which its largest displacement is greatest."""
    return np.asarray(np.where(np.abs(shape.real) >= np.abs(shape.imag), shape.real, shape.imag), dtype=np.float64)
