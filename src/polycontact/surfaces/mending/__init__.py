"""The steps of `repair_surface`, each a function from a draft of the mesh to a better one.

Vertices are welded onto others, copied or dropped; the only new ones are middles of edges.
"""
