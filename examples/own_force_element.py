"""A force element of your own: a ball falls through air, with a drag that grows with the square of its speed.

The element sees the motion through a view, adds a force, and integrates a state of its own: the heat that the drag has
made. The closed form of the speed is v∞ tanh(g t / v∞).

    python examples/own_force_element.py
"""

import math

import numpy as np

import polycontact as pc

RADIUS, MASS, DRAG = 0.1, 0.2, 0.45  # m, kg, -
AIR = 1.2  # kg/m³
FACTOR = 0.5 * AIR * DRAG * math.pi * RADIUS**2  # kg/m


class AirDrag(pc.multibody.ForceElement):
    """Drag on a body, -k |v| v at its origin; its one state is the heat made so far, J."""

    def __init__(self, name: str, body: str, factor: float) -> None:
        super().__init__(name, states=(0.0,))
        self.body = body
        self.factor = factor

    def apply(self, view: pc.multibody.ForceView) -> None:
        """Add the force; the state grows with its power."""
        velocity = view.velocity(self.body)
        speed = float(np.linalg.norm(velocity))
        view.add_force(self.body, -self.factor * speed * velocity)
        view.rates[0] = self.factor * speed**3


def main() -> float:
    """Let the ball fall for 3 s; return its speed divided by the closed form."""
    system = pc.MultibodySystem("falling ball")
    system.add_body("ball", surface=pc.shapes.sphere(RADIUS, subdivisions=2), mass=MASS)
    system.add_force(AirDrag("drag", "ball", FACTOR))
    run = pc.simulate(system, end_time=3.0, rtol=1e-8, atol=1e-9)

    ball = run.trajectory.body("ball")
    speed, fallen = -float(ball.velocity[-1, 2]), -float(ball.position[-1, 2])
    final = math.sqrt(MASS * 9.81 / FACTOR)
    expected = final * math.tanh(9.81 * 3.0 / final)
    heat = float(run.trajectory.array("state")[-1, run.trajectory.description.state_names.index("drag.0")])
    print(f"{speed:.3f} m/s after {fallen:.2f} m, closed form {expected:.3f} m/s, at last {final:.2f} m/s")
    print(f"{MASS * 9.81 * fallen:.3f} J of potential became {0.5 * MASS * speed**2:.3f} J and {heat:.3f} J of heat")
    return speed / expected


if __name__ == "__main__":
    main()
