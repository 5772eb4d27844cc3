"""Kernels of a contact pairing, one file a step, in the paper's order: `polygonal_method` reads as the algorithm."""
