"""What the half-space law costs beside the layer law: `python -m tools.half_space_speed`.

A ball on a plate that moves by a ten-thousandth of its depth from call to call (coherent), and by a tenth of it (the
elements that carry change), with up to some thousands of elements. Ratios count, never a single time.
"""

from __future__ import annotations

import time

import numpy as np

import polycontact as pc

RADIUS = 0.05
CALLS = 40
CASES = ((4, 1e-3), (5, 1e-3), (5, 2e-3), (6, 1e-3), (6, 2e-3), (6, 4e-3), (7, 2e-3))
"""Subdivisions of the ball, and depths, m."""


def microseconds(pairing: pc.ContactPairing, depth: float, change: float) -> float:
    """Median CPU time of a call, µs, while the depth goes up and down by a share of itself."""
    rotation, position = np.eye(3), np.array([1.5e-5, 1e-5, 0.0])
    taken: list[float] = []
    calls = CALLS
    while len(taken) < calls:
        position[2] = depth * (1.0 + change * (len(taken) % 5 - 2)) - RADIUS
        start = time.process_time_ns()
        pairing.wrench(rotation, position)
        taken.append(1e-3 * (time.process_time_ns() - start))
        if sum(taken) > 4e6:
            calls = len(taken)
    return float(np.median(taken[1:] or taken))


def main() -> None:
    """Print a row for each contact."""
    print("elements that overlap, that carry    layer µs    half-space µs: coherent, ratio    moving, ratio")
    plate = pc.shapes.plane(0.2)
    half_space = pc.HalfSpaceLaw(youngs_modulus=210e9, poissons_ratio=0.3)
    for subdivisions, depth in CASES:
        ball = pc.shapes.sphere(RADIUS, subdivisions).balanced()
        layer, solid = (
            pc.ContactPairing(ball, plate, base=pc.Base.E, law=law) for law in (pc.LayerLaw(stiffness=1e12), half_space)
        )
        pose = pc.RelativeKinematics(position=(1.5e-5, 1e-5, depth - RADIUS))
        counts = [len(pairing.evaluate(pose).elements) for pairing in (layer, solid)]
        usual = microseconds(layer, depth, 1e-4)
        coherent, moving = microseconds(solid, depth, 1e-4), microseconds(solid, depth, 0.1)
        print(
            f"{counts[0]:24}{counts[1]:12}{usual:12.0f}{coherent:26.0f}{coherent / usual:7.1f}{moving:12.0f}"
            f"{moving / usual:7.1f}",
            flush=True,
        )


if __name__ == "__main__":
    main()
