"""A housing falls on its corner from 30 cm, as in a drop test.

The housing is a box of plastic with an elastic layer of 100 mm, about its own size. Vary height, attitude and layer,
and read the greatest force and pressure from `run.peaks.contacts`.
"""

import numpy as np
from scipy.spatial.transform import Rotation

import polycontact as pc

SETTINGS = {"end_time": 0.3, "output_step": 0.001, "rtol": 1e-4, "atol": 1e-6}


def build() -> pc.MultibodySystem:
    """160 × 100 × 40 mm, 0.6 kg; it begins 1 mm above the floor with the speed of the fall."""
    system = pc.MultibodySystem("drop test")
    plastic = pc.ElasticLayer(youngs_modulus=2.2e9, poissons_ratio=0.35, thickness=0.1)
    housing = pc.shapes.box((0.16, 0.10, 0.04), divisions=(8, 5, 2))
    turned = Rotation.from_euler("xyz", (35.0, 30.0, 0.0), degrees=True).as_matrix()
    lowest = float((housing.vertices @ turned.T)[:, 2].min())
    speed = float(np.sqrt(2.0 * 9.81 * 0.3))
    system.add_body(
        "housing",
        shapes=[pc.Shape(housing, layer=plastic, colour="#2a9d8f")],
        mass=0.6,
        position=(0.0, 0.0, 0.001 - lowest),
        rotation=turned,
        velocity=(0.0, 0.0, -speed),
    )
    system.add_body("floor", surface=pc.shapes.plane(1.0), fixed=True, colour="#8d99ae")
    friction = pc.RegularisedCoulomb(coefficient=0.3, velocity=1e-3)
    system.add_contact("housing", "floor", law=pc.LayerLaw(damping=2e6), friction=friction)
    return system


if __name__ == "__main__":
    pc.save_page(pc.simulate(build(), **SETTINGS), "drop_test.html")
