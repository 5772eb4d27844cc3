"""Whether meshes are fine enough for the contacts of a model, before it runs: at the depth that a body's weight makes.

In: a compiled system at its start. Out: of each pair of meshes that lie near each other, the error that facets make
where the lighter of its moving bodies rests on the other with its weight. A contact that already carries more at the
start is taken as it is. Loads of a run may be others: the run itself looks at them again.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from polycontact.contact.kinematics import RelativeKinematics
from polycontact.contact.mesh_error import MeshError, told_mesh_error
from polycontact.contact.mesh_pair import MeshPair
from polycontact.contact.pairing import ContactPairing
from polycontact.multibody.compiled import CompiledSystem
from polycontact.multibody.evaluation import Evaluation
from polycontact.multibody.moved_masses import lighter_mass

MOST_PAIRS = 20
"""Pairs that are looked at: each takes some twenty evaluations."""
_DOUBLINGS, _HALVINGS = 24, 12
"""The depth for a load is bracketed by doubling a millionth of the thinner body, then halved to a few thousandths."""


@dataclass(frozen=True)
class ExpectedMesh:
    """The error of a contact's meshes under a ``load`` (N) that is expected of it."""

    contact: str
    e: str
    f: str
    load: float
    error: MeshError

    def told(self) -> str:
        """What is said where it matters."""
        return f"contact {self.contact!r} under {self.load:.4g} N: {told_mesh_error(self.error, self.e, self.f)}"


def expected_mesh_errors(compiled: CompiledSystem, start: Evaluation) -> tuple[ExpectedMesh, ...]:
    """Errors of the pairs of meshes whose boxes overlap at the start, the first twenty of them."""
    setup = compiled.setup
    strength = float(np.linalg.norm(compiled.system.gravity))
    found = []
    for pair in start.contacts.near.tolist()[:MOST_PAIRS]:
        contact = setup.contacts[pair]
        pairing = setup.pairing(pair)
        if not isinstance(pairing.prepared, MeshPair):
            continue
        k = start.contacts.kinematics[pair]
        load = max(
            float(np.linalg.norm(start.contacts.wrench[pair, :3])), strength * lighter_mass(compiled.system, contact)
        )
        error = _error_under(pairing, k[:9].reshape(3, 3), k[9:12], load) if load > 0.0 else None
        if error is not None:
            found.append(ExpectedMesh(contact.name, contact.e, contact.f, load, error))
    return tuple(found)


def _error_under(
    pairing: ContactPairing, R: NDArray[np.float64], r: NDArray[np.float64], load: float
) -> MeshError | None:
    """The error where F is pressed into E, along the line on which they are nearest, until a load is carried."""
    apart = pairing.distance(R, r)
    if not np.isfinite(apart.distance):
        return None
    extents = [float((each.bounds[1] - each.bounds[0]).max()) for each in (pairing.e, pairing.f)]
    thickness = min(pairing.e.thickness, pairing.f.thickness, *extents)

    def at(depth: float) -> tuple[float, MeshError | None]:
        place = r - (apart.distance + depth) * apart.normal
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = pairing.evaluate(RelativeKinematics(rotation=R, position=place))
            return float(abs(found.force @ apart.normal)), found.mesh_error

    low, high = 0.0, 1e-6 * thickness
    for _ in range(_DOUBLINGS):
        if at(high)[0] >= load or high > 0.5 * thickness:
            break
        low, high = high, 2.0 * high
    else:
        return None
    for _ in range(_HALVINGS):
        middle = 0.5 * (low + high)
        low, high = (low, middle) if at(middle)[0] >= load else (middle, high)
    return at(high)[1]
