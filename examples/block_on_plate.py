"""A block with an elastic layer pressed flat onto a rigid plate: the force that a hand calculation gives.

The layer has E = 5 MPa, ν = 0.25, b = 10 mm. Eq. (2) gives K = 1.2 E = 6 MPa, eq. (3) c = K/b = 6e8 N/m³; 0.1 mm
deep the pressure is 60 kPa, and a face of 100 mm by 60 mm carries 360 N.

    python examples/block_on_plate.py
"""

import polycontact as pc

DEPTH = 1e-4  # m


def main() -> float:
    """Print the contact and return the force that the plate exerts on the block, N."""
    block = pc.shapes.box(size=(0.1, 0.06, 0.04))
    plate = pc.shapes.box(size=(0.3, 0.3, 0.02))
    layer = pc.ElasticLayer(youngs_modulus=5e6, poissons_ratio=0.25, thickness=0.01)
    pair = pc.ContactPairing(block, plate, layers=(layer, pc.ElasticLayer.rigid()))

    # The plate seen from the block: half its own height and half the block's below, less the depth.
    below = -(0.02 + 0.01 - DEPTH)
    result = pair.evaluate(pc.RelativeKinematics(position=(0.0, 0.0, below)))

    print(f"K = {layer.modulus / 1e6:.2f} MPa, c = {pair.stiffness:.3g} N/m³")
    print(f"pressure {result.elements.pressure.max() / 1e3:.2f} kPa on {result.area * 1e4:.2f} cm²")
    print(f"force on the block {result.force[2]:.2f} N")
    return float(result.force[2])


if __name__ == "__main__":
    main()
