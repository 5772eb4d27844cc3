"""The memory of a contact pairing as kernels see it: a set-up that never changes, and one evaluation.

Several evaluations (threads, lanes of a GPU) may share a set-up. What the views hold and how long each array is stands
in their class bodies and nowhere else.
"""

from __future__ import annotations

import enum

from polycontact.kernels.contact.contact_header import ContactHeader
from polycontact.kernels.geometry.exact import BUFFER_LENGTH
from polycontact.kernels.geometry.facet_walls import Walls
from polycontact.kernels.geometry.rivals import Rivals
from polycontact.kernels.geometry.sorting import DIGITS
from polycontact.kernels.geometry.surface_mesh import SurfaceMesh
from polycontact.kernels.geometry.triangle_pair import TrianglePair
from polycontact.kernels.views import View, cast_to, count, doubles, inline, ints, longs, nested, number, reference

STACK_LENGTH = 256
"""Entries of the traversal stack: one descent pushes at most two, and both trees are balanced, so their
depths together (2 · 26 for the largest surfaces) bound it."""


class BaseKind(enum.IntEnum):
    """Whose triangles become contact elements."""

    E = 0
    F = 1
    BOTH = 2


class ElementKind(enum.IntEnum):
    """What becomes of triangles at the border of the contact."""

    WHOLE = 0
    CLIPPED = 1


class DepthKind(enum.IntEnum):
    """How the depth is measured."""

    BASE_NORMAL = 0  # along the base normal, with the flank ramp
    TARGET_NORMAL = 1
    DISTANCE = 2  # to the nearest point of the target


class Cut(enum.IntEnum):
    """Bits of the state of a cut triangle besides corners inside (bits 0-2) and sides crossed (bits 3-5)."""

    OPEN = 64  # the border of the other surface ends inside this triangle
    UNKNOWN = 128  # no crossing tells whether its corners are inside
    CROWDED = 256  # many target triangles cross this one


class LineBoxes(View):
    """Boxes around the penetration lines of a surface, in the layout of its tree."""

    n_nodes = count("nodes of the tree; 0: no lines")
    boxes = doubles("n_nodes", 15, unit="m", doc="oriented boxes")


class ContactSetup(View):
    """What never changes: two surfaces, options and tolerances of the method."""

    e = reference(SurfaceMesh)
    f = reference(SurfaceMesh)
    base = count("BaseKind")
    element_kind = count("ElementKind")
    depth_kind = count("DepthKind")
    lines_e = nested(LineBoxes)
    lines_f = nested(LineBoxes)
    max_penetration = number("length of the penetration lines", "m")
    tolerance = number("share of the whole load that the depth may bend by in a cell of a base triangle")
    reach = number("how far coordinates of both surfaces reach", "m")
    max_margin = number("largest margin of kept candidates", "m")


class Samples(View):
    """Points of a base at which the distance to the target is asked for: one a triangle, then the vertices."""

    n = count("points; 0 where the depth is no distance")
    near = ints("n", doc="triangle of the target that was nearest the last time")
    n_vertices = count("vertices of the base, 0 where the depth is no distance")
    vertex_stamp = longs("n_vertices", doc="evaluation that asked last for a vertex")
    vertex_depth = doubles("n_vertices", unit="m", doc="depth there")


class CellMoments(View):
    """Moments of the cells of an element while they are integrated, of a target whose slope is asked for."""

    wanted = count("1 where it is")
    moments = inline(6, doc="area, first and second moments of the cells under a facet, in reference coordinates")
    sums = inline(18, doc="of ∇φ under sharp concave edges, target's frame, see `gradient_sums`")


class Side(View):
    """One surface in this evaluation. Marks and states hold when they carry the evaluation's stamp."""

    mesh = reference(SurfaceMesh)
    is_f = count("0: surface E; 1: surface F, whose vertices are moved to frame E")
    stamp = count("number of this evaluation")
    n_vertices = count("as in the mesh")
    n_triangles = count("as in the mesh")
    n_components = count("as in the mesh")
    n_cut = count("cut triangles")
    n_inner = count("inner triangles")
    is_open = count("1: an intersection polygon ends inside this surface")
    meets_once = count("1: as a target, a line from the base meets its active triangles only once")
    x = doubles("n_vertices", 3, unit="m", doc="vertices in frame E; of E the vertices themselves")
    vertex_stamp = longs("n_vertices", doc="x is up to date where equal to stamp")
    vertex_state = longs("n_vertices", doc="4 stamp + (1 outside, 2 inside the other surface)")
    mark = longs("n_triangles", doc="4 stamp + (1 cut, 2 inner, 3 seen)")
    head = ints("n_triangles", doc="first segment of a cut triangle")
    hit = ints("n_triangles", doc="target triangle last found from this base triangle")
    cut = ints("n_triangles", doc="cut triangles")
    cut_state = ints("n_triangles", doc="bits 0-2: corner is inside; bits 3-5: side is crossed; bits of Cut")
    inner = ints("n_triangles", doc="triangles wholly inside the other surface")
    inner_parent = ints("n_triangles", doc="the triangle from which the search came to an inner one")
    contained = ints("n_components", doc="1 where a component lies inside the other surface")
    samples = nested(Samples)
    rivals = nested(Rivals)
    walls = nested(Walls)
    cells = nested(CellMoments)


class Candidates(View):
    """Pairs of triangles that may intersect while the pose stays near that of their search."""

    room = count("pairs that fit")
    room_and_4 = count("the same and four more, for work on four at once")
    n = count("pairs found")
    age = count("evaluations since the search; 0: there was none")
    expected = count("searches for which poses are still expected that hardly differ from that of the search")
    margin = number("distance that counted as near in the search", "m")
    moved = number("how far any point has moved since", "m")
    rotation = inline(3, 3, doc="rotation of F in E at the search")
    position = inline(3, unit="m", doc="position of F in E at the search")
    pairs = ints("room", 2, doc="triangle of E, triangle of F")
    gaps = doubles("room", unit="m", doc="how far apart at least the two were at the search")
    chosen = longs("room_and_4", doc="pairs that may have met since")
    nodes = ints("room_and_4", doc="code of the nodes of these where they are certain, else 0; see `triangle_pairs`")
    keys = longs("room_and_4", 2, doc="pairs to be sorted, as (key, gap in units)")
    key_room = longs("room_and_4", 2, doc="second buffer of the sort")


class Segments(View):
    """Intersection segments, in the order in which they were found."""

    room = count("segments that fit")
    n = count("segments found")
    triangles = ints("room", 2, doc="triangle of E, triangle of F")
    kinds = ints("room", 2, doc="where it starts and ends: side 0-2 of E's triangle, 3-5 of F's")
    ends = doubles("room", 6, unit="m", doc="start and end in frame E")
    order = ints("room", doc="segments by (triangle of E, triangle of F)")
    following = ints(2, "room", doc="next segment of the same triangle, of E and of F")
    keys = longs("room", 2, doc="segments to be sorted, as (key, segment)")
    key_room = longs("room", 2, doc="second buffer of the sort")


class Parts(View):
    """Work on one cut triangle whose inside has several connected parts."""

    room = count("segments of a triangle, and one more for its own border")
    room_of_crossings = count("crossings of its sides, twice the segments")
    parent = longs("room", doc="union–find over the segments: parent")
    segment = longs("room", doc="which segment")
    following = longs("room", doc="the one that follows along the border of the inside part")
    corners_passed = longs("room", doc="corners of the triangle between the two")
    moments = doubles("room", 4, doc="moments of each loop, then of each part")
    lowest = doubles("room", 3, unit="m", doc="box of each loop")
    highest = doubles("room", 3, unit="m", doc="box of each loop")
    part_number = longs("room", doc="part of a root, -1: a hole")
    owner = longs("room", doc="root whose part a root belongs to: itself, or the one around a hole")
    corner_root = longs(3, doc="root at each inside corner")
    keys = longs("room_of_crossings", 2, doc="nodes or crossings to be sorted, as (key, which)")
    key_room = longs("room_of_crossings", 2, doc="second buffer of the sort")


LEVELS = 18
"""How often a base triangle may be bisected."""


class Cells(View):
    """Work on the cells of base triangles."""

    room = count("edges that fit")
    edges = doubles(
        "room",
        5,
        doc="borders of regions, in reference coordinates, and on the border of the contact 1 + "
        "the target's triangle there, else 0",
    )
    room_of_rows = count("elements that fit, as in the table")
    state = ints("room_of_rows", doc="by row of the table: cut_state of its triangle, or WHOLE, or SETTLED")
    region = doubles("room_of_rows", 6, doc="by row of the table: the region of a cut triangle, see plane_moments")
    load = doubles("room_of_rows", unit="m³", doc="by row of the table: what it carries at least, ∫ φ dA")
    missed = doubles("room_of_rows", unit="m³", doc="by row of the table: what may be missed of that")
    uncovered = doubles("room_of_rows", doc="by row of the table: share of it that facets do not cover")
    gradients = doubles("room_of_rows", 18, doc="by row of the table, where a slope is asked for: see `gradient_sums`")
    found = inline(18, doc="the same of the part that was integrated last")
    arms = doubles(
        "room_of_rows",
        5,
        doc="by row, of depths along lines: what turning F adds to the depth (m), and the reference coordinates",
    )
    changes = doubles("room_of_rows", 24, doc="and how its depth and its mean of φ x change with six motions of F")
    before = doubles("room_of_rows", 7, doc="and its point, its normal and its depth before they are varied")
    motion = inline(18, doc="kinematics of F in E, varied")
    ways = inline(12, doc="by how much they were varied")
    border = ints("room_of_rows", 2, doc="by row of the table: first edge and how many, of a cut triangle")
    n_border = count("edges of the borders of all cut triangles")
    depth = count("cells that can wait: one a level and two more")
    corners = doubles("depth", 6, doc="waiting cells: their corners in reference coordinates")
    at_corners = doubles("depth", 3, unit="m", doc="depth at their corners")
    share = doubles("depth", doc="and how much of them counts")
    cell = longs("depth", doc="their number in the tree of bisections: 0, then 2n + 1 and 2n + 2")
    first_edge = longs("depth", doc="first edge of their region")
    n_edges = longs("depth", doc="edges of their region; -1: all of the cell")


class Work(View):
    """Small work space, named for its purpose."""

    stack = ints(STACK_LENGTH, 6, doc="nodes of trees still to be visited")
    digits = ints(DIGITS, doc="counts of the radix sort")
    expansion = doubles(BUFFER_LENGTH, doc="exact sums")
    pair = nested(TrianglePair)
    face = inline(3, 3, unit="m", doc="the triangle that a line is tested against")
    three = count("3: a bound read at run time, so that the compiler keeps one copy of the predicates")
    gaps = inline(4, unit="m", doc="distances of four pairs of triangles")
    nodes = inline(4, doc="codes of the nodes of four pairs of triangles")
    lines = inline(9, 4, doc="four elements found at their last hits, see last_hits")


class Evaluation(View):
    """One evaluation of a pairing: its set-up, and all that kernels write."""

    header = nested(ContactHeader)
    setup = reference(ContactSetup)
    e = nested(Side)
    f = nested(Side)
    candidates = nested(Candidates)
    segments = nested(Segments)
    parts = nested(Parts)
    cells = nested(Cells)
    work = nested(Work)


as_evaluation = cast_to(Evaluation)
