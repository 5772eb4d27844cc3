"""What to say when an integration cannot go on: when, which body, which contact, what to try."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from polycontact.errors import IntegrationError
from polycontact.multibody.evaluation import Evaluation
from polycontact.multibody.evaluator import Evaluator
from polycontact.multibody.system_setup import SystemSetup


def explained(
    error: IntegrationError, setup: SystemSetup, evaluator: Evaluator, y: NDArray[np.float64], trouble: str
) -> str:
    """The integrator's message with the body that accelerates most and the contact that pushes most at state y."""
    parts = [str(error)]
    if trouble:
        parts.append(trouble)
    try:
        found = evaluator.evaluate(error.time if np.isfinite(error.time) else 0.0, np.array(y))
    except Exception as second:  # also of a user's force: it must not hide the first one
        parts.append(str(second))
        return "; ".join(parts)
    if not trouble:
        parts.append(not_finite(setup, found.acceleration, error.time))
    parts += [_fastest_body(setup, found), _strongest_contact(setup, found)]
    return "; ".join(part for part in parts if part)


def not_finite(setup: SystemSetup, acceleration: NDArray[np.float64], t: float) -> str:
    """Which body has an acceleration (n_bodies, 6) that is no number at t (s)."""
    finite = np.isfinite(acceleration[1:]).all(axis=1)
    if finite.all():
        return ""
    body = setup.joints[int(finite.argmin())].child
    return f"the acceleration of body {body!r} is not finite at t = {t:.9g} s"


def _fastest_body(setup: SystemSetup, found: Evaluation) -> str:
    accelerations = np.linalg.norm(found.acceleration[1:, 3:], axis=1)
    if not len(accelerations) or not np.isfinite(accelerations).all():
        return ""
    body = int(accelerations.argmax())
    return f"the greatest acceleration is that of body {setup.joints[body].child!r}, {accelerations[body]:.3g} m/s²"


def _strongest_contact(setup: SystemSetup, found: Evaluation) -> str:
    forces = np.linalg.norm(found.contacts.wrench[:, :3], axis=1)
    if not len(forces) or not forces.max() > 0.0:
        return "no contact is active"
    pair = int(forces.argmax())
    depth = found.contacts.depth[pair]
    return (
        f"the strongest contact is {setup.contacts[pair].name!r} with {forces[pair]:.4g} N and a depth of "
        f"{1e3 * depth:.3g} mm"
    )
