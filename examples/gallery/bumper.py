"""A car of a crane runs into a rubber bumper and bounces off.

The bumper is a hollow cone of rubber on a wall: its contact area grows as it is pressed. Vary its layer (Young's
modulus, thickness) until the greatest force is what the structure bears; the ledger says how much the damping took.
"""

import polycontact as pc

SETTINGS = {"end_time": 0.5, "output_step": 0.002, "rtol": 1e-5, "atol": 1e-6}


def build() -> pc.MultibodySystem:
    """500 kg at 1 m/s against rubber of 40 mm."""
    system = pc.MultibodySystem("bumper", gravity=(0.0, 0.0, 0.0))
    rubber = pc.ElasticLayer(youngs_modulus=2e7, poissons_ratio=0.4, thickness=0.04)
    profile = [(0.0, 0.06), (0.05, 0.045), (0.06, 0.04), (0.065, 0.03), (0.065, 0.0)]
    cone = pc.shapes.revolve([(0.0, 0.0), *profile], 64, axis="x")
    system.add_body("bumper", shapes=[pc.Shape(cone, layer=rubber, colour="#3c3c3c")], fixed=True)
    box = pc.shapes.box((0.6, 0.5, 0.4), divisions=(6, 10, 8))
    system.add_body("car", surface=box, mass=500.0, position=(0.40, 0.0, 0.0), colour="#e9c46a")
    track = {"axis": (1, 0, 0), "at": (0.40, 0.0, 0.0), "speeds": [-1.0]}
    system.add_joint("track", "prismatic", "world", "car", **track)
    system.add_contact("bumper", "car", law=pc.LayerLaw(damping=5e6))
    return system


if __name__ == "__main__":
    pc.save_page(pc.simulate(build(), **SETTINGS), "bumper.html")
