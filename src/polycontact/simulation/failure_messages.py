"""What to say when an integration cannot go on: when, which body, which contact, what to try."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from polycontact.errors import IntegrationError
from polycontact.multibody.compiled import CompiledSystem


def explained(error: IntegrationError, compiled: CompiledSystem, y: NDArray[np.float64], trouble: str) -> str:
    """The integrator's message with the body that accelerates most and the contact that pushes most."""
    parts = [str(error)]
    if trouble:
        parts.append(trouble)
    rates = np.zeros(compiled.n_states)
    try:
        compiled.rates(error.time if np.isfinite(error.time) else 0.0, np.array(y), rates)
    except Exception as second:  # also of a user's force: it must not hide the first one
        parts.append(str(second))
        return "; ".join(parts)
    if not trouble:
        parts.append(not_finite(compiled, error.time))
    parts += [_fastest_body(compiled), _strongest_contact(compiled)]
    return "; ".join(part for part in parts if part)


def not_finite(compiled: CompiledSystem, t: float) -> str:
    """Which body has an acceleration that is no number, after an evaluation at t (s)."""
    finite = np.isfinite(compiled.view.bodies.acceleration[1:]).all(axis=1)
    if finite.all():
        return ""
    body = compiled.setup.joints[int(finite.argmin())].child
    return f"the acceleration of body {body!r} is not finite at t = {t:.9g} s"


def _fastest_body(compiled: CompiledSystem) -> str:
    accelerations = np.linalg.norm(compiled.view.bodies.acceleration[1:, 3:], axis=1)
    if not len(accelerations) or not np.isfinite(accelerations).all():
        return ""
    body = int(accelerations.argmax())
    return (
        f"the greatest acceleration is that of body {compiled.setup.joints[body].child!r}, "
        f"{accelerations[body]:.3g} m/s²"
    )


def _strongest_contact(compiled: CompiledSystem) -> str:
    forces = np.linalg.norm(compiled.view.contacts.wrench[:, :3], axis=1)
    if not len(forces) or not forces.max() > 0.0:
        return "no contact is active"
    pair = int(forces.argmax())
    depth = compiled.view.contacts.depth[pair]
    return (
        f"the strongest contact is {compiled.contacts[pair].name!r} with {forces[pair]:.4g} N and a depth of "
        f"{1e3 * depth:.3g} mm"
    )
