"""How the wrench of a table of elements changes with the motion: differences of the laws, none of the geometry.

Problem: geometry takes most of an evaluation, and laws are many. In: elements with the means of ∇φ over each
(`gradient_sums`). Out: `ContactReport.slope`, as `contact_slope` explains it.

    (1) how depth and centre of pressure of every element change with each of six motions of F: closed form
    (2) for each motion: the elements, moved by a little, and the laws for them
    (3) for each velocity: the same elements, and the laws for them
    (4) the laws for the elements as they were, so that the table holds these; the differences become slopes

With E as the base the target moves by d(x) = δx + δθ × (x − r): δφ = −∇φ·d. With F as the base its elements move,
points and normals with them, in a target that stays: δφ = ∇φ·d. Areas stay as they are, because φ vanishes on the
border of the contact. So it is exact for forces in proportion to the depth; others feel what little area comes and goes
there. A depth along a line is the way to the target's facet: d is that of the point where the line meets it, or, with F
as the base, the line turns; both add an arm for rotations (`line_slope`).
"""

from __future__ import annotations

from typing import NamedTuple

from polycontact.kernels.contact.contact_header import Laws, Pose
from polycontact.kernels.contact.contact_report import OVERFLOW, ContactReport
from polycontact.kernels.contact.contact_slope import N_FOUND, N_MOTIONS, vary
from polycontact.kernels.contact.element_forces import find_forces
from polycontact.kernels.contact.element_table import ElementTable
from polycontact.kernels.contact.evaluation_view import Cells, Side
from polycontact.kernels.contact.plane_moments import ROOT3
from polycontact.kernels.contact.sides import corners_of
from polycontact.kernels.geometry.frames import as_vector
from polycontact.kernels.geometry.vectors import Vector, add, as_index, cross, dot, norm, row, scale, sub
from polycontact.kernels.jit import apart_kernel, inline_kernel, kernel
from polycontact.kernels.views import Doubles


class Moved(NamedTuple):
    """What the laws are asked about again: both surfaces, the motion of F and the elements."""

    e: Side
    f: Side
    pose: Pose
    elements: ElementTable
    cells: Cells
    has_arms: bool


@inline_kernel
def _axis(k: int) -> Vector:
    """Unit vector of axis k."""
    return (1.0 if k == 0 else 0.0, 1.0 if k == 1 else 0.0, 1.0 if k == 2 else 0.0)


@inline_kernel
def _way_at(motion: int, r: Vector, x: Vector) -> Vector:
    """How a point at x moves with F, whose marker is at r, as motion 0 to 5 begins."""
    return _axis(motion) if motion < 3 else cross(_axis(motion - 3), sub(x, r))


@kernel
def _find_changes(moved: Moved, r: Vector) -> None:
    """Change of depth and of the mean of φ x of every element with each motion: (1)."""
    elements, cells = moved.elements, moved.cells
    for k in range(elements.n):
        base = moved.f if elements.side[k] == 1 else moved.e
        sign = 1.0 if elements.side[k] == 1 else -1.0
        # A point is corner 0 + x along_x + y along_y; a motion is linear in it: d + x d_x + y d_y.
        corners = corners_of(base, moved.pose, as_index(elements.base_triangle[k]))
        along_x = sub(corners[1], corners[0])
        along_y = scale(2.0 / ROOT3, sub(sub(corners[2], corners[0]), scale(0.5, along_x)))
        g = cells.gradients[k]
        g_0: Vector = (g[0], g[1], g[2])
        g_x: Vector = (g[3], g[4], g[5])
        g_y: Vector = (g[6], g[7], g[8])
        g_xx: Vector = (g[9], g[10], g[11])
        g_xy: Vector = (g[12], g[13], g[14])
        g_yy: Vector = (g[15], g[16], g[17])
        for j in range(6):
            d = _way_at(j, r, corners[0])
            d_x: Vector = (0.0, 0.0, 0.0)
            d_y: Vector = (0.0, 0.0, 0.0)
            if j >= 3:
                d_x, d_y = cross(_axis(j - 3), along_x), cross(_axis(j - 3), along_y)
            depth = sign * (dot(g_0, d) + dot(g_x, d_x) + dot(g_y, d_y))
            x = sign * (dot(g_x, d) + dot(g_xx, d_x) + dot(g_xy, d_y))
            y = sign * (dot(g_y, d) + dot(g_xy, d_x) + dot(g_yy, d_y))
            if moved.has_arms and j >= 3:
                by_turning = sign * cells.arms[k, j - 3]
                depth += by_turning
                x += by_turning * cells.arms[k, 3]
                y += by_turning * cells.arms[k, 4]
            cells.changes[k, 4 * j] = depth
            for a in range(3):
                cells.changes[k, 4 * j + 1 + a] = depth * corners[0][a] + x * along_x[a] + y * along_y[a]


@kernel
def _keep_elements(elements: ElementTable, cells: Cells) -> None:
    """Keep what motions change of the elements."""
    for k in range(elements.n):
        cells.before[k, 6] = elements.depth[k]
        for a in range(3):
            cells.before[k, a] = elements.base_point[k, a]
            cells.before[k, 3 + a] = elements.normal[k, a]


@kernel
def _put_back(elements: ElementTable, cells: Cells) -> None:
    """The elements as they were."""
    for k in range(elements.n):
        elements.depth[k] = cells.before[k, 6]
        for a in range(3):
            elements.base_point[k, a] = cells.before[k, a]
            elements.normal[k, a] = cells.before[k, 3 + a]


@kernel
def _move_elements(moved: Moved, motion: int, way: float, r: Vector) -> None:
    """The elements after a motion by ``way`` (m or rad): (2)."""
    elements, cells = moved.elements, moved.cells
    for k in range(elements.n):
        depth = cells.before[k, 6]
        now = depth + way * cells.changes[k, 4 * motion]
        point = row(cells.before, k)
        if now > 0.0:
            inverse = 1.0 / now
            c = 4 * motion + 1
            moment = (cells.changes[k, c], cells.changes[k, c + 1], cells.changes[k, c + 2])
            point = scale(inverse, add(scale(depth, point), scale(way, moment)))
        elements.depth[k] = max(now, 0.0)
        if elements.side[k] == 1:
            point = add(point, scale(way, _way_at(motion, r, point)))
            if motion >= 3:
                normal: Vector = (cells.before[k, 3], cells.before[k, 4], cells.before[k, 5])
                normal = add(normal, scale(way, cross(_axis(motion - 3), normal)))
                normal = scale(1.0 / norm(normal), normal)
                for a in range(3):
                    elements.normal[k, a] = normal[a]
        for a in range(3):
            elements.base_point[k, a] = point[a]


@kernel
def _put_pose(pose: Pose, kinematics: Doubles) -> None:
    """The motion of F from 18 numbers."""
    for i in range(3):
        for j in range(3):
            pose.rotation[i, j] = kinematics[3 * i + j]
        pose.position[i] = kinematics[9 + i]
        pose.velocity[i] = kinematics[12 + i]
        pose.angular_velocity[i] = kinematics[15 + i]


@kernel
def _take_column(column: int, wrench: Doubles, report: ContactReport) -> None:
    """What the laws have found into a column of the slope."""
    for i in range(6):
        report.slope[N_MOTIONS * i + column] = wrench[i]
    report.slope[N_MOTIONS * 6 + column] = report.damping_power
    report.slope[N_MOTIONS * 7 + column] = report.friction_power


@apart_kernel
def find_forces_and_slope(
    row_of: int, laws: Laws, moved: Moved, kinematics: Doubles, report: ContactReport, wrench: Doubles
) -> None:
    """`find_forces`, and the slope at ``kinematics`` (18) into the report; ``row_of``: address of the evaluation."""
    pose, elements, cells = moved.pose, moved.elements, moved.cells
    if elements.n == 0 or report.status & OVERFLOW:
        find_forces(row_of, laws, pose, elements, report, wrench)
        return
    r = as_vector(pose.position)
    now = cells.motion
    _find_changes(moved, r)  # (1)
    _keep_elements(elements, cells)
    for j in range(N_MOTIONS):
        way = vary(kinematics, j, report.slope_size, now)
        cells.ways[j] = way
        _put_pose(pose, now)
        if j < 6:
            _move_elements(moved, j, way, r)  # (2)
        elif j == 6:  # (3)
            _put_back(elements, cells)
        find_forces(row_of, laws, pose, elements, report, wrench)
        _take_column(j, wrench, report)
    _put_pose(pose, kinematics)
    find_forces(row_of, laws, pose, elements, report, wrench)  # (4)
    for i in range(N_FOUND):
        found = wrench[i] if i < 6 else report.damping_power if i == 6 else report.friction_power
        for j in range(N_MOTIONS):
            report.slope[N_MOTIONS * i + j] = (report.slope[N_MOTIONS * i + j] - found) / cells.ways[j]
    if not report.status & OVERFLOW:  # of the work space of a law; the evaluation is repeated
        report.slope_state = 2
