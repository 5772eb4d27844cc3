"""Scenes of rigid bodies that must stand, and what they cost here and in MuJoCo: `python -m tools.rigid_contact`."""
