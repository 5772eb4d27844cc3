"""The two built-in comparisons: a ball and a box on a plate, whose forces are known beforehand.

The plate is E's opponent in every form: a block with its upper face at z = 0 of its frame, or a plane, or a half-space.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from polycontact.comparison.bounds import (
    CONVEX_TOLERANCE,
    FLANK_ENDS,
    SMOOTH_TOLERANCE,
    BoxPose,
    Expected,
    Load,
    Rule,
    ball_load,
    box_load,
    corners_load,
    longest_edge,
    mean_of,
    plate_load,
    point_load,
    round_mesh,
    rounding_of_box,
    shared_way,
)
from polycontact.comparison.compared_body import Placed, Side
from polycontact.comparison.subjects import ClosedForm, Subject
from polycontact.comparison.trials import Trial
from polycontact.contact.description import ContactDescription
from polycontact.contact.laws import LayerLaw
from polycontact.contact.methods import Base, PenetrationLines, PolygonalMethod
from polycontact.contact.node_block_options import NodeBlockMethod
from polycontact.errors import ContactError
from polycontact.surfaces import convex, implicit, parametric, shapes
from polycontact.surfaces.geometry import size_of
from polycontact.surfaces.surface import Surface
from polycontact.tolerances import FACE_TILT
from polycontact.verification.closed_forms import cap_volume
from polycontact.verification.placing import relative_to_body, rotation

STIFFNESS = 1e7
"""c of the built-in comparisons, N/m³."""
PLATE_SIZE = (0.5, 0.5, 0.1)
"""Of the plate, m."""
EXPONENT = 20.0
"""Of the box as a super-ellipsoid (S4.25)."""
_UP = np.array([0.0, 0.0, 1.0])


def sphere_on_plate(
    radius: float = 0.1,
    depth: float = 0.01,
    *,
    turn: ArrayLike = (0.3, 0.2, 0.1),
    subdivisions: int = 5,
    plate_divisions: int = 100,
    stiffness: float = STIFFNESS,
) -> Subject:
    """A ball of ``radius`` (m), ``depth`` (m) in a plate, its mesh turned by a rotation vector (rad).

    Its reference is the displaced volume, F = c π u² (R − u/3) for the ``stiffness`` c (N/m³).
    """
    if not 0.0 < depth < min(radius, PLATE_SIZE[2]):
        raise ContactError(
            f"sphere_on_plate: depth is {depth!r} m; give more than 0 and less than the radius {radius} m"
        )
    mesh = shapes.sphere(radius, subdivisions)
    ball = Side("ball", mesh, "sphere", {"radius": radius, "subdivisions": subdivisions})
    plate = _plate(plate_divisions)
    R = rotation(turn)
    round_one, plate_edge = round_mesh(mesh, radius), longest_edge(_mesh_of(plate))

    def expect(trial: Trial, c: float, k: float) -> Expected | str:
        if trial.is_point:
            if trial.forms[0] != "convex mesh":
                return _point(trial, k, depth, 0.0, "")
            seen = 2.0 * radius * math.sin(FACE_TILT + round_one.tilt)  # corners shown are within that angle
            shared = shared_way(seen, radius)
            return _point(trial, k, depth, round_one.sagitta, "sagitta and corners of the mesh", shared=shared)

        def on(base: Base) -> Expected | str:
            load, rule = _load_of(trial, base)
            if base is Base.F:
                return ball_load(c, radius, depth, load, round_one, rule=rule, plate_edge=plate_edge)
            load = "displaced" if load == "target_normal" else load  # lines from the ball end at the plane below it
            return ball_load(c, radius, depth, load, round_one, rule=rule)

        return _of_base(trial, on)

    exact = ClosedForm(
        force=stiffness * cap_volume(radius, depth),
        depth=depth,
        normal=R.T @ _UP,
        words="c π u² (R − u/3), c times the displaced volume",
        expect=expect,
        radius=radius,
    )
    pose = relative_to_body(R, (0.0, 0.0, radius - depth))
    return Subject("sphere on plate", ball, plate, pose, _description(stiffness), exact)


def box_on_plate(
    size: tuple[float, float, float] = (0.2, 0.15, 0.1),
    depth: float = 0.01,
    *,
    tilt: float = 0.0,
    turn: float = 0.0,
    divisions: int = 10,
    plate_divisions: int = 100,
    stiffness: float = STIFFNESS,
) -> Subject:
    """A box of ``size`` (m) with its lowest point ``depth`` (m) in a plate.

    ``tilt`` (rad) about y, below 10°; ``turn`` (rad) about the vertical, against the plate's mesh. Its reference is the
    displaced volume, F = c a b u where it lies flat, for the ``stiffness`` c (N/m³).
    """
    if not 0.0 <= tilt < 0.5 * math.pi - FLANK_ENDS:
        raise ContactError(f"box_on_plate: tilt is {tilt!r} rad; give 0 to 0.17, so that walls stay flanks")
    height = size[2] * math.cos(tilt)
    if not 0.0 < depth < min(height, PLATE_SIZE[2]):
        raise ContactError(f"box_on_plate: depth is {depth!r} m; give more than 0 and less than {height:.3g} m")
    mesh = shapes.box(size, divisions=divisions)
    body = Side("box", mesh, "box", {"size": size, "divisions": divisions, "exponent": EXPONENT})
    plate = _plate(plate_divisions)
    R = rotation((0.0, 0.0, turn)) @ rotation((0.0, tilt, 0.0))
    box = BoxPose(size, tilt, turn, depth)
    edge, plate_edge = longest_edge(mesh), longest_edge(_mesh_of(plate))
    behind = rounding_of_box(0.5 * np.array(size), EXPONENT, R.T @ _UP)

    def expect(trial: Trial, c: float, k: float) -> Expected | str:
        if trial.is_point and trial.forms[0] == "implicit":
            found = _point(trial, k, depth - behind, 0.0, "")
            why = f"exponent 20, {1e3 * behind:.2g} mm behind the box" if behind else found.why
            return Expected(k * depth, found.low, found.high, why)
        if trial.is_point and trial.forms[0].startswith("convex"):
            return corners_load(k, *box.lowest_corners, 0.5 * math.hypot(*size), _off(trial))
        if trial.is_point:
            return _point(trial, k, depth, 0.0, "")

        def on(base: Base) -> Expected | str:
            load, rule = _load_of(trial, base)
            if base is Base.E:
                return box_load(c, box, load, edge, rule)
            return plate_load(c, box, load, plate_edge, rule)

        return _of_base(trial, on)

    exact = ClosedForm(
        force=stiffness * box.volume,
        depth=depth,
        normal=R.T @ _UP,
        words="c times the displaced volume" if tilt else "c a b u",
        expect=expect,
    )
    lift = 0.5 * (size[0] * math.sin(tilt) + height)  # of the middle over the lowest edge
    pose = relative_to_body(R, (0.0, 0.0, lift - depth))
    return Subject("box on plate", body, plate, pose, _description(stiffness), exact)


CASES: dict[str, Callable[[], Subject]] = {"sphere_on_plate": sphere_on_plate, "box_on_plate": box_on_plate}
"""Comparisons by name."""


def _plate(divisions: int) -> Side:
    x, y, z = PLATE_SIZE
    below = (0.0, 0.0, -0.5 * z)
    mesh = shapes.box(PLATE_SIZE, divisions=(divisions, divisions, max(1, round(divisions * z / x))))
    forms = {
        "mesh": Placed(mesh, below),
        "convex": Placed(convex.Box(PLATE_SIZE), below),
        "parametric": Placed(parametric.Plane((x, y))),
        "implicit": Placed(implicit.HalfSpace(x, z)),
    }
    return Side("plate", mesh, forms=forms)


def _mesh_of(side: Side) -> Surface:
    mesh = side.as_form("mesh").geometry
    assert isinstance(mesh, Surface)
    return mesh


def _description(stiffness: float) -> ContactDescription:
    return ContactDescription(method=PolygonalMethod(base=Base.E), law=LayerLaw(stiffness=stiffness))


def _of_base(trial: Trial, on: Callable[[Base], Expected | str]) -> Expected | str:
    base: Base = getattr(trial.method, "base", Base.E)
    return mean_of(on(Base.E), on(Base.F)) if base is Base.BOTH else on(base)


def _off(trial: Trial) -> float:
    """How far the search for the depth may be off, m."""
    size = size_of(trial.e.geometry) + size_of(trial.f.geometry)
    return size * (CONVEX_TOLERANCE if trial.forms[0].startswith("convex") else SMOOTH_TOLERANCE)


def _point(trial: Trial, k: float, depth: float, less: float, why: str, *, shared: float = 1.0) -> Expected:
    return point_load(k, depth, less, _off(trial), why or "tolerance of the search", shared=shared)


def _load_of(trial: Trial, base: Base) -> tuple[Load, Rule]:
    """What a method for meshes measures with this base, and how it sums."""
    method = trial.method
    on_plate = base is Base.F
    if isinstance(method, NodeBlockMethod):
        return ("distance" if on_plate else "displaced"), "corner"
    if isinstance(method, PenetrationLines):
        return ("displaced" if on_plate else "base_normal"), "whole"
    assert isinstance(method, PolygonalMethod)
    rule: Rule = "whole" if method.elements == "whole" else "barycentre" if on_plate else "exact"
    if method.depth == "distance":
        return ("distance" if on_plate else "displaced"), rule
    if method.depth == "base_normal":
        return ("displaced" if on_plate else "base_normal"), rule
    return "target_normal", rule
