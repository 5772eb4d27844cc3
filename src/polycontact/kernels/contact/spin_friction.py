"""Friction that fades out linearly, of sliding and of spinning: forces and torques of the elements (S4.34 to S4.37).

In: elements with normal force and slip, the angular velocity of F in E. Out: a force μ F_n against the slip, and a
torque d_w F_n against the spin about the normal, each proportional to its velocity below v_min, or ω_min, and constant
above. Slip and spin do not share a limit: it is a law for contacts at one point.
"""

from __future__ import annotations

from numba import types

from polycontact.kernels.addresses import address_of
from polycontact.kernels.contact.contact_header import Pose, as_header, as_law
from polycontact.kernels.contact.element_table import ElementTable
from polycontact.kernels.geometry.frames import as_vector
from polycontact.kernels.geometry.vectors import add, dot, norm, row, scale
from polycontact.kernels.jit import entry_kernel, inline_kernel, kernel
from polycontact.kernels.views import View, cast_to, number


class SpinParameters(View):
    """Parameters of friction with a spin torque."""

    coefficient = number("μ")
    velocity = number("v_min: the force is linear in the slip below it", "m/s")
    spin_length = number("d_w: greatest torque per normal force", "m")
    spin_velocity = number("ω_min: the torque is linear in the spin below it", "rad/s")


as_spin_parameters = cast_to(SpinParameters)


@inline_kernel
def saturated(x: float) -> float:
    """x limited to the range from -1 to 1."""
    return max(-1.0, min(1.0, x))


@kernel
def spin(elements: ElementTable, parameters: SpinParameters, pose: Pose) -> None:
    """Friction of every element, added to its force, and its torque about its normal."""
    mu = parameters.coefficient
    v_min = parameters.velocity
    d_w = parameters.spin_length
    w_min = parameters.spin_velocity
    w = as_vector(pose.angular_velocity)
    load = elements.friction_load
    force = elements.force
    elements.spins = 1 if d_w > 0.0 else 0
    for k in range(elements.n):
        slip = row(elements.slip, k)
        v_t = norm(slip)
        if v_t > 0.0:
            f_t = mu * load[k] * saturated(v_t / v_min)  # S4.34
            f_k = add(row(force, k), scale(f_t / v_t, slip))
            elements.friction_force[k] = f_t
            for a in range(3):
                force[k, a] = f_k[a]
        w_n = dot(w, row(elements.common_normal, k))
        torque = d_w * load[k] * saturated(w_n / w_min)  # S4.35
        elements.spin_torque[k] = torque
        elements.spin_loss[k] = torque * w_n


@entry_kernel((types.int64, types.int64))
def spin_at(row: int, law: int) -> int:
    """`spin`, called with the addresses of a contact header and of a law's part."""
    header = as_header(row)
    spin(header.elements, as_spin_parameters(as_law(law).parameters), header.pose)
    return 0


SPIN_AT = address_of(spin_at)
