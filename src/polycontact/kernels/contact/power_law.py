"""A power of the depth, damped in proportion to itself: normal forces of the elements.

F = k A uⁿ (1 + λ v_n), never below zero: the law of Hunt and Crossley, of Hertz with n = 3/2, and of a penalty with a
restitution factor with n = 1.
"""

from __future__ import annotations

from numba import types

from polycontact.kernels.addresses import address_of
from polycontact.kernels.contact.contact_header import as_header, as_law
from polycontact.kernels.contact.element_table import ElementTable
from polycontact.kernels.jit import entry_kernel, kernel
from polycontact.kernels.views import View, cast_to, number


class PowerParameters(View):
    """Parameters of a power law."""

    coefficient = number("k", "N/mⁿ⁺² per area, N/mⁿ for a point")
    exponent = number("n")
    damping = number("λ", "s/m")


as_power_parameters = cast_to(PowerParameters)


@kernel
def press_power(elements: ElementTable, coefficient: float, exponent: float, damping: float) -> None:
    """Normal and elastic force and elastic energy of every element; ``damping`` λ (s/m).

    The depth of an element is its mean. Where it varies within the element, the energy is larger than that of the mean:
    `energy_rise` tells by how much for n = 1, and to second order for other exponents.
    """
    share = elements.share
    bend = 0.5 * exponent * (exponent + 1.0)
    for k in range(elements.n):
        u = max(elements.depth[k], 0.0)
        elastic = share * elements.weight[k] * elements.area[k] * coefficient * u**exponent
        # A flank that slides along the target neither gains nor loses depth: its motion is not damped.
        factor = 1.0 + damping * (1.0 - elements.turned[k]) * elements.approach[k]
        elements.elastic_force[k] = elastic
        elements.normal_force[k] = elastic * max(factor, 0.0)
        elements.energy[k] = elastic * u / (exponent + 1.0) * (1.0 + bend * elements.energy_rise[k])


@entry_kernel((types.int64, types.int64))
def press_power_at(row: int, law: int) -> int:
    """`press_power` by addresses."""
    parameters = as_power_parameters(as_law(law).parameters)
    press_power(as_header(row).elements, parameters.coefficient, parameters.exponent, parameters.damping)
    return 0


PRESS_POWER_AT = address_of(press_power_at)
