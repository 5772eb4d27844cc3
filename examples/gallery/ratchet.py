"""A ratchet turns one way: a pawl on a spring clicks over its teeth and holds it when the torque turns round.

The torque on the wheel changes its sign every quarter of a second. Forward the pawl rides over the teeth, backward a
tooth falls against it and stays. Vary the number of teeth, the spring or the shape of the pawl.
"""

import math

import numpy as np

import polycontact as pc

SETTINGS = {"end_time": 1.0, "output_step": 0.004, "rtol": 1e-4, "atol": 1e-6}
TEETH, OUTER, INNER = 16, 0.040, 0.036  # number, m, m


def build() -> pc.MultibodySystem:
    """A wheel of 16 teeth, a pawl of 30 mm, 0.2 N m to and fro."""
    outline = []
    for k in range(TEETH):
        start, end = 2.0 * math.pi * k / TEETH, 2.0 * math.pi * (k + 1) / TEETH
        outline += [INNER * np.array([math.cos(start), math.sin(start)])]
        outline += [
            (INNER + (OUTER - INNER) * part) * np.array([math.cos(a), math.sin(a)])
            for part in (1.0 / 3.0, 2.0 / 3.0, 1.0)
            for a in [end + (start - end) * (1.0 - part)]
        ]
    system = pc.MultibodySystem("ratchet", gravity=(0.0, 0.0, 0.0))
    around = np.linspace(0.0, 2.0 * math.pi, 24, endpoint=False)
    bore = 0.005 * np.stack([np.cos(around), np.sin(around)], axis=1)
    wheel = pc.shapes.extrude(outline, 0.008, holes=[bore])
    system.add_body("wheel", surface=wheel, density=7850.0, colour="#4c84b8")
    system.add_joint("axle", "revolute", "world", "wheel")
    pawl = pc.shapes.extrude([(0.0, -0.003), (0.030, -0.0012), (0.030, 0.0012), (0.0, 0.003)], 0.008)
    system.add_body("pawl", surface=pawl, density=7850.0, colour="#d95f02")
    system.add_joint("pin", "revolute", "world", "pawl", at=(-0.026, 0.0405, 0.0), coordinates=-0.1)
    system.add_force(pc.multibody.JointSpring("spring", "pin", stiffness=0.2, damping=1e-4, reference=-0.8))
    torque = "0.2 * cos(4 * pi * t)"
    system.add_force(pc.multibody.JointEffort("torque", "axle", torque))
    system.add_force(pc.multibody.JointFriction("oil", "axle", viscous=0.01))
    system.add_contact(
        "pawl",
        "wheel",
        law=pc.LayerLaw(stiffness=1e10, damping=2e7),
        friction=pc.RegularisedCoulomb(coefficient=0.1, velocity=1e-3),
    )
    return system


if __name__ == "__main__":
    pc.save_page(pc.simulate(build(), **SETTINGS), "ratchet.html")
