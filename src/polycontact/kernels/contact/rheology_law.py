"""Layers that relax, creep and keep dents: normal forces of the elements (docs: equations, "Layers that remember").

Problem: what a layer answers depends on how it was pressed before. In: elements with area A and mean depth u, the time,
and what is remembered of each element from the last accepted step. Out: normal forces, energy, power lost, and what is
to be remembered when the step is accepted.

    u = e + d_1 + d_2        both layers together: a linear network, pressed in by e, in series with a slider of each
                             body, which has left a dent d_i; the same pressure p acts on all of them

         ┌── spring c∞ ──────────────┐
      ───┼── spring c_j ── dashpot ──┼──[ slider 1 ]──[ slider 2 ]───      p = c∞ e + Σ c_j (e − q_j)
         └── …                       ┘                                     q_j' = (e − q_j)/τ_j
                                                                           p ≤ σ_i + H_i d_i, else d_i grows

Within a step e is taken to change evenly, from where the last accepted step left it. The dashpots q_j then follow in
closed form, and p is linear in e at the present time: p = α e + β. So the force is a function of state and time alone,
for any length of the step, and integrators may try what they like.

All of it belongs to triangles of the base, whatever parts or cells of them are elements at a pose, and is counted in
volumes (depth times area): area that comes into contact has not been pressed yet and adds none; from area that leaves
its share goes. Cases of a triangle:

    (1) it was there before                                       -> what is remembered, by its share of the area
    (2) it was left alone for some time meanwhile                 -> recovered without load, dents healed
    (3) the pressure would pull                                   -> the other body has left the surface: p = 0
    (4) it is above what a slider bears                           -> that slider yields; then, maybe, the other one too
"""

from __future__ import annotations

import math
from typing import NamedTuple

from numba import types

from polycontact.kernels.addresses import address_of
from polycontact.kernels.contact.contact_header import ElementMemory, as_header, as_law
from polycontact.kernels.contact.contact_report import ContactReport
from polycontact.kernels.contact.element_memory import element_key, find_sibling, same_triangle
from polycontact.kernels.contact.element_table import ElementTable
from polycontact.kernels.geometry.sorting import sort_rows
from polycontact.kernels.jit import apart_kernel, entry_kernel, inline_kernel, kernel
from polycontact.kernels.views import Doubles, View, cast_to, count, doubles, number
from polycontact.tolerances import AT_THE_LIMIT, RECOVERY_STEPS

AREA = 1
"""Column of what is remembered: area (m²) of the triangle in contact. Column 0 tells whether anything is left of it."""
PRESSED = 2
"""Column of the volume by which the network is pressed in; those of its dashpots follow, then those of the dents."""


class RheologyParameters(View):
    """Two layers in series: a linear network and sliders."""

    n = count("branches with a dashpot")
    n_sliders = count("sliders: bodies that keep dents")
    spring = number("c∞: stiffness that does not relax", "N/m³")
    instant = number("c_0 = c∞ + Σ c_j: stiffness at once", "N/m³")
    damping = number("d_l of bodies that approach", "N s/m³")
    damping_out = number("d_l of bodies that depart", "N s/m³")
    transition_depth = number("u_d: damping fades in down to this depth", "m")
    stiffness = doubles("n", doc="c_j", unit="N/m³")
    time = doubles("n", doc="τ_j", unit="s")
    yields = doubles("n_sliders", doc="σ_i", unit="Pa")
    hardening = doubles("n_sliders", doc="H_i: pressure by depth of the dent", unit="N/m³")
    healing = doubles("n_sliders", doc="time in which a dent without load fades to 1/e, may be infinite", unit="s")


as_rheology_parameters = cast_to(RheologyParameters)


@kernel
def _find_decays(own: RheologyParameters, duration: float, decays: Doubles) -> float:
    """What is left of each branch after a duration (s), x = exp(−duration/τ), and its mean m meanwhile, two by two.

    Returns α (N/m³): how much the pressure grows with the depth at its end.
    """
    alpha = own.spring
    for j in range(own.n):
        through = duration / own.time[j]
        less = math.expm1(-through)
        mean = -less / through if through > 0.0 else 1.0
        decays[2 * j] = 1.0 + less
        decays[2 * j + 1] = mean
        alpha += own.stiffness[j] * mean
    return alpha


@inline_kernel
def _relaxed(own: RheologyParameters, kept: Doubles, decays: Doubles) -> float:
    """β (N) of f = α E + β at the end of a duration with these decays; E: volume by which the network is pressed then.

    Of a branch pressed evenly from E_c to E: Q = x Q_c + (m − x) E_c + (1 − m) E.
    """
    beta = 0.0
    for j in range(own.n):
        left, mean = decays[2 * j], decays[2 * j + 1]
        beta -= own.stiffness[j] * (left * kept[PRESSED + 1 + j] + (mean - left) * kept[PRESSED])
    return beta


@inline_kernel
def _press_network(own: RheologyParameters, kept: Doubles, decays: Doubles, pressed: float) -> float:
    """Let the network be pressed evenly to a volume within a duration with these decays; returns Σ c_j Q_j', N/s.

    That is how fast the force falls while the depth stays.
    """
    relaxing = 0.0
    for j in range(own.n):
        left, mean = decays[2 * j], decays[2 * j + 1]
        q = left * kept[PRESSED + 1 + j] + (mean - left) * kept[PRESSED] + (1.0 - mean) * pressed
        kept[PRESSED + 1 + j] = q
        relaxing += own.stiffness[j] * (pressed - q) / own.time[j]
    kept[PRESSED] = pressed
    return relaxing


@apart_kernel
def _recover(own: RheologyParameters, kept: Doubles, duration: float, decays: Doubles) -> None:
    """Without load for a duration (s): the surface comes back as the dashpots let it, and dents heal: (2)."""
    if own.n > 0:
        alpha = _find_decays(own, duration / RECOVERY_STEPS, decays)
        for _ in range(RECOVERY_STEPS):
            _press_network(own, kept, decays, -_relaxed(own, kept, decays) / alpha)
    first = PRESSED + own.n + 2
    for i in range(own.n_sliders):
        kept[first + i] *= math.exp(-duration / own.healing[i])


@kernel
def _limit(own: RheologyParameters, kept: Doubles, area: float, alpha: float, trial: float) -> tuple[float, float]:
    """Force (N) that the sliders let through of a ``trial`` force without deeper dents, and how they give way: (4).

    Dents in ``kept`` grow. Of both sliders the weaker one yields first. The second number is Σ 1/H_i (m³/N) of those
    that do, infinite where one does not harden, 0 where none yields.
    """
    first = PRESSED + own.n + 2
    weak = 0
    limits = (
        own.yields[0] * area + own.hardening[0] * kept[first],
        own.yields[1] * area + own.hardening[1] * kept[first + 1] if own.n_sliders > 1 else math.inf,
    )
    if limits[1] < limits[0]:
        weak = 1
    low, high = min(limits[0], limits[1]), max(limits[0], limits[1])
    if trial < low * (1.0 - AT_THE_LIMIT):
        return trial, 0.0
    hardening = own.hardening[weak]
    dent = max(trial - low, 0.0) / (alpha + hardening)
    force = low + hardening * dent
    if force <= high:
        kept[first + weak] += dent
        return force, 1.0 / hardening if hardening > 0.0 else math.inf
    # Both yield; the weaker one hardens, else it would not let through as much.
    other = own.hardening[1 - weak]
    force = high
    give = math.inf
    if other > 0.0:
        give = 1.0 / hardening + 1.0 / other
        force = (trial + alpha * (low / hardening + high / other)) / (1.0 + alpha * give)
    dent = (force - low) / hardening
    kept[first + weak] += dent
    kept[first + 1 - weak] += (trial - force) / alpha - dent
    return force, give


@inline_kernel
def _by_share(own: RheologyParameters, kept: Doubles, area: float) -> float:
    """What is kept becomes that of the present area (m²): (1). Returns the share of the dents' area that it is."""
    if area < kept[AREA]:
        share = area / kept[AREA]
        for j in range(own.n + 1):
            kept[PRESSED + j] *= share
    if own.n_sliders == 0:
        return 1.0
    at = PRESSED + own.n + 1
    share = area / kept[at] if area < kept[at] else 1.0
    for i in range(own.n_sliders):
        kept[at + 1 + i] *= share
    return share


@kernel
def _take_kept(memory: ElementMemory, key: int, expected: int, kept: Doubles, start: float) -> int:
    """What is remembered of the triangle of an element with a key; a new one was left alone up to ``start`` (s).

    ``expected``: row in which it stands where the last triangles follow each other as before. Returns its row, or -1.
    """
    at = expected
    if at >= memory.n or not same_triangle(memory.keys[at], key):
        at = find_sibling(memory, key)
    for c in range(memory.width):
        kept[c] = 0.0 if at < 0 else memory.values[at, c]
    if at < 0:
        kept[memory.width - 1] = start
    return at


class Answer(NamedTuple):
    """What a triangle answers: force N, and how fast its surface would sink without load, m³/s."""

    force: float
    sinking: float


class Step(NamedTuple):
    """A step up to the present: where it began and the time now, s, decays of the branches, and α, N/m³."""

    start: float
    now: float
    decays: Doubles
    alpha: float


@kernel
def _press_triangle(
    own: RheologyParameters, kept: Doubles, step: Step, work: Doubles, area: float, volume: float, rising: float
) -> Answer:
    """Press a triangle in; ``kept`` becomes what is to be remembered of it.

    ``area`` m² in contact, ``volume`` of the overlap under it, m³, and how fast that grows (``rising``, m³/s).
    """
    share = _by_share(own, kept, area)  # (1)
    last = len(kept) - 1
    if step.start > kept[last]:  # (2)
        _recover(own, kept, step.start - kept[last], work)
    alpha = step.alpha

    # The network takes what the dents leave of the depth.
    dents = PRESSED + own.n + 2
    pressed = volume
    for i in range(own.n_sliders):
        pressed -= kept[dents + i]
    beta = _relaxed(own, kept, step.decays)
    force = alpha * pressed + beta
    give = 0.0
    if force < 0.0:  # (3)
        force = 0.0
        pressed = -beta / alpha
    elif own.n_sliders > 0:  # (4)
        force, give = _limit(own, kept, area, alpha, force)
        pressed = (force - beta) / alpha
    relaxing = _press_network(own, kept, step.decays, pressed)
    sinking = relaxing / own.instant
    if give > 0.0:
        left = max(rising - sinking, 0.0)
        sinking += left - (left / (1.0 + own.instant * give) if give < math.inf else 0.0)

    # What is to be remembered.
    remains = 0.0
    for j in range(own.n):
        remains += abs(kept[PRESSED + 1 + j])
    for i in range(own.n_sliders):
        remains += kept[dents + i]
        kept[dents + i] /= share
    if own.n_sliders > 0:
        kept[dents - 1] = max(kept[dents - 1], area)
    kept[0] = remains
    kept[AREA] = area
    kept[last] = step.now
    return Answer(force, sinking)


@kernel
def _write_element(elements: ElementTable, own: RheologyParameters, k: int, force: float, sinking: float) -> None:
    """Force, energy and loss of element k, which bears a ``force`` (N); its surface would sink with ``sinking`` (m/s).

    Damping acts beside both layers while they are pressed.
    """
    area = elements.area[k]
    weight = elements.share * elements.weight[k]
    approach = elements.approach[k]
    d_l = (own.damping if approach > 0.0 else own.damping_out) * (1.0 - elements.turned[k])
    if elements.depth[k] < own.transition_depth:
        d_l *= elements.depth[k] / own.transition_depth
    damping = d_l * area * approach if force > 0.0 else 0.0
    elements.elastic_force[k] = weight * force
    elements.normal_force[k] = weight * max(force + damping, 0.0)
    at_once = force / (own.instant * area) if area > 0.0 else 0.0
    elements.energy[k] = 0.5 * weight * force * at_once * (1.0 + elements.energy_rise[k])
    elements.layer_loss[k] = weight * force * sinking


@kernel
def press_remembering(
    elements: ElementTable, own: RheologyParameters, memory: ElementMemory, report: ContactReport
) -> None:
    """Normal and elastic force, energy and loss of every element; ``memory.trial`` gets what is to be remembered.

    The energy is what the layers would give back at once, p²/2c_0 per area. What else the bodies put in counts as lost
    from then on, p times the rate at which the unloaded surface sinks: dashpots may give a part of it back later.
    """
    elements.loses = 1
    order = memory.order
    for k in range(elements.n):
        order[k, 0] = element_key(elements, k)
        order[k, 1] = k
    sort_rows(order, memory.order_room, elements.n)
    work = memory.work
    now, start = report.time, min(report.step_start, report.time)
    step = Step(start, now, work[: 2 * own.n], _find_decays(own, now - start, work[: 2 * own.n]))
    at = -1
    first = 0
    while first < elements.n:
        # The elements of one triangle: it is pressed as a whole, and the force shared as their depths are.
        stop = first
        area = 0.0
        volume = 0.0
        rising = 0.0
        while stop < elements.n and same_triangle(order[stop, 0], order[first, 0]):
            k = order[stop, 1]
            area += elements.area[k]
            volume += elements.area[k] * elements.depth[k]
            rising += elements.area[k] * elements.approach[k]
            stop += 1
        kept = memory.trial[order[first, 1]]
        at = _take_kept(memory, order[first, 0], at + 1, kept, start)
        answer = Answer(0.0, 0.0)
        if area > 0.0:
            answer = _press_triangle(own, kept, step, work[2 * own.n :], area, volume, rising)
        for i in range(first, stop):
            k = order[i, 1]
            part = elements.area[k] * elements.depth[k] / volume if volume > 0.0 else 0.0
            _write_element(elements, own, k, part * answer.force, answer.sinking / area if area > 0.0 else 0.0)
            if i > first:
                for c in range(memory.width):
                    memory.trial[k, c] = kept[c]
        at += stop - first - 1 if at >= 0 else 0
        first = stop


@entry_kernel((types.int64, types.int64))
def press_remembering_at(row: int, law: int) -> int:
    """`press_remembering`, called with the addresses of a contact header and of a law's part."""
    header, part = as_header(row), as_law(law)
    press_remembering(header.elements, as_rheology_parameters(part.parameters), part.memory, header.report)
    return 0


PRESS_REMEMBERING_AT = address_of(press_remembering_at)
