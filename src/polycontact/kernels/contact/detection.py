"""Collision detection: which triangles of E and F intersect, and in which segments (section 3.1).

Problem: of n_E · n_F pairs of triangles find those that intersect, without a wrong answer in any pose.

In: the pose of F in E. Out: candidates (pairs of triangles whose boxes overlap) and intersection segments, each with
its two triangles, in the order in which they were found. Frame E, m. Three sieves, each coarser than exact:

    boxes of the trees        n_E · n_F pairs  ->  hundreds of candidates     `find_candidates`
    four triangles at once    candidates       ->  few that are in doubt      `_drop_apart` (decision 0008)
    exact predicates          in doubt         ->  segments                   `detect_collision` (decision 0004)

The first two only leave out what is certainly apart: boxes are inflated by ``pose.pad``, which covers rounding and the
drift of the rotation. So they change how much work is done, never a segment.

Both trees are descended at once. A pair of nodes is split into (at most) four:

    (1) both are leaves                      -> a candidate
    (2) one box is more than twice the other -> only the larger one is split
    (3) else                                 -> both are split

and the up to four pairs of children are tested by one call. Where the buffer of candidates or of segments is too small
the count goes on, so that `needed` tells its size; the status says OVERFLOW and the evaluation is repeated.
"""

from __future__ import annotations

from polycontact.kernels.contact.contact_header import Pose
from polycontact.kernels.contact.contact_report import ContactReport, Status
from polycontact.kernels.contact.evaluation_view import Candidates, Segments, Work
from polycontact.kernels.geometry.frames import Matrix, apply, apply_transposed, as_matrix, as_vector, moved_corner
from polycontact.kernels.geometry.oriented_boxes import box_pairs_overlap
from polycontact.kernels.geometry.surface_mesh import SurfaceMesh
from polycontact.kernels.geometry.tree import left_count
from polycontact.kernels.geometry.triangle_pairs import triangle_pairs_meet
from polycontact.kernels.geometry.triangles import intersect_triangles, lay_out, planes_separate, write_segment
from polycontact.kernels.geometry.vectors import Vector, triangle
from polycontact.kernels.jit import apart_kernel, inline_kernel, kernel
from polycontact.kernels.views import Doubles, Ints
from polycontact.tolerances import PARALLEL


@inline_kernel
def _absolute(R: Matrix) -> Matrix:
    return (
        (abs(R[0][0]), abs(R[0][1]), abs(R[0][2])),
        (abs(R[1][0]), abs(R[1][1]), abs(R[1][2])),
        (abs(R[2][0]), abs(R[2][1]), abs(R[2][2])),
    )


@inline_kernel
def _root_boxes_overlap(e: Doubles, c: Vector, h: Vector, reach: Vector, R: Matrix, A: Matrix, pad: float) -> bool:
    """Whether the box of E in row 0 of ``e`` comes closer than ``pad`` (m) to a box of F (S0.31).

    The box of F has its centre at c (frame E), half-extents h along its own axes, and lies within ``reach`` of c along
    those of E. A = |R|. Seen along the three axes of E and the three of F: no test across edges, as this one only tells
    bodies that are far apart.
    """
    t = (c[0] - e[0, 0], c[1] - e[0, 1], c[2] - e[0, 2])
    g = (e[0, 3] + pad, e[0, 4] + pad, e[0, 5] + pad)
    if abs(t[0]) > g[0] + reach[0] or abs(t[1]) > g[1] + reach[1] or abs(t[2]) > g[2] + reach[2]:
        return False
    s = apply_transposed(R, t)
    k = apply_transposed(A, g)
    return abs(s[0]) <= h[0] + k[0] and abs(s[1]) <= h[1] + k[1] and abs(s[2]) <= h[2] + k[2]


@inline_kernel
def roots_overlap(e: SurfaceMesh, f: SurfaceMesh, pose: Pose, margin: float) -> bool:
    """Whether the boxes around the whole surfaces come closer than ``margin``."""
    box = f.boxes
    R = as_matrix(pose.rotation)
    A = _absolute(R)
    c = apply(R, (box[0, 0], box[0, 1], box[0, 2]))
    r = as_vector(pose.position)
    h = (box[0, 3], box[0, 4], box[0, 5])
    centre = (c[0] + r[0], c[1] + r[1], c[2] + r[2])
    return _root_boxes_overlap(e.boxes, centre, h, apply(A, h), R, A, pose.pad + margin)


@inline_kernel
def _push(stack: Ints, depth: int, i: int, leaf_i: int, n_i: int, j: int, leaf_j: int, n_j: int) -> int:
    """Put a pair of nodes i of E and j of F on the stack, each with its first leaf and its leaves; the new depth."""
    stack[depth, 0] = i
    stack[depth, 1] = leaf_i
    stack[depth, 2] = n_i
    stack[depth, 3] = j
    stack[depth, 4] = leaf_j
    stack[depth, 5] = n_j
    return depth + 1


@apart_kernel
def find_candidates(
    e: Doubles, f: Doubles, pose: Pose, margin: float, candidates: Candidates, work: Work, report: ContactReport
) -> None:
    """Leaf pairs whose boxes come closer than ``margin`` (m), by simultaneous descent of both trees (S0.30).

    ``e``, ``f``: oriented boxes of the trees (2n - 1, 15) of E and F. Their layout is `geometry.tree`: the left child
    stands right behind its parent, the right child behind the whole left subtree.
    """
    rotation = pose.rotation
    position = pose.position
    pad = pose.pad + margin
    skew = PARALLEL + 4.0 * pose.drift
    stack = work.stack
    most = candidates.room
    out = candidates.pairs
    count = 0
    checks = 1
    depth = 0
    if box_pairs_overlap(e, (0, 0), f, (0, 0), rotation, position, pad, skew):
        depth = _push(stack, 0, 0, 0, (len(e) + 1) // 2, 0, 0, (len(f) + 1) // 2)
    while depth > 0:
        depth -= 1
        i = stack[depth, 0]
        leaf_i = stack[depth, 1]
        n_i = stack[depth, 2]
        j = stack[depth, 3]
        leaf_j = stack[depth, 4]
        n_j = stack[depth, 5]
        if n_i == 1 and n_j == 1:  # (1)
            if count < most:
                out[count, 0] = leaf_i
                out[count, 1] = leaf_j
            count += 1
            continue
        # (2) and (3); the sum of half-extents stands for the size of a box.
        size_i = e[i, 3] + e[i, 4] + e[i, 5]
        size_j = f[j, 3] + f[j, 4] + f[j, 5]
        split_e = n_i > 1 and (n_j == 1 or 2.0 * size_i >= size_j)
        split_f = n_j > 1 and (n_i == 1 or 2.0 * size_j >= size_i)
        left_i = left_count(n_i) if split_e else n_i
        left_j = left_count(n_j) if split_f else n_j
        i0 = i + 1 if split_e else i
        i1 = i + 2 * left_i if split_e else i
        j0 = j + 1 if split_f else j
        j1 = j + 2 * left_j if split_f else j
        # Bits of ``near``: (i0, j0), (i1, j0), (i0, j1), (i1, j1). Where a node is not split its two children are one.
        near = box_pairs_overlap(e, (i0, i1), f, (j0, j1), rotation, position, pad, skew)
        checks += (2 if split_e else 1) * (2 if split_f else 1)
        if near & 1:
            depth = _push(stack, depth, i0, leaf_i, left_i, j0, leaf_j, left_j)
        if near & 2 and split_e:
            depth = _push(stack, depth, i1, leaf_i + left_i, n_i - left_i, j0, leaf_j, left_j)
        if near & 4 and split_f:
            depth = _push(stack, depth, i0, leaf_i, left_i, j1, leaf_j + left_j, n_j - left_j)
        if near & 8 and split_e and split_f:
            depth = _push(stack, depth, i1, leaf_i + left_i, n_i - left_i, j1, leaf_j + left_j, n_j - left_j)
    report.bv_checks += checks
    report.tree_searches += 1
    candidates.n = count
    if count > most:
        report.status |= Status.OVERFLOW_CANDIDATES
        report.needed = count


@inline_kernel
def _select_candidates(candidates: Candidates, pad: float) -> int:
    """Choose the candidates that may have met since the list was built: how many.

    Their gaps were noted then, and no point has moved farther than ``moved`` since.
    """
    chosen = candidates.chosen
    n = candidates.n
    if candidates.margin == 0.0:  # no gaps are known: all are chosen
        for k in range(n):
            chosen[k] = k
        return n
    gaps = candidates.gaps
    reach = candidates.moved + 4.0 * pad
    count = 0
    for k in range(n):
        chosen[count] = k
        count += 1 if gaps[k] <= reach else 0
    return count


@inline_kernel
def _drop_apart(e: SurfaceMesh, f: SurfaceMesh, pose: Pose, candidates: Candidates, n: int, work: Work) -> int:
    """Keep only those of n chosen candidates whose triangles are not certainly apart: how many.

    Four at once. Where four lanes are also certain of both nodes of the segment, their code is noted in
    ``candidates.nodes``, else 0. The last four may be fewer: the last candidate fills up, and its bits are masked.
    """
    corners_e = e.corners
    corners_f = f.corners
    rotation = pose.rotation
    position = pose.position
    pairs = candidates.pairs
    chosen = candidates.chosen
    nodes = candidates.nodes
    found = work.nodes
    count = 0
    for start in range(0, n, 4):
        k = (
            chosen[start],
            chosen[min(start + 1, n - 1)],
            chosen[min(start + 2, n - 1)],
            chosen[min(start + 3, n - 1)],
        )
        t = (pairs[k[0], 0], pairs[k[1], 0], pairs[k[2], 0], pairs[k[3], 0])
        s = (pairs[k[0], 1], pairs[k[1], 1], pairs[k[2], 1], pairs[k[3], 1])
        meet = triangle_pairs_meet(corners_e, t, corners_f, s, rotation, position, found)
        meet &= (1 << min(4, n - start)) - 1
        for lane in range(4):
            # Written always, kept by the count: no branch that the processor would have to guess.
            chosen[count] = k[lane]
            nodes[count] = int(found[lane])
            count += (meet >> lane) & 1
    return count


@kernel
def detect_collision(
    e: SurfaceMesh,
    f: SurfaceMesh,
    pose: Pose,
    candidates: Candidates,
    segments: Segments,
    work: Work,
    report: ContactReport,
) -> None:
    """Intersect the candidate triangles: all segments, each with its two triangles (S0.34).

    (1) four lanes were certain of both nodes -> only the two points are computed
    (2) a plane has the other triangle on one side, by floating point with an error bound -> no segment
    (3) else exact signs decide: a segment, none, or a contradiction (a triangle that rounding made degenerate),
        which is told by INCONSISTENT
    """
    R = as_matrix(pose.rotation)
    r = as_vector(pose.position)
    vertices_e = e.triangles
    vertices_f = f.triangles
    corners_e = e.corners
    corners_f = f.corners
    pairs = candidates.pairs
    chosen = candidates.chosen
    most = segments.room
    triangles = segments.triangles
    kinds = segments.kinds
    ends = segments.ends
    expansion = work.expansion
    pair = work.pair
    n_chosen = _select_candidates(candidates, pose.pad)
    n_left = _drop_apart(e, f, pose, candidates, n_chosen, work)
    nodes = candidates.nodes
    count = 0
    for m in range(n_left):
        k = chosen[m]
        t = pairs[k, 0]
        s = pairs[k, 1]
        corners_of_f = (
            moved_corner(corners_f, s, 0, R, r),
            moved_corner(corners_f, s, 1, R, r),
            moved_corner(corners_f, s, 2, R, r),
        )
        ids = (
            vertices_e[t, 0],
            vertices_e[t, 1],
            vertices_e[t, 2],
            vertices_f[s, 0],
            vertices_f[s, 1],
            vertices_f[s, 2],
        )
        at = min(count, most - 1)
        if nodes[m] > 0:  # (1)
            lay_out(triangle(corners_e, t), corners_of_f, pair)
            write_segment(pair, nodes[m], ids, ends, kinds, at)
            found = 1
        elif planes_separate(triangle(corners_e, t), corners_of_f, pair):  # (2)
            continue
        else:  # (3)
            found = intersect_triangles(pair, ids, ends, kinds, at, expansion)
        if found == 1:
            if count < most:
                triangles[count, 0] = t
                triangles[count, 1] = s
            count += 1
        elif found < 0:
            report.status |= Status.INCONSISTENT
    report.triangle_checks += n_chosen
    segments.n = count
    if count > most:
        report.status |= Status.OVERFLOW_SEGMENTS
        report.needed = count
