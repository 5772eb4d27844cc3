"""A cam lifts a roller follower against its spring; both are meshes with areas of contact.

The lift is 8 mm with the law of a harmonic cam, and the follower slides. Vary the speed up to
where the follower parts from the cam, or the lift, and read the greatest pressure from the report.
"""

import math

import numpy as np

import polycontact as pc

SETTINGS = {"end_time": 0.4, "output_step": 0.002, "rtol": 1e-5, "atol": 1e-7}
BASE, LIFT, ROLLER = 0.030, 0.008, 0.010  # m


def build() -> pc.MultibodySystem:
    """300 turns a minute, a follower of 0.3 kg, 20 N/mm."""
    system = pc.MultibodySystem("cam and roller")
    angles = np.linspace(0.0, 2.0 * math.pi, 360, endpoint=False)
    pitch = BASE + ROLLER + 0.5 * LIFT * (1.0 - np.cos(angles))
    slope = 0.5 * LIFT * np.sin(angles)
    radial = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    across = np.stack([-np.sin(angles), np.cos(angles)], axis=1)
    normal = pitch[:, None] * radial - slope[:, None] * across
    normal /= np.linalg.norm(normal, axis=1)[:, None]
    cam = pc.shapes.extrude(pitch[:, None] * radial - ROLLER * normal, 0.012)
    roller = pc.shapes.cylinder(ROLLER, 0.010, segments=192)
    system.add_body("cam", surface=cam, density=7850.0, colour="#4c84b8")
    system.add_body("follower", shapes=[pc.Shape(roller, position=(0.0, 0.0, 0.006), colour="#d95f02")], mass=0.3)
    speed = 10.0 * math.pi
    system.add_joint("shaft", "revolute", "world", "cam", motion=pc.multibody.ConstantVelocity(speed))
    guide = {"axis": (1, 0, 0), "at": (BASE + ROLLER, 0.0, 0.0)}
    system.add_joint("guide", "prismatic", "world", "follower", **guide)
    system.add_force(pc.multibody.JointSpring("spring", "guide", stiffness=2e4, reference=-0.005))
    system.add_contact("follower", "cam", law=pc.LayerLaw(stiffness=1e11, damping=1e7))
    return system


if __name__ == "__main__":
    pc.save_page(pc.simulate(build(), **SETTINGS), "cam_and_roller.html")
