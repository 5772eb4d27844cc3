"""Meshes with their vertices on a round body, moved out so that they neither lose nor add volume.

`balanced_surface` has the algorithm on a page; `Surface.balanced` is how it is called.
"""
