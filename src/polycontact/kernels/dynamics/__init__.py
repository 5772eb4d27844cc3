"""Kernels of the multibody system: kinematics of the tree, forces, articulated-body dynamics, loops.

One row of slots describes a system as one describes a pairing. Vectors are in world axes; a body's spatial
quantities are taken at the origin of its frame: velocity (ω, v), force (τ, f).
"""
