"""The elastic layer with areal damping: normal forces of the elements, eqs (14), (15) and (18).

F = c_l A u + d_l A v_n, never below zero (bodies do not stick). Damping fades in linearly down to a transition depth,
so that the force does not jump where a contact begins. In: area, depth, approach speed. Out: normal force, its elastic
part and the elastic energy.
"""

from __future__ import annotations

from numba import types

from polycontact.kernels.addresses import address_of
from polycontact.kernels.contact.contact_header import as_header, as_law
from polycontact.kernels.contact.element_table import ElementTable
from polycontact.kernels.jit import entry_kernel, inline_kernel, kernel
from polycontact.kernels.views import View, cast_to, number


class LayerParameters(View):
    """Parameters of the layer law."""

    stiffness = number("c_l", "N/m³")
    damping = number("d_l of bodies that approach", "N s/m³")
    damping_out = number("d_l of bodies that depart: the same, or 0", "N s/m³")
    transition_depth = number("u_d: damping fades in down to this depth", "m")


as_layer_parameters = cast_to(LayerParameters)


@inline_kernel
def normal_force(c_l: float, d_l: float, u_d: float, area: float, u: float, v_n: float) -> float:
    """F_nk ≥ 0 of an element of given area, depth u and approach speed v_n, eqs (14), (15) and (18), N."""
    damping = d_l * area * v_n
    if u < u_d:
        damping *= u / u_d
    return max(c_l * area * u + damping, 0.0)


@kernel
def press(elements: ElementTable, parameters: LayerParameters) -> None:
    """Normal and elastic force and elastic energy of every element."""
    c_l = parameters.stiffness
    d_in = parameters.damping
    d_out = parameters.damping_out
    u_d = parameters.transition_depth
    share = elements.share
    areas = elements.area
    depths = elements.depth
    weights = elements.weight
    approach = elements.approach
    normal = elements.normal_force
    elastic = elements.elastic_force
    energy = elements.energy
    rises = elements.energy_rise
    turned = elements.turned
    for k in range(elements.n):
        weight = share * weights[k]
        u = depths[k]
        d_l = d_in if approach[k] > 0.0 else d_out
        # A flank that slides along the target neither gains nor loses depth: its motion is not damped.
        normal[k] = weight * normal_force(c_l, d_l * (1.0 - turned[k]), u_d, areas[k], u, approach[k])
        elastic[k] = weight * c_l * areas[k] * u
        energy[k] = 0.5 * elastic[k] * u * (1.0 + rises[k])


@entry_kernel((types.int64, types.int64))
def press_at(row: int, law: int) -> int:
    """`press`, called with the addresses of a contact header and of a law's part."""
    press(as_header(row).elements, as_layer_parameters(as_law(law).parameters))
    return 0


PRESS_AT = address_of(press_at)
