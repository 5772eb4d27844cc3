"""Forces of the contact elements and their sum (section 3.3, eqs 13–24): motion, normal law, tangential law, sum.

Problem: from elements with depths, and the motion of the bodies, to one force and torque on E.

In: the table of elements and the relative velocity. Out: force and torque on E at the location of marker F (frame E, N
and N m), and the contact in a few numbers (`ContactReport`). Knows nothing of meshes, and of laws only their addresses.

    (1) `find_motion`      where the bodies meet between their layers, how fast they approach and slip
    (2) the normal law     force along the normal, its elastic part, elastic energy
    (3) forces along the normals from (2)
    (4) the normal that both bodies share at each element, and what friction is limited by there (`friction_load`)
    (5) the tangential law adds friction to the forces; it may write torques about these normals
    (6) sums over all elements

A law sees the whole table, and may remember something of each element (`element_memory`).
"""

from __future__ import annotations

from polycontact.kernels.addresses import call_law
from polycontact.kernels.contact.contact_header import LawPart, Laws, Pose
from polycontact.kernels.contact.contact_report import OVERFLOW, ContactReport
from polycontact.kernels.contact.element_memory import recall_elements
from polycontact.kernels.contact.element_motion import find_motion, into_e
from polycontact.kernels.contact.element_table import ElementTable
from polycontact.kernels.contact.friction_load import find_friction_loads
from polycontact.kernels.geometry.frames import as_vector
from polycontact.kernels.geometry.vectors import Vector, add, cross, norm, row, sub
from polycontact.kernels.jit import kernel
from polycontact.kernels.views import Doubles


@kernel
def _push_along_normals(elements: ElementTable) -> None:
    """Force of every element from its normal force alone."""
    normal = elements.normal_force
    force = elements.force
    friction = elements.friction_force
    for k in range(elements.n):
        n_k = into_e(elements, k)
        friction[k] = 0.0
        for a in range(3):
            force[k, a] = normal[k] * n_k[a]


@kernel
def _sum_up(elements: ElementTable, pose: Pose, report: ContactReport, wrench: Doubles) -> None:
    """Force and torque at marker F, eqs (22) to (24), and the contact in a few numbers: (6).

    With both surfaces as bases each element counts half: ``share`` is ½ then. Pressure is that of the whole load. Where
    the depth varies over an element, its peak is higher than its mean depth.
    """
    r = as_vector(pose.position)
    share = elements.share
    areas = elements.area
    depths = elements.depth
    peaks = elements.peak
    normal = elements.normal_force
    elastic = elements.elastic_force
    energy = elements.energy
    friction = elements.friction_force
    approach = elements.approach
    slips = elements.slip
    positions = elements.position
    forces = elements.force
    force: Vector = (0.0, 0.0, 0.0)
    torque: Vector = (0.0, 0.0, 0.0)
    area = 0.0
    deepest = 0.0
    highest = 0.0
    stored = 0.0
    damped = 0.0
    rubbed = 0.0
    for k in range(elements.n):
        f_k = row(forces, k)
        force = add(force, f_k)  # (23)
        torque = add(torque, cross(sub(row(positions, k), r), f_k))  # (22), (24)
        area += share * areas[k]
        peak = max(peaks[k], 1.0)
        deepest = max(deepest, peak * depths[k])
        highest = max(highest, (1.0 if elements.is_even == 1 else peak) * normal[k] / (share * areas[k]))
        stored += energy[k]
        damped += (normal[k] - elastic[k]) * approach[k]
        if friction[k] > 0.0:
            rubbed += friction[k] * norm(row(slips, k))
    for a in range(3):
        wrench[a] = force[a]
        wrench[3 + a] = torque[a]
    report.area = area
    report.depth = deepest
    report.pressure = highest
    report.energy = stored
    report.damping_power = damped
    report.friction_power = rubbed


@kernel
def _add_spin(elements: ElementTable, report: ContactReport, wrench: Doubles) -> None:
    """Torques about the common normals at the elements (S4.37), and what they lose."""
    torques = elements.spin_torque
    losses = elements.spin_loss
    for k in range(elements.n):
        n_k = row(elements.common_normal, k)
        report.friction_power += losses[k]
        for a in range(3):
            wrench[3 + a] += torques[k] * n_k[a]


@kernel
def _add_layer_losses(elements: ElementTable, report: ContactReport) -> None:
    """What layers lose besides damping, as their laws tell it."""
    losses = elements.layer_loss
    lost = 0.0
    for k in range(elements.n):
        lost += losses[k]
    report.layer_power = lost


@kernel
def _apply(law: LawPart, row: int, elements: ElementTable) -> None:
    """Let a law find its forces, with what it remembers of the elements at hand; one that keeps them looks itself."""
    if law.memory.width > 0 and law.memory.keeps == 0.0:
        recall_elements(elements, law.memory)
    call_law(law.stage, row, law.place)


@kernel
def find_forces(
    row: int, laws: Laws, pose: Pose, elements: ElementTable, report: ContactReport, wrench: Doubles
) -> None:
    """Wrench of all elements into ``wrench`` (6), N and N m; ``row``: address of the evaluation, for its laws.

    Nothing happens where there are none, or where a buffer was too small for them.
    """
    report.n_elements = elements.n
    if elements.n == 0 or report.status & OVERFLOW:
        return
    find_motion(elements, pose, laws.split_e)  # (1)
    elements.spins = 0
    elements.loses = 0
    elements.is_even = 0
    _apply(laws.normal, row, elements)  # (2)
    _push_along_normals(elements)  # (3)
    find_friction_loads(elements)  # (4)
    if laws.tangential.stage != 0:  # (5)
        _apply(laws.tangential, row, elements)
    _sum_up(elements, pose, report, wrench)  # (6)
    if elements.spins != 0:
        _add_spin(elements, report, wrench)
    if elements.loses != 0:
        _add_layer_losses(elements, report)
