"""Compiled kernels: numbers in, numbers out, one file a step, in the paper's order.

Kernels take arrays and scalars, return a status or numbers, allocate nothing in their inner loops and raise
nothing, so that the same code compiles for the processor and for a GPU.
"""
