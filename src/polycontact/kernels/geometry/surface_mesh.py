"""A surface as kernels see it: constant during an evaluation, shared by all pairings of the surface."""

from __future__ import annotations

from polycontact.kernels.views import View, count, doubles, ints, number


class SurfaceMesh(View):
    """Triangles in the leaf order of the bounding volume tree, everything in the surface's own frame."""

    n_vertices = count("vertices")
    n_triangles = count("triangles")
    n_nodes = count("nodes of the tree, twice the triangles less one")
    n_components = count("connected components")
    closed = count("1: every edge has two triangles")
    mean_edge = number("mean length of the edges", "m")
    facet_full = number("cosine from which a facet's interpolated normal is surely within FLANK_FULL")
    vertices = doubles("n_vertices", 3, unit="m", doc="points")
    triangles = ints("n_triangles", 3, doc="corners")
    neighbours = ints("n_triangles", 3, doc="triangle across each side, -1 at a border")
    triangle_edges = ints("n_triangles", 3, doc="undirected edge of each side")
    corners = doubles("n_triangles", 9, unit="m", doc="the three corners of each triangle")
    barycentres = doubles("n_triangles", 3, unit="m", doc="barycentres")
    normals = doubles("n_triangles", 3, doc="unit normals, outward")
    areas = doubles("n_triangles", unit="m²", doc="areas")
    corner_normals = doubles("n_triangles", 9, doc="normals at the corners, smooth within a feature angle")
    vertex_normals = doubles("n_vertices", 3, doc="sums of normals around each vertex, weighted by angle")
    border_vertex = ints("n_vertices", doc="1 on the border of an open surface")
    boxes = doubles("n_nodes", 6, unit="m", doc="centre and half-extents of the nodes, depth-first")
    oriented_boxes = doubles("n_nodes", 15, unit="m", doc="centre, half-extents and axes of the same nodes")
    component_vertices = ints("n_components", 6, doc="outermost vertices of each component, along the axes")
    triangle_component = ints("n_triangles", doc="component of each triangle")
