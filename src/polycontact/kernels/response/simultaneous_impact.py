"""Impacts of several contacts at one instant, all at once (S2.20).

Compression brings every contact to u_n ≥ 0 ⟂ p_n ≥ 0 with Coulomb friction. Restitution follows by one of three
hypotheses; a contact whose compression takes less than the rest speed has none.

The energetic hypothesis and its bound. Compression by the impulses c takes the velocities from u to v = u + W c with
cᵀv = -d, where d ≥ 0 is Σ μ c_n |v_t|: normal parts are complementary. The energy falls by

    E_c = cᵀu + ½ cᵀW c = -d - ½ Q,   Q = cᵀW c,

½ Q being what one contact alone would have stored. Restitution by r adds rᵀv + ½ rᵀW r. With r = e c, one e for all,
that is -e d + ½ e² Q, and the whole impact changes the energy by

    -(1 + e) d - ½ (1 - e²) Q ≤ 0.

Restitution that gives back no more than ½ e² Q, e being the largest of the contacts, hence never makes energy. That is
required here: of the impulses r with r_n = e_i c_n or more, u_n ≥ 0 and friction anew, where they give back more, only
as large a share is taken, and s e_i c for the rest, with the largest s ≤ 1 for which these keep to the bound. Both lie
in the cones, hence also what is between.

    (1) Newton's hypothesis: one problem, with the approach speeds reversed (`_reverse`)
    (2) else compression: one problem without restitution (`compress`)
    (3) restitution: one problem whose normal impulses have floors e_i c_n (Poisson's hypothesis)
    (4) energetic hypothesis: (3), kept to the bound (`_keep_to_the_bound`)
"""

from __future__ import annotations

import math

from polycontact.kernels.jit import kernel
from polycontact.kernels.response.codes import Hypothesis
from polycontact.kernels.response.contact_system import ContactSystem, block_entry, find_coordinates, find_velocities
from polycontact.kernels.response.response_views import ResponseMemory, SolverSettings
from polycontact.kernels.response.solve_contacts import solve_contacts
from polycontact.kernels.views import Doubles
from polycontact.tolerances import UNSOLVED_IMPACT


@kernel
def impact_of_all(
    system: ContactSystem,
    mu: Doubles,
    e: Doubles,
    hypothesis: int,
    p: Doubles,
    rest_speed: float,
    settings: SolverSettings,
    memory: ResponseMemory,
) -> None:
    """Add to p (3n, N s) the impulses of one impact of all contacts, which approach with ``memory.velocity``."""
    if hypothesis == Hypothesis.NEWTON:  # (1)
        _reverse(system, mu, e, p, rest_speed, settings, memory)
        return
    compress(system, mu, p, settings, memory)  # (2)
    if _set_floors(system, mu, e, rest_speed, memory):
        n = mu.shape[0]
        r, v, floor = memory.restitution[: 3 * n], memory.shifted[: 3 * n], memory.floor[:n]
        find_velocities(system, memory.velocity[: 3 * n], memory.compression[: 3 * n], memory.z, v)
        r[:] = 0.0
        steps, residual = solve_contacts(system, v, mu, floor, r, settings, memory.work)  # (3)
        _note(memory, steps, residual)
        if hypothesis == Hypothesis.ENERGETIC:  # (4)
            _keep_to_the_bound(system, n, v, memory)
        for k in range(3 * n):
            p[k] += r[k]


@kernel
def compress(system: ContactSystem, mu: Doubles, p: Doubles, settings: SolverSettings, memory: ResponseMemory) -> float:
    """Add the impulses of compression to p: no contact approaches any more; returns the residual (m/s).

    They are left in ``memory.compression``. Where the problem was not solved they are made so small that the energy
    does not rise.
    """
    m = p.shape[0]
    c, u = memory.compression[:m], memory.velocity[:m]
    c[:] = 0.0
    steps, residual = solve_contacts(system, u, mu, mu[:0], c, settings, memory.work)
    _note(memory, steps, residual)
    find_coordinates(system, c, memory.z)
    stored, work = inner_product(memory.z, memory.z, system.width), inner_product(c, u, m)
    if not work + 0.5 * stored <= 0.0:
        share = max(-work / stored, 0.0) if stored > 0.0 else 0.0
        for k in range(m):
            c[k] *= share
    for k in range(m):
        p[k] += c[k]
    return residual


@kernel
def _note(memory: ResponseMemory, steps: int, residual: float) -> None:
    """Remember what a problem has cost and how well it was solved."""
    memory.report.steps += steps
    memory.report.residual = max(memory.report.residual, residual)


@kernel
def _set_floors(system: ContactSystem, mu: Doubles, e: Doubles, rest_speed: float, memory: ResponseMemory) -> bool:
    """Normal impulses of restitution by Poisson's hypothesis, and whether there are any.

    The speed of an impact is W_nn c_n, that which the impulse alone would stop: a ball at rest between two others
    takes part though it does not approach.
    """
    any_at_all = False
    for i in range(mu.shape[0]):
        impulse = memory.compression[3 * i]
        bounces = impulse > 0.0 and e[i] > 0.0 and block_entry(system, 3 * i, 3 * i) * impulse >= rest_speed
        memory.floor[i] = e[i] * impulse if bounces else 0.0
        any_at_all = any_at_all or bounces
    return any_at_all


@kernel
def _keep_to_the_bound(system: ContactSystem, n: int, v: Doubles, memory: ResponseMemory) -> None:
    """Replace restitution r that gives back more than the bound by what keeps to it; v: velocities after compression.

    Instead of r, s x + θ (r - s x) with x = e c: the energy that it gives back is quadratic, first in s, then in θ.
    """
    c, r, x, floor, m = memory.compression, memory.restitution, memory.scaled, memory.floor, 3 * n
    find_coordinates(system, c, memory.z)
    stored = inner_product(memory.z, memory.z, system.width)
    largest = 0.0
    for i in range(n):
        e = floor[i] / c[3 * i] if floor[i] > 0.0 else 0.0
        largest = max(largest, e)
        for k in range(3 * i, 3 * i + 3):
            x[k] = e * c[k]
    allowed = min(0.5 * largest * largest * stored, max(-inner_product(c, memory.velocity, m) - 0.5 * stored, 0.0))
    find_coordinates(system, r, memory.z)
    whole, across = inner_product(r, v, m), inner_product(memory.z, memory.z, system.width)
    if whole + 0.5 * across <= allowed:
        return
    find_coordinates(system, x, memory.other)
    linear, mixed = inner_product(x, v, m), inner_product(memory.z, memory.other, system.width)
    square = inner_product(memory.other, memory.other, system.width)
    s = _largest_share(0.5 * square, max(linear, 0.0), allowed)
    a = 0.5 * (across - 2.0 * s * mixed + s * s * square)
    b = whole - s * linear + s * (mixed - s * square)
    theta = _largest_share(a, b, allowed - s * linear - 0.5 * s * s * square)
    for k in range(m):
        r[k] = theta * r[k] + (1.0 - theta) * s * x[k]


@kernel
def inner_product(x: Doubles, y: Doubles, n: int) -> float:
    """Inner product xᵀ y of the first n entries."""
    total = 0.0
    for i in range(n):
        total += x[i] * y[i]
    return total


@kernel
def _largest_share(a: float, b: float, allowed: float) -> float:
    """The largest x between 0 and 1 with a x² + b x ≤ allowed, for a ≥ 0 and allowed ≥ 0."""
    if a + b <= allowed:
        return 1.0
    allowed = max(allowed, 0.0)
    inside = math.sqrt(max(b * b + 4.0 * a * allowed, 0.0))
    if b >= 0.0:
        return min(2.0 * allowed / (b + inside), 1.0) if b + inside > 0.0 else 0.0
    return min((inside - b) / (2.0 * a), 1.0) if a > 0.0 else 1.0


@kernel
def _reverse(
    system: ContactSystem,
    mu: Doubles,
    e: Doubles,
    p: Doubles,
    rest_speed: float,
    settings: SolverSettings,
    memory: ResponseMemory,
) -> None:
    """Newton's hypothesis: u_n + e u_n⁻ ≥ 0 ⟂ p_n ≥ 0 where a contact approached with u_n⁻ (Moreau 1988).

    Friction may jam a mechanism so that no impulses would separate its contacts; then they are only stopped.
    """
    m = p.shape[0]
    b, r = memory.shifted[:m], memory.restitution[:m]
    b[:] = memory.velocity[:m]
    r[:] = 0.0
    fastest = 0.0
    for i in range(mu.shape[0]):
        fastest = max(fastest, -b[3 * i])
        if -b[3 * i] >= rest_speed and b[3 * i] < 0.0:
            b[3 * i] *= 1.0 + e[i]
    steps, residual = solve_contacts(system, b, mu, mu[:0], r, settings, memory.work)
    _note(memory, steps, residual)
    if residual > UNSOLVED_IMPACT * fastest + settings.tolerance:
        compress(system, mu, p, settings, memory)
        return
    for k in range(m):
        p[k] += r[k]
