"""Contacts that end while the integrator still believes in their stiffness or friction.

An implicit integrator keeps its Jacobian for many steps. Where a contact grows, an old one lets the iteration fail, and
it is made anew. Where a stiff contact fades, as under a box that slides off a table, an old one makes every correction
tiny: the iteration seems to have converged, and the box goes on through the air as if the table were still there. So
the step after which that can have happened is made again, with a Jacobian of its start.

Friction is stiff in the same way, and a body that bounces is let go by it again and again; mostly nothing happens. So a
body that flies is asked whether it moves as its equations say, and only if not the step is made again.
"""

from __future__ import annotations

from enum import IntEnum

from polycontact.kernels.dynamics.evaluation_views import PairContacts
from polycontact.kernels.dynamics.matrices import Array, load_vector
from polycontact.kernels.geometry.vectors import norm
from polycontact.kernels.jit import kernel
from polycontact.kernels.views import View, count, doubles, ints, number
from polycontact.tolerances import FADED_AREA_SHARE, STIFF_FRICTION_STEP, STIFF_STEP_SQUARED, STRAY_TOLERANCES


class Verdict(IntEnum):
    """What a Jacobian that is kept has done to a step."""

    GOOD = 0
    SPOILED = 1  # a stiff contact has faded: the step is to be made again
    DOUBTFUL = 2  # friction has let a body go: see `goes_astray`


class FadingContacts(View):
    """Contacts since the Jacobian was made, and what tells whether a body flies as its equations say."""

    n_pairs = count("pairs; 0 where no integrator keeps a Jacobian")
    n = count("states")
    jacobians = count("Jacobians worked out when the contacts were looked at last")
    relative = number("relative tolerance")
    absolute = doubles("n", doc="absolute tolerances")
    stiffness_rate = doubles("n_pairs", doc="stiffness over the smaller mass and the area", unit="1/(s² m²)")
    friction_rate = doubles("n_pairs", doc="change of friction with slip over mass and force", unit="1/(s N)")
    flying = ints("n_pairs", 2, doc="where in y the speeds of its bodies begin that are free in space, -1 for others")
    area = doubles("n_pairs", doc="greatest area since the Jacobian was made", unit="m²")
    force = doubles("n_pairs", doc="greatest force since then", unit="N")
    let_go = ints("n_pairs", doc="1 for pairs whose friction has let go in the last step")


@kernel
def look_at_contacts(fading: FadingContacts, contacts: PairContacts, jacobians: int, step: float) -> int:
    """Whether a step (s) can be believed, made after ``jacobians`` Jacobians; a `Verdict`.

    ``contacts`` at the integrator's last call.
    """
    if jacobians == 0 or fading.n_pairs == 0:
        return Verdict.GOOD.value
    is_new = jacobians != fading.jacobians
    fading.jacobians = jacobians
    verdict = Verdict.GOOD.value
    for pair in range(fading.n_pairs):
        area = contacts.area[pair]
        force = norm(load_vector(contacts.wrench[pair], 0)) if area > 0.0 else 0.0
        if is_new:
            fading.area[pair] = area
            fading.force[pair] = force
            continue
        fading.area[pair] = max(fading.area[pair], area)
        fading.force[pair] = max(fading.force[pair], force)
        greatest = fading.area[pair]
        is_stiff = step * step * fading.stiffness_rate[pair] * greatest > STIFF_STEP_SQUARED
        if is_stiff and area < FADED_AREA_SHARE * greatest:
            return Verdict.SPOILED.value
        is_let_go = area == 0.0 and step * fading.friction_rate[pair] * fading.force[pair] > STIFF_FRICTION_STEP
        fading.let_go[pair] = 1 if is_let_go else 0
        if is_let_go and (fading.flying[pair, 0] >= 0 or fading.flying[pair, 1] >= 0):
            verdict = Verdict.DOUBTFUL.value
    return verdict


@kernel
def _touches(fading: FadingContacts, contacts: PairContacts, first: int) -> bool:
    """Whether the body whose speeds begin there touches any other."""
    found = False
    for i in range(contacts.n_near):
        pair = contacts.near[i]
        is_of_pair = fading.flying[pair, 0] == first or fading.flying[pair, 1] == first
        found = found or (is_of_pair and contacts.area[pair] > 0.0)
    return found


@kernel
def goes_astray(
    fading: FadingContacts, contacts: PairContacts, rates: Array, y: Array, before: Array, span: float, step: float
) -> bool:
    """Whether a body that flies now does not move as its equations say, at the end of a step (s) to y.

    ``rates`` and ``contacts`` at y by an evaluation of its own, ``before``: the state ``span`` (s) before that end.
    """
    for pair in range(fading.n_pairs):
        if fading.let_go[pair] == 0:
            continue
        for which in range(2):
            first = fading.flying[pair, which]
            if first < 0 or _touches(fading, contacts, first):
                continue
            for i in range(first, first + 6):
                allowed = fading.relative * abs(y[i]) + fading.absolute[i]
                if step * abs(rates[i] - (y[i] - before[i]) / span) > STRAY_TOLERANCES * allowed:
                    return True
    return False
