"""Elements of next to no area, cut off at the border of the contact: they carry next to nothing."""

from __future__ import annotations

import numpy as np

import polycontact as pc


def test_ball_in_a_cup() -> None:
    ball, cup = pc.shapes.sphere(0.1, 2), pc.shapes.spherical_cup(0.105, 0.05, segments=32)
    R = np.array(
        [
            [0.9987788111735606, -0.03483818815748152, -0.03503122887700543],
            [0.03580097437474031, 0.99898755574006, 0.02724249823933234],
            [0.03404668243086854, -0.028463382132219505, 0.9990148443807265],
        ]
    )
    r = np.array([0.0022467511816333524, -0.0015403926836285269, -0.005019959437599329])
    pair = pc.ContactPairing(cup, ball, base=pc.Base.F, law=pc.LayerLaw(stiffness=1e7))
    found = pair.evaluate(pc.RelativeKinematics(rotation=R, position=r))
    assert found.elements.depth.max() < 0.01  # m: the balls are that far apart in radius and place
    assert np.linalg.norm(found.torque) < 0.1 * np.linalg.norm(found.force)  # levers are no longer than the ball
