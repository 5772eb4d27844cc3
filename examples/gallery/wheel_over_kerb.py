"""A wheel with a spring rolls over a kerb of 20 mm.

The wheel is a torus of rubber, carried by an arm with a spring and a damper; the road and the kerb are one mesh. Vary
the speed or the damper, and look at the load of the wheel, and at how long it is in the air.
"""

import numpy as np

import polycontact as pc

SETTINGS = {"end_time": 0.8, "output_step": 0.005, "rtol": 1e-4, "atol": 1e-5}


def build() -> pc.MultibodySystem:
    """3 m/s; 50 kg ride on the wheel."""
    system = pc.MultibodySystem("wheel over kerb")
    tyre = pc.shapes.torus(0.16, 0.04, segments=72, tube_segments=24)
    upright = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]])
    road = [(-0.5, -0.1), (2.5, -0.1), (2.5, 0.0), (0.95, 0.0), (0.93, 0.02), (0.62, 0.02), (0.60, 0.0), (-0.5, 0.0)]
    ground = pc.Shape(
        pc.shapes.extrude(road, 0.3, spacing=0.1), rotation=upright, position=(0.0, 0.15, 0.0), colour="#8d99ae"
    )
    system.add_body("road", shapes=[ground], fixed=True)
    system.add_body("trolley", mass=1.0, inertia=(0.1, 0.1, 0.1))
    load = pc.Shape(pc.shapes.box((0.3, 0.1, 0.1)), colour="#e9c46a")
    system.add_body("load", shapes=[load], mass=50.0, inertia=(1.0, 1.0, 1.0))
    system.add_body("hub", mass=1.0, inertia=(0.01, 0.01, 0.01))
    wheel = pc.Shape(tyre, rotation=upright, colour="#3c3c3c")
    system.add_body("wheel", shapes=[wheel], mass=6.0, inertia=(0.08, 0.14, 0.08))
    going = pc.multibody.ConstantVelocity(3.0)
    system.add_joint("road speed", "prismatic", "world", "trolley", axis=(1, 0, 0), motion=going)
    system.add_joint("bounce", "prismatic", "trolley", "load", at=(0.0, 0.0, 0.50))
    system.add_joint("strut", "prismatic", "load", "hub", at=(0.0, 0.0, -0.302))
    system.add_joint("axle", "revolute", "hub", "wheel", axis=(0, 1, 0), speeds=[15.0])
    weight = 50.0 * 9.81
    system.add_force(
        pc.multibody.JointSpring("spring", "strut", stiffness=1.5e4, damping=800.0, reference=-weight / 1.5e4)
    )
    rubber = pc.LayerLaw(stiffness=4e7, damping=4e4)
    friction = pc.RegularisedCoulomb(coefficient=0.8, velocity=0.02)
    system.add_contact("wheel", "road", law=rubber, friction=friction)
    return system


if __name__ == "__main__":
    pc.save_page(pc.simulate(build(), **SETTINGS), "wheel_over_kerb.html")
