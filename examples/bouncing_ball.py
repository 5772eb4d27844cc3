"""A ball falls on a plate and bounces without loss: its greatest depth and its height are those of an energy balance.

On a plane plate the force of a depth u is c V, with the volume V = π u² (R - u/3) of the cap that lies inside, and
the energy stored its integral, π c (R u³/3 - u⁴/12). In the lowest point all of m g (h + u) is stored there; back in
the air the ball rises to where it came from.

    python examples/bouncing_ball.py
"""

import math

import numpy as np

import polycontact as pc

RADIUS, DENSITY, HEIGHT = 0.05, 500.0, 0.2  # m, kg/m³, m above the plate
STIFFNESS = 2e6  # N/m³


def main() -> float:
    """Simulate one bounce; return the greatest depth divided by that of the energy balance."""
    system = pc.MultibodySystem("bouncing ball")
    ball = pc.shapes.sphere(RADIUS, subdivisions=5)
    mass = system.add_body("ball", surface=ball, density=DENSITY, position=(0.0, 0.0, RADIUS + HEIGHT)).mass
    plate = pc.shapes.box(size=(0.4, 0.4, 0.04))
    system.add_body("plate", surface=plate, fixed=True, position=(0.0, 0.0, -0.02))
    system.add_contact("ball", "plate", law=pc.LayerLaw(stiffness=STIFFNESS))

    fall = math.sqrt(2.0 * HEIGHT / 9.81)  # s
    run = pc.simulate(system, end_time=2.2 * fall, rtol=1e-7, atol=1e-8, output_step=1e-4, contact_events=True)
    for event in run.events:
        print(f"{event.time:.4f} s: {event.kind} of {event.pairing}")

    deepest = float(run.trajectory.pairing("ball–plate").depth.max())
    layer = np.pi * STIFFNESS * np.array([RADIUS / 3.0, -1.0 / 12.0])
    balance = np.polynomial.Polynomial([-mass * 9.81 * HEIGHT, -mass * 9.81, 0.0, *layer])
    expected = min(root.real for root in balance.roots() if root.real > 0.0 and abs(root.imag) < 1e-12)
    after = run.trajectory.time > run.events[-1].time
    height = float(run.trajectory.body("ball").position[after, 2].max()) - RADIUS
    print(f"depth {1e3 * deepest:.3f} mm, energy balance {1e3 * expected:.3f} mm; it rises to {1e3 * height:.2f} mm")
    return deepest / expected


if __name__ == "__main__":
    main()
