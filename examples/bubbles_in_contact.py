"""Two bubbles side by side touch with both their lobes: two patches, each with its own force.

The bubbles are those of Hippmann's paper, 0.4 m long with a waist. The second one slides along the first. What the
first feels and what the second feels must cancel: the pairing is evaluated both ways round.

    python examples/bubbles_in_contact.py
"""

import numpy as np

import polycontact as pc

R = np.eye(3)
POSITION = np.array([0.19, 0.0, 0.0])  # of the second bubble, m
VELOCITY = np.array([0.0, 0.1, 0.0])  # m/s


def main() -> float:
    """Print the patches and return how far the forces on both bubbles are from cancelling, relative to them."""
    bubble = pc.shapes.bubble()
    layer = pc.ElasticLayer(youngs_modulus=5500.0, poissons_ratio=0.4, thickness=0.01)
    friction = pc.RegularisedCoulomb(coefficient=0.25, velocity=1e-3)

    pair = pc.ContactPairing(bubble, bubble, base=pc.Base.E, layers=(layer, layer), friction=friction)
    result = pair.evaluate(pc.RelativeKinematics(rotation=R, position=POSITION, velocity=VELOCITY))
    for number, patch in enumerate(result.patches, start=1):
        x, y, z = 1e3 * patch.centroid
        print(
            f"patch {number}: {1e4 * patch.area:.2f} cm² around ({x:.1f}, {y:.1f}, {z:.1f}) mm, "
            f"pushed back by {-patch.force[0]:.3f} N, dragged along by {patch.force[1]:.3f} N"
        )
    print(f"overlap {1e6 * result.volume:.2f} cm³, {len(result.polygons)} intersection polygons")

    # The other way round: E is now the second bubble, whose mesh stays the target.
    swapped = pc.ContactPairing(bubble, bubble, base=pc.Base.F, layers=(layer, layer), friction=friction)
    opposite = swapped.wrench(R.T, -R.T @ POSITION, -R.T @ VELOCITY)
    force, torque = R @ opposite[:3], R @ opposite[3:]  # on the second bubble, about the marker of the first
    about_first = result.torque + np.cross(POSITION, result.force)  # on the first, moved to its own marker
    off = max(np.abs(force + result.force).max(), np.abs(torque + about_first).max())
    return float(off / np.abs(result.force).max())


if __name__ == "__main__":
    main()
