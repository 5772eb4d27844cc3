"""A ball bearing turns under load: eight balls roll between two grooves without a cage.

Grooves are a little wider than the balls, as in a real bearing. Vary the number of balls, the clearance or the load,
and read how it is shared from `run.peaks.contacts`.
"""

from typing import Any

import numpy as np

import polycontact as pc

SETTINGS = {"end_time": 0.02, "output_step": 2e-4, "atol": 1e-6, "rtol": 1e-4}
BALLS = 8


def build() -> pc.MultibodySystem:
    """The shaft turns at 50 rad/s under its weight of 196 N; the outer race is fixed."""
    ball, pitch, groove = 0.006, 0.03, 0.0063
    angle = np.linspace(-0.7, 0.7, 9)
    inner = [(pitch - groove * np.cos(a), groove * np.sin(a)) for a in angle]
    outer = [(pitch + groove * np.cos(a), groove * np.sin(a)) for a in angle[::-1]]
    inner = [(0.02, inner[0][1]), *inner, (0.02, inner[-1][1])]
    outer = [(0.04, outer[0][1]), *outer, (0.04, outer[-1][1])]
    system = pc.MultibodySystem("bearing", gravity=(0.0, -9.81, 0.0))
    system.add_body("outer", surface=_ring(outer), fixed=True)
    system.add_body("inner", surface=_ring(inner), mass=20.0, inertia=np.diag([0.01, 0.01, 0.01]))
    system.add_joint("shaft", "planar", "world", "inner", speeds=(0.0, 0.0, 50.0))
    law = pc.LayerLaw(stiffness=1e11, damping=1e7, transition_depth=1e-5)
    friction = pc.RegularisedCoulomb(coefficient=0.1, velocity=0.01)
    sphere = pc.shapes.sphere(ball, 3)
    for i in range(BALLS):
        turn = 2.0 * np.pi * i / BALLS
        at = pitch * np.array([np.cos(turn), np.sin(turn), 0.0])
        system.add_body(f"ball {i}", surface=sphere, density=7800.0, position=at)
        for race in ("inner", "outer"):
            system.add_contact(f"ball {i}", race, base=pc.Base.E, law=law, friction=friction)
    return system


def _ring(section: list[tuple[float, float]]) -> Any:
    """A ring with a section of points (radius, height), m."""
    return pc.shapes.revolve([(height, radius) for radius, height in [*section, section[0]]], 72)


if __name__ == "__main__":
    pc.save_page(pc.simulate(build(), **SETTINGS), "ball_bearing.html")
