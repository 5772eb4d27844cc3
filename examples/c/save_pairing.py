"""A ball on a plate as two convex shapes, saved for programs in C: ``python3 examples/c/save_pairing.py FILE``."""

from __future__ import annotations

import sys

import polycontact as pc


def main(path: str) -> None:
    """Write the pairing to a file."""
    ball, plate = pc.convex.Sphere(0.1), pc.convex.Box((1.0, 1.0, 0.02))
    law = pc.laws.HuntCrossley(coefficient=1e6, exponent=1.5, dissipation=0.2)
    pc.ContactPairing(plate, ball, law=law, name="ball on plate").save(path)


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "ball_on_plate.pcp")
