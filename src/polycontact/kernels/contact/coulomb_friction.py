"""Coulomb friction that fades out below a small slip velocity: tangential forces of the elements, eqs (20), (21).

    |F_t| = μ F_n s (2 − s), s = v_t / v_ε below v_ε, and μ F_n above: its slope is continuous there. A body on a slope
creeps with a small velocity; `stick_friction` holds it.
"""

from __future__ import annotations

from numba import types

from polycontact.kernels.addresses import address_of
from polycontact.kernels.contact.contact_header import as_header, as_law
from polycontact.kernels.contact.element_table import ElementTable
from polycontact.kernels.geometry.vectors import add, norm, row, scale
from polycontact.kernels.jit import entry_kernel, inline_kernel, kernel
from polycontact.kernels.views import View, cast_to, number


class CoulombParameters(View):
    """Parameters of regularised Coulomb friction."""

    coefficient = number("μ")
    velocity = number("v_ε: the force is quadratic in the slip below it", "m/s")


as_coulomb_parameters = cast_to(CoulombParameters)


@inline_kernel
def friction_force(mu: float, v_eps: float, f_n: float, v_t: float) -> float:
    """F_tk of an element that slips with v_t, eq. (20), N: Coulomb, quadratic below v_eps."""
    if v_t >= v_eps:
        return mu * f_n
    s = v_t / v_eps
    return mu * f_n * s * (2.0 - s)


@kernel
def rub(elements: ElementTable, parameters: CoulombParameters) -> None:
    """Friction of every element, added to its force."""
    mu = parameters.coefficient
    v_eps = parameters.velocity
    load = elements.friction_load
    slips = elements.slip
    friction = elements.friction_force
    force = elements.force
    if not mu > 0.0:
        return
    for k in range(elements.n):
        slip = row(slips, k)
        v_t = norm(slip)
        if v_t > 0.0:
            f_t = friction_force(mu, v_eps, load[k], v_t)
            f_k = add(row(force, k), scale(f_t / v_t, slip))  # (21)
            friction[k] = f_t
            for a in range(3):
                force[k, a] = f_k[a]


@entry_kernel((types.int64, types.int64))
def rub_at(row: int, law: int) -> int:
    """`rub`, called with the addresses of a contact header and of a law's part."""
    rub(as_header(row).elements, as_coulomb_parameters(as_law(law).parameters))
    return 0


RUB_AT = address_of(rub_at)
