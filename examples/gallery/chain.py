"""A chain of ten links swings from the horizontal; each link is a ring that hangs in the next.

Rings are meshes and touch where their tubes cross. Vary the number of links, the tube or the friction.
"""

from typing import Any

import numpy as np

import polycontact as pc

SETTINGS = {"end_time": 0.3, "output_step": 0.002, "atol": 1e-6, "rtol": 1e-4}
LINKS = 10


def build() -> pc.MultibodySystem:
    """The first link is fixed."""
    ring = pc.shapes.torus(0.03, 0.006, segments=32, tube_segments=12)
    system = pc.MultibodySystem("chain")
    across = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]])
    for i in range(LINKS):
        moving: dict[str, Any] = {"density": 7800.0} if i else {"fixed": True}
        turned = across if i % 2 else np.eye(3)
        # Tubes meet at half the distance of the centres: they touch by 0.1 mm.
        system.add_body(f"link {i}", surface=ring, position=(0.0481 * i, 0.0, 0.0), rotation=turned, **moving)
    law = pc.LayerLaw(stiffness=1e10, damping=1e6, transition_depth=1e-5)
    friction = pc.RegularisedCoulomb(coefficient=0.2, velocity=0.01)
    for i in range(LINKS - 1):
        system.add_contact(f"link {i}", f"link {i + 1}", base=pc.Base.E, law=law, friction=friction)
    return system


if __name__ == "__main__":
    pc.save_page(pc.simulate(build(), **SETTINGS), "chain.html")
