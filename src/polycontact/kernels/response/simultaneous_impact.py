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
from polycontact.kernels.response.quadratic_forms import find_velocity, inner_product, quadratic_form
from polycontact.kernels.response.response_views import ResponseMemory, SolverSettings
from polycontact.kernels.response.solve_contacts import solve_contacts, solve_contacts_above
from polycontact.kernels.views import Doubles
from polycontact.tolerances import UNSOLVED_IMPACT


@kernel
def impact_of_all(
    W: Doubles,
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
        _reverse(W, mu, e, p, rest_speed, settings, memory)
        return
    compress(W, mu, p, settings, memory)  # (2)
    if _set_floors(W, mu, e, rest_speed, memory):
        n = mu.shape[0]
        c, r, v = memory.compression[: 3 * n], memory.restitution[: 3 * n], memory.shifted[: 3 * n]
        find_velocity(W, memory.velocity[: 3 * n], c, v)
        r[:] = 0.0
        for i in range(n):  # (3)
            r[3 * i] = memory.floor[i]
        sweeps, residual, _ = solve_contacts_above(W, v, mu, memory.floor[:n], r, settings, memory)
        _note(memory, sweeps, residual)
        if hypothesis == Hypothesis.ENERGETIC:  # (4)
            _keep_to_the_bound(W, memory.velocity[: 3 * n], v, c, memory.floor[:n], r)
        for k in range(3 * n):
            p[k] += r[k]


@kernel
def compress(W: Doubles, mu: Doubles, p: Doubles, settings: SolverSettings, memory: ResponseMemory) -> float:
    """Add the impulses of compression to p: no contact approaches any more; returns the residual (m/s).

    They are left in ``memory.compression``. Where the problem was not solved they are made so small that the energy
    does not rise.
    """
    m = p.shape[0]
    c, u = memory.compression[:m], memory.velocity[:m]
    c[:] = 0.0
    sweeps, residual, _ = solve_contacts(W, u, mu, c, settings, memory)
    _note(memory, sweeps, residual)
    stored, work = quadratic_form(W, c, c), inner_product(c, u)
    if not work + 0.5 * stored <= 0.0:
        share = max(-work / stored, 0.0) if stored > 0.0 else 0.0
        for k in range(m):
            c[k] *= share
    for k in range(m):
        p[k] += c[k]
    return residual


@kernel
def _note(memory: ResponseMemory, sweeps: int, residual: float) -> None:
    """Remember what a problem has cost and how well it was solved."""
    memory.report.sweeps += sweeps
    memory.report.residual = max(memory.report.residual, residual)


@kernel
def _set_floors(W: Doubles, mu: Doubles, e: Doubles, rest_speed: float, memory: ResponseMemory) -> bool:
    """Normal impulses of restitution by Poisson's hypothesis, and whether there are any.

    The speed of an impact is W_nn c_n, that which the impulse alone would stop: a ball at rest between two others
    takes part though it does not approach.
    """
    any_at_all = False
    for i in range(mu.shape[0]):
        impulse = memory.compression[3 * i]
        bounces = impulse > 0.0 and e[i] > 0.0 and W[3 * i, 3 * i] * impulse >= rest_speed
        memory.floor[i] = e[i] * impulse if bounces else 0.0
        any_at_all = any_at_all or bounces
    return any_at_all


@kernel
def _keep_to_the_bound(W: Doubles, u: Doubles, v: Doubles, c: Doubles, floor: Doubles, r: Doubles) -> None:
    """Replace restitution r that gives back more than the bound by what keeps to it; u before, v after compression."""
    stored = quadratic_form(W, c, c)
    largest = 0.0
    for i in range(floor.shape[0]):
        if floor[i] > 0.0:
            largest = max(largest, floor[i] / c[3 * i])
    allowed = min(0.5 * largest * largest * stored, max(-inner_product(c, u) - 0.5 * stored, 0.0))
    if inner_product(r, v) + 0.5 * quadratic_form(W, r, r) <= allowed:
        return
    # Instead of r, s e c + θ (r - s e c): the energy that it gives back is quadratic, first in s, then in θ.
    linear, square, mixed = _form_of_scaled(W, v, c, floor, r)
    s = _largest_share(0.5 * square, max(linear, 0.0), allowed)
    whole, across = inner_product(r, v), quadratic_form(W, r, r)
    a = 0.5 * (across - 2.0 * s * mixed + s * s * square)
    b = whole - s * linear + s * (mixed - s * square)
    theta = _largest_share(a, b, allowed - s * linear - 0.5 * s * s * square)
    for i in range(floor.shape[0]):
        ratio = s * floor[i] / c[3 * i] if floor[i] > 0.0 else 0.0
        for k in range(3 * i, 3 * i + 3):
            r[k] = theta * r[k] + (1.0 - theta) * ratio * c[k]


@kernel
def _form_of_scaled(W: Doubles, v: Doubles, c: Doubles, floor: Doubles, r: Doubles) -> tuple[float, float, float]:
    """xᵀv, xᵀW x and xᵀW r of x = e c, contact by contact."""
    linear, square, mixed = 0.0, 0.0, 0.0
    for i in range(floor.shape[0]):
        if not floor[i] > 0.0:
            continue
        e_i = floor[i] / c[3 * i]
        for k in range(3 * i, 3 * i + 3):
            own, other = 0.0, 0.0
            for j in range(floor.shape[0]):
                e_j = floor[j] / c[3 * j] if floor[j] > 0.0 else 0.0
                for a in range(3 * j, 3 * j + 3):
                    own += W[k, a] * e_j * c[a]
                    other += W[k, a] * r[a]
            linear += e_i * c[k] * v[k]
            square += e_i * c[k] * own
            mixed += e_i * c[k] * other
    return linear, square, mixed


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
    W: Doubles,
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
    sweeps, residual, _ = solve_contacts(W, b, mu, r, settings, memory)
    _note(memory, sweeps, residual)
    if residual > UNSOLVED_IMPACT * fastest + settings.tolerance:
        compress(W, mu, p, settings, memory)
        return
    for k in range(m):
        p[k] += r[k]
