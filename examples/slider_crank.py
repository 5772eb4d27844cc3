"""A slider-crank mechanism, a closed loop: the slider moves as the closed form says, and the drive's work is balanced.

Crank and rod are a chain of joints, the slider sits on a guide of its own; a loop ties the rod to it. The pin between
crank and rod is a universal joint, so that the loop takes away just as much freedom as there is.

    python examples/slider_crank.py
"""

import math

import numpy as np

import polycontact as pc

CRANK, ROD = 0.1, 0.3  # m
SPEED = 2.0 * math.pi  # rad/s


def main() -> float:
    """Simulate two turns; return the largest deviation of the slider from its closed form, m."""
    system = pc.MultibodySystem("slider-crank", gravity=(0.0, -9.81, 0.0))
    system.add_body("crank", mass=0.2, centre=(CRANK / 2, 0.0, 0.0), inertia=(1e-4, 2e-4, 2e-4))
    system.add_body("rod", mass=0.4, centre=(ROD / 2, 0.0, 0.0), inertia=(1e-4, 3e-3, 3e-3))
    system.add_body("slider", mass=0.5, inertia=(1e-3, 1e-3, 1e-3))
    system.add_joint("bearing", "revolute", "world", "crank", motion=pc.multibody.ConstantVelocity(SPEED))
    system.add_joint(
        "crank pin",
        "universal",
        "crank",
        "rod",
        at=(CRANK, 0.0, 0.0),
        second_axis=(0.0, 1.0, 0.0),
        speeds=(-SPEED * (1.0 + CRANK / ROD), 0.0),
    )
    system.add_joint("guide", "prismatic", "world", "slider", axis=(1.0, 0.0, 0.0), coordinates=CRANK + ROD)
    system.add_loop("slider pin", "spherical", "rod", "slider", at_a=(ROD, 0.0, 0.0))

    run = pc.simulate(system, end_time=2.0, rtol=1e-7, atol=1e-8)
    angle = SPEED * run.trajectory.time
    expected = CRANK * np.cos(angle) + np.sqrt(ROD**2 - (CRANK * np.sin(angle)) ** 2)
    found = run.trajectory.body("slider").position[:, 0]
    worst = float(np.abs(found - expected).max())
    ledger = run.ledger
    print(f"stroke {1e3 * np.ptp(found):.3f} mm, off by {worst:.0e} m at most")
    print(f"the drive gives and takes up to {np.abs(ledger['input']).max():.3f} J; ", end="")
    print(f"the balance is off by {1e6 * ledger.worst_balance:.2f} µJ at most")
    return worst


if __name__ == "__main__":
    main()
