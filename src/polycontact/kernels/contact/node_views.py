"""Memory of the node–block method: hitting nodes, defence surfaces, and one evaluation (S3.1–S3.3)."""

from __future__ import annotations

from polycontact.kernels.contact.contact_header import ContactHeader
from polycontact.kernels.contact.evaluation_view import STACK_LENGTH
from polycontact.kernels.geometry.blocks import Blocks
from polycontact.kernels.geometry.surface_mesh import SurfaceMesh
from polycontact.kernels.views import View, cast_to, count, doubles, ints, nested, number, reference


class HittingNodes(View):
    """Vertices of the hitting body in its own frame, in the order of its tree: neighbours stand together.

    Smooth sheets of surface that meet at a node, the faces at a corner of a box for example, are told apart.
    """

    n = count("nodes; 0 where the body does not hit")
    n_and_1 = count("the same and one more")
    n_sheets = count("sheets at all nodes together")
    n_groups = count("groups of nodes that stand together")
    group_size = count("nodes of a group, the last may have fewer")
    points = doubles("n", 3, unit="m", doc="where they are")
    areas = doubles("n", unit="m²", doc="a third of the areas of the triangles around each")
    vertex = ints("n", doc="number of the vertex in the user's surface")
    first = ints("n_and_1", doc="where the sheets of each node begin")
    sheet_areas = doubles("n_sheets", unit="m²", doc="length of a third of the area vectors of the sheet's triangles")
    sheet_normals = doubles("n_sheets", 3, doc="their direction, outward")
    spheres = doubles("n_groups", 4, unit="m", doc="centre and radius of a sphere around each group")


class Defence(View):
    """The defence surface, in the contact frame, which is its own: it never changes."""

    n_triangles = count("triangles; 0 where the body is not hit")
    mesh = reference(SurfaceMesh)
    blocks = reference(Blocks)
    order = ints("n_triangles", doc="the user's triangle of each leaf")


class NodeSetup(View):
    """What never changes: two surfaces and the options of the method."""

    e = reference(SurfaceMesh)
    f = reference(SurfaceMesh)
    nodes_e = nested(HittingNodes)
    nodes_f = nested(HittingNodes)
    defence_e = nested(Defence)
    defence_f = nested(Defence)
    base = count("BaseKind: whose nodes hit")
    by_target = count("1: nodes are pushed along the normals of the defence surface, else along their own")
    margin = number("how far beyond an open surface nodes touch", "m")
    reach = number("how far coordinates of both surfaces reach", "m")


class NodeEvaluation(View):
    """What one evaluation of a pair by the node method reads and writes."""

    header = nested(ContactHeader)
    setup = reference(NodeSetup)
    stack = ints(STACK_LENGTH, 6, doc="nodes of trees still to be visited")


as_node_evaluation = cast_to(NodeEvaluation)
