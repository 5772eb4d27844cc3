"""The contact as a force element of your own simulator: a ball falls on a plate, bounces and comes to rest.

The plate is E and fixed in the world, so its frame is the world's; the ball is F, its marker at the centre of mass.
One call of ``pair.wrench`` gives the wrench on the plate *at the marker of the ball*; the ball feels the opposite.
Everything else here is the simulator: rigid body dynamics, integrated by SciPy. At rest the weight must equal the
closed form of a sphere on a plane, m g = c V with the volume V = π u² (R - u/3) of the cap inside the plate.

    python examples/own_simulator.py
"""

import math

import numpy as np
from scipy.integrate import solve_ivp
from scipy.spatial.transform import Rotation

import polycontact as pc

RADIUS, MASS, GRAVITY = 0.1, 2.0, 9.81  # m, kg, m/s²
STIFFNESS, DAMPING = 1.5e5, 3e3  # N/m³, N s/m³
INERTIA = 0.4 * MASS * RADIUS**2  # kg m²
PLATE_TOP = 0.05  # m


def main() -> float:
    """Simulate 1.5 s and return the depth at rest divided by its closed form."""
    ball = pc.shapes.sphere(RADIUS, subdivisions=4)
    plate = pc.shapes.box(size=(1.0, 1.0, 2.0 * PLATE_TOP))
    pair = pc.ContactPairing(
        plate,
        ball,
        base=pc.Base.F,
        law=pc.LayerLaw(stiffness=STIFFNESS, damping=DAMPING, transition_depth=1e-3),
        friction=pc.RegularisedCoulomb(coefficient=0.3, velocity=1e-2),
    )
    wrench = np.empty(6)

    def derivative(_: float, state: np.ndarray) -> np.ndarray:
        """State: position (3), quaternion (4), velocity (3), angular velocity (3) of the ball, in the world."""
        quaternion = state[3:7] / np.linalg.norm(state[3:7])
        velocity, spin = state[7:10], state[10:13]
        R = Rotation.from_quat(quaternion).as_matrix()
        pair.wrench(R, state[0:3], velocity, spin, out=wrench)  # on the plate
        force = -wrench[:3] - (0.0, 0.0, MASS * GRAVITY)  # on the ball
        torque = -wrench[3:]  # about its centre; the inertia of a ball is the same about all axes
        x, w = quaternion[:3], quaternion[3]
        turning = 0.5 * np.append(w * spin + np.cross(spin, x), -spin @ x)
        return np.concatenate((velocity, turning, force / MASS, torque / INERTIA))

    start = np.zeros(13)
    start[2] = PLATE_TOP + RADIUS + 0.05  # falls 50 mm
    start[3:7] = Rotation.from_rotvec((0.3, 0.2, 0.1)).as_quat()
    run = solve_ivp(derivative, (0.0, 1.5), start, method="LSODA", rtol=1e-6, atol=1e-8)

    depth = PLATE_TOP + RADIUS - run.y[2, -1]
    cap = np.polynomial.Polynomial([-MASS * GRAVITY, 0.0, math.pi * STIFFNESS * RADIUS, -math.pi * STIFFNESS / 3.0])
    expected = min(root.real for root in cap.roots() if root.real > 0.0)
    print(f"{run.nfev} evaluations; depth at rest {1e3 * depth:.2f} mm, closed form {1e3 * expected:.2f} mm")
    return float(depth / expected)


if __name__ == "__main__":
    main()
