"""What bodies cost that are far from each other: one evaluation of the right-hand side of many."""

from __future__ import annotations

import statistics

import numpy as np

from polycontact.comparison.clock import Clock
from polycontact.contact.laws import LayerLaw
from polycontact.multibody.multibody_system import MultibodySystem
from polycontact.surfaces.shapes import bubble


def time_far_bodies(clock: Clock, n_bodies: int, samples: int) -> float:
    """Time of an evaluation for each of ``n_bodies`` bubbles on a grid, all pairs of which may touch, µs."""
    system = MultibodySystem("far apart")
    surface = bubble()
    side = int(np.ceil(n_bodies ** (1 / 3)))
    for i in range(n_bodies):
        place = np.array([i % side, (i // side) % side, i // side**2], dtype=np.float64)
        system.add_body(
            f"bubble {i}",
            surface=surface,
            mass=2.0,
            inertia=(0.02, 0.01, 0.02),
            position=place,
            angular_velocity=(1.0, 0.5, 0.2),
        )
    system.find_contacts(law=LayerLaw(stiffness=5.9e5))
    compiled = system.compile()
    y = compiled.start_state()
    out = np.zeros(compiled.n_states)
    compiled.rates(0.0, y, out)
    times = [clock.time([lambda: compiled.rates(0.0, y, out)] * 20)[0] for _ in range(samples)]
    return statistics.median(times) / n_bodies
