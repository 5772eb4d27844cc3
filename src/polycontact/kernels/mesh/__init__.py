"""Kernels of mesh checking: pairs of leaves of one tree, segments along each other, triangles through each other."""
