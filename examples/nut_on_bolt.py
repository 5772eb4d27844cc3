"""A nut screws itself down a bolt: M10, a pitch of 1.5 mm, 0.1 mm of clearance, guided by nothing but its thread.

Both are made from parameters: 6,120 and 10,456 triangles. Without friction the nut falls with a seven-hundredth of g as
it has to turn 667 times in a metre; whatever it does, it advances by the pitch in each turn. The cost of an evaluation
depends on how far the bodies moved since the last one: what was found then is used again where it still holds.

    python examples/nut_on_bolt.py
"""

import math

import numpy as np

import polycontact as pc

PITCH = 1.5e-3  # m
END_TIME = 0.2  # s


def main() -> float:
    """Simulate, print advance and cost, and return the advance per turn over the pitch."""
    bolt = pc.shapes.threaded_bolt(diameter=0.01, pitch=PITCH, length=0.0225)
    nut = pc.shapes.threaded_nut(diameter=0.01, pitch=PITCH, height=0.008, clearance=1e-4, segments=60)
    system = pc.MultibodySystem("nut on bolt", gravity=(0.0, 0.0, -9.81))
    system.add_body("bolt", surface=bolt, fixed=True)
    play = 5.7e-5  # m, down to where the flanks all but touch
    system.add_body("nut", surface=nut, density=7850.0, position=(0.0, 0.0, 8.0 * PITCH - play))
    law = pc.LayerLaw(stiffness=1e9, damping=1e6, transition_depth=1e-6)
    system.add_contact("nut", "bolt", law=law)
    run = pc.simulate(
        system, end_time=END_TIME, atol=2e-6, velocity_atol=1e-3, output_step=END_TIME / 10.0, profile=True
    )

    history = run.trajectory.body("nut")
    rotation, height = history.rotation, history.position[:, 2]
    turns = np.unwrap(np.arctan2(rotation[:, 1, 0], rotation[:, 0, 0])) / (2.0 * math.pi)
    settled = run.trajectory.time > 0.03
    advance = np.polyfit(turns[settled], height[settled], 1)[0]
    cost = run.statistics
    assert cost.profile is not None
    contact = 1e3 * cost.profile["contacts"] / cost.evaluations
    print(f"{bolt.n_triangles} and {nut.n_triangles} triangles; {turns[-1] - turns[0]:.3f} turns")
    print(f"advance per turn {1e3 * advance:.4f} mm, pitch {1e3 * PITCH:.4f} mm")
    print(f"{cost.evaluations} evaluations of {contact:.2f} ms; real-time factor {cost.real_time_factor:.1f}")
    return float(advance / PITCH)


if __name__ == "__main__":
    main()
