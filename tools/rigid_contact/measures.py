"""What a run of a scene that must stand shows: energy, ways, loads."""

from __future__ import annotations

import numpy as np

import polycontact as pc
from tools.rigid_contact.scenes import Scene


def energy_gained(run: pc.Run) -> float:
    """Greatest rise of kinetic energy and energy of gravity above the start, as a share of what was there.

    Samples within a step of an impulse response have speeds of its end: the start's own step is left out.
    """
    total = run.ledger["kinetic"] + run.ledger["gravity"]
    return float((total - total[0]).max() / (abs(total[0]) + run.ledger["kinetic"].max()))


def distance_moved(scene: Scene, run: pc.Run) -> float:
    """How far a block is at most from where it began, at the end, m."""
    bodies = [run.trajectory.body(each.name).position for each in scene.moving]
    return max(float(np.linalg.norm(place[-1] - place[0])) for place in bodies)


def borne(scene: Scene, run: pc.Run) -> float:
    """Vertical force (N) of all that is fixed on all that is not, at the end."""
    fixed = {"floor", *(each.name for each in scene.blocks if each.fixed)}
    total = 0.0
    for name in run.trajectory.pairings:
        e, f = name.split("–")
        if (e in fixed) != (f in fixed):
            force = np.asarray(run.trajectory.pairing(name).force[-1])
            rotation = np.asarray(run.trajectory.body(e).rotation[-1]) if e not in fixed else np.eye(3)
            total += float((rotation @ force)[2]) * (-1.0 if e in fixed else 1.0)
    return total
