"""Contact of surfaces given by formulas: force, table, users' own functions, what is said when nothing is found."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np
import pytest

import polycontact as pc

LAW = pc.LayerLaw(stiffness=2e4, damping=30.0)
TURN = 2.0 * math.pi


def height(alpha: Any, beta: Any, parameters: Any) -> Any:
    """A hole of no numbers near α = 0.13, too small for the samples."""
    if abs(alpha - 0.1303) < 0.003:
        return alpha, beta, math.nan
    return alpha, beta, parameters[0] * alpha**2


def globe(alpha: Any, beta: Any, parameters: Any) -> Any:
    """An ellipsoid by longitude and latitude, singular at its poles."""
    a, b, c = parameters
    return a * math.cos(alpha) * math.cos(beta), b * math.sin(alpha) * math.cos(beta), c * math.sin(beta)


def two_globes(alpha: Any, beta: Any, parameters: Any, chart: Any) -> Any:
    """The same with a second chart, whose poles lie on x."""
    a, b, c = parameters
    u, v, w = math.cos(alpha) * math.cos(beta), math.sin(alpha) * math.cos(beta), math.sin(beta)
    if chart == 0:
        return a * u, b * v, c * w
    return a * w, b * u, c * v


def torus(alpha: Any, beta: Any, parameters: Any) -> Any:
    rim = parameters[0] + parameters[1] * math.cos(beta)
    return rim * math.cos(alpha), rim * math.sin(alpha), parameters[1] * math.sin(beta)


def ring(x: Any, y: Any, z: Any, parameters: Any) -> Any:
    """The same torus, by an equation."""
    return (math.sqrt(x**2 + y**2) - parameters[0]) ** 2 + z**2 - parameters[1] ** 2


LATITUDES = ((-math.pi, math.pi), (-0.5 * math.pi, 0.5 * math.pi))
make_height = pc.surfaces.parametric_surface("test: height", domain=((-0.5, 0.5), (-0.5, 0.5)), divisions=(20, 20))(
    height
)
make_globe = pc.surfaces.parametric_surface(
    "test: globe", domain=LATITUDES, periodic=(True, False), divisions=(32, 24)
)(globe)
make_globes = pc.surfaces.parametric_surface(
    "test: two globes", domain=LATITUDES, periodic=(True, False), divisions=(32, 24), n_charts=2
)(two_globes)
make_torus = pc.surfaces.parametric_surface(
    "test: torus", domain=((0.0, TURN), (0.0, TURN)), periodic=(True, True), divisions=(48, 24)
)(torus)
make_ring = pc.surfaces.implicit_surface("test: ring", box=((-0.3, -0.3, -0.1), (0.3, 0.3, 0.1)))(ring)


def on_plane(body: Any, **options: Any) -> pc.ContactPairing:
    is_implicit = isinstance(body, pc.implicit.SuperEllipsoid | pc.implicit.Sphere | pc.implicit.UserSurface)
    plane = pc.implicit.HalfSpace() if is_implicit else pc.parametric.Plane()
    method = pc.contact.ImplicitMethod() if is_implicit else pc.contact.ParametricMethod()
    return pc.ContactPairing(plane, body, **{"method": method, "law": LAW, **options})


@pytest.mark.parametrize("ball", [pc.parametric.Ellipsoid(0.1), pc.implicit.Sphere(0.1)])
def test_force_of_a_ball(ball: Any) -> None:
    """As `test_method_from_outside` has it of a ball on a half-space: spring, damper and friction of one point."""
    friction = pc.RegularisedCoulomb(coefficient=0.5, velocity=0.01)
    pair = on_plane(ball, friction=friction)
    result = pair.evaluate(pc.RelativeKinematics(position=(0.3, 0.2, 0.095), velocity=(1.0, 0.0, -0.1)))
    load = 2e4 * 0.005 + 30.0 * 0.1
    np.testing.assert_allclose(result.force, [0.5 * load, 0.0, -load], atol=1e-9)
    # Friction acts in the middle of the depth, 97.5 mm below the marker of the ball.
    np.testing.assert_allclose(result.torque, [0.0, -0.5 * load * 0.0975, 0.0], atol=1e-9)
    (area,), (depth,) = result.elements.area, result.elements.depth
    assert (area, depth) == (1.0, pytest.approx(0.005))
    np.testing.assert_allclose(result.elements.base_point, [[0.3, 0.2, 0.0]], atol=1e-12)
    assert result.status == pc.ContactStatus.NORMAL
    derivative = pair.wrench_derivative(np.eye(3), (0.3, 0.2, 0.095))
    assert derivative[2, 2] == pytest.approx(2e4, rel=1e-6)
    assert not pair.evaluate(pc.RelativeKinematics(position=(0.3, 0.2, 0.2))).in_contact
    assert pair.wrench(np.eye(3), (0.0, 0.0, 0.1001)).tolist() == [0.0] * 6


def test_force_pushes_two_ellipsoids_apart() -> None:
    pair = pc.ContactPairing(
        pc.parametric.Ellipsoid((0.1, 0.2, 0.3)),
        pc.implicit.SuperEllipsoid(0.1),
        method=pc.contact.ParametricMethod(),
        law=LAW,
    )
    r = np.array([0.0, 0.29, 0.0])
    wrench = pair.wrench(np.eye(3), r)
    np.testing.assert_allclose(wrench[:3], [0.0, -2e4 * 0.01, 0.0], atol=1e-6)


def test_a_torus_by_parameters_and_by_an_equation() -> None:
    """A ball in the hole and beside it: the distance of its centre from the circle of the tube, a closed form."""
    ball_radius, rim, tube = 0.05, 0.2, 0.04
    pairs = [
        pc.ContactPairing(
            make_torus(rim, tube), pc.parametric.Ellipsoid(ball_radius), method=pc.contact.ParametricMethod(), law=LAW
        ),
        pc.ContactPairing(
            make_ring(rim, tube), pc.implicit.Sphere(ball_radius), method=pc.contact.ImplicitMethod(), law=LAW
        ),
    ]
    rng = np.random.default_rng(0)
    for _ in range(40):
        r = rng.uniform(-0.3, 0.3, 3) * (1.0, 1.0, 0.5)
        from_circle = math.hypot(math.hypot(r[0], r[1]) - rim, r[2])
        for pair in pairs:
            assert pair.distance(np.eye(3), r).distance == pytest.approx(from_circle - tube - ball_radius, abs=1e-9)


def test_mass_and_picture_of_a_torus() -> None:
    """Pappus: 2π²Rr² and 4π²Rr; a grid of 36 by 18 chords is less by about 1 - (2π/18)²/6, 2 %, and a little."""
    rim, tube = 0.2, 0.04
    for body, share in ((make_torus(rim, tube), 0.04), (make_ring(rim, tube), 0.04)):
        assert body.is_closed
        assert body.mass_properties(1000.0).mass == pytest.approx(1000 * 2 * math.pi**2 * rim * tube**2, rel=share)
        lower, upper = body.bounds
        assert (lower <= [-rim - tube, -rim - tube, -tube]).all()
        assert (upper >= [rim + tube, rim + tube, tube]).all()
        assert (upper - lower <= 1.4 * np.array([0.48, 0.48, 0.08])).all()


def test_contact_at_a_pole() -> None:
    """Longitudes and latitudes have no normal at the poles, which is said; with a second chart there is a contact."""
    axes, upright = (0.1, 0.2, 0.3), pc.RelativeKinematics(position=(0.0, 0.0, 0.299))
    single, double = on_plane(make_globe(*axes)), on_plane(make_globes(*axes))
    with pytest.warns(pc.ContactWarning, match=r"plane–test: globe: .* singular place, .* another chart"):
        result = single.evaluate(upright)
    assert result.status == pc.ContactStatus.SINGULAR_SURFACE
    assert math.isnan(single.distance(np.eye(3), (0.0, 0.0, 0.299)).distance)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert single.evaluate(upright).force[2] == 0.0, "warned once only"
        assert double.evaluate(upright).force[2] == pytest.approx(-2e4 * 0.001)
        tilted = pc.RelativeKinematics(position=(0.0, 0.0, 0.299), rotation=rotation_about_x(1e-3))
        exact = 0.299 - math.hypot(0.2 * math.sin(1e-3), 0.3 * math.cos(1e-3))
        assert single.evaluate(tilted).force[2] == pytest.approx(2e4 * exact), "beside a pole all is well"


def rotation_about_x(angle: float) -> Any:
    c, s = math.cos(angle), math.sin(angle)
    return np.array([[1.0, 0.0, 0.0], [0.0, c, -s], [0.0, s, c]])


def test_no_common_normal_is_told() -> None:
    """A ball over the edge of a plane: its lowest point faces nothing."""
    pair = on_plane(pc.parametric.Ellipsoid(0.1))
    with pytest.warns(pc.ContactWarning, match="plane–ellipsoid: no points .* face each other .* enlarge the domain"):
        result = pair.evaluate(pc.RelativeKinematics(position=(1.05, 0.0, 0.05)))
    assert result.status == pc.ContactStatus.NO_COMMON_NORMAL
    assert result.force.tolist() == [0.0, 0.0, 0.0]


def test_no_numbers_at_run_time() -> None:
    pair = pc.ContactPairing(
        make_height(0.0), pc.parametric.Ellipsoid(0.1), method=pc.contact.ParametricMethod(), law=LAW
    )
    assert pair.wrench(np.eye(3), (0.3, 0.0, 0.099))[2] == pytest.approx(-20.0)
    with pytest.raises(
        pc.ContactError, match=r"test: height–ellipsoid: the function of a surface, .* mend the function"
    ):
        pair.evaluate(pc.RelativeKinematics(position=(0.1303, 0.0, 0.099)))


def bad_function(alpha: Any, beta: Any, parameters: Any) -> Any:
    return alpha, beta, math.log(alpha)


def strange_function(alpha: Any, beta: Any, parameters: Any) -> Any:
    return alpha, beta, math.gamma(alpha)


@pytest.mark.slow
def test_bad_functions_are_refused_when_made() -> None:
    square = ((-1.0, 1.0), (-1.0, 1.0))
    bad = pc.surfaces.parametric_surface("test: bad", domain=square)(bad_function)
    with pytest.raises(
        pc.SurfaceError, match=r"test: bad: .* not a finite number at α = -1, β = -1 .* narrow the domain"
    ):
        bad()
    assert bad(domain=((0.1, 1.0), (-1.0, 1.0))).bounds[1, 0] >= 1.0
    strange = pc.surfaces.parametric_surface("test: strange", domain=square)(strange_function)
    with pytest.raises(pc.SurfaceError, match="cannot be compiled with derivatives"):
        strange()
    line = pc.surfaces.parametric_surface("test: line", domain=square)(
        lambda alpha, beta, parameters: (alpha, alpha, alpha)
    )
    with pytest.raises(pc.SurfaceError, match="no point has a normal"):
        line()
    inward = pc.surfaces.parametric_surface("test: inward", domain=((0.0, TURN), (0.0, TURN)), periodic=(True, True))(
        lambda alpha, beta, parameters: torus(beta, alpha, parameters)
    )
    with pytest.raises(pc.SurfaceError, match=r"inward|compiled"):
        inward(0.2, 0.05)
    box = ((-1.0, -1.0, -1.0), (1.0, 1.0, 1.0))
    nothing = pc.surfaces.implicit_surface("test: nothing", box=box)(lambda x, y, z, parameters: x**2 + y**2 + z**2 + 1)
    with pytest.raises(pc.SurfaceError, match="test: nothing: h has one sign all over the box"):
        nothing()
    inside_out = pc.surfaces.implicit_surface("test: inside out", box=box)(
        lambda x, y, z, parameters: 0.5 - x**2 - y**2 - z**2
    )
    with pytest.raises(pc.SurfaceError, match="h is positive inside"):
        inside_out()
    no_number = pc.surfaces.implicit_surface("test: no number", box=box)(lambda x, y, z, parameters: math.sqrt(x) + y)
    with pytest.raises(pc.SurfaceError, match="test: no number: h is not a finite number at"):
        no_number()


def test_mistakes_are_named() -> None:
    with pytest.raises(pc.SurfaceError, match="Ellipsoid: semi_axes = -1"):
        pc.parametric.Ellipsoid((0.1, -1.0, 0.1))
    with pytest.raises(pc.SurfaceError, match=r"exponent = 1\.5"):
        pc.implicit.SuperEllipsoid(0.1, 1.5)
    with pytest.raises(pc.SurfaceError, match="radius = nan"):
        pc.implicit.Sphere(math.nan)
    with pytest.raises(pc.SurfaceError, match="radii = "):
        pc.parametric.Paraboloid((1.0, 0.0))
    with pytest.raises(pc.SurfaceError, match="waves"):
        pc.parametric.CosineSurface(0.1, 0.01, size=(4.0, 1.0))
    with pytest.raises(pc.SurfaceError, match="'test: unheard of' is not known here"):
        pc.parametric.UserSurface("test: unheard of")
    with pytest.raises(pc.SurfaceError, match="parameter 0 is nan"):
        make_torus(math.nan, 0.1)
    with pytest.raises(pc.SurfaceError, match=r"domain is .* ascend"):
        make_torus(0.2, 0.05, domain=((1.0, 0.0), (0.0, 1.0)))
    with pytest.raises(pc.SurfaceError, match="has 2 arguments"):
        pc.surfaces.parametric_surface("test: short", domain=LATITUDES)(lambda alpha, beta: (alpha, beta, 0.0))
    with pytest.raises(pc.SurfaceError, match="no argument chart"):
        pc.surfaces.parametric_surface("test: charts", domain=LATITUDES, n_charts=2)(globe)
    ball, mesh = pc.parametric.Ellipsoid(0.1), pc.shapes.sphere(0.1, 1)
    with pytest.raises(pc.ContactError, match="ParametricMethod takes parametric and implicit geometries, and sphere"):
        pc.ContactPairing(ball, mesh, method=pc.contact.ParametricMethod(), law=LAW)
    with pytest.raises(pc.ContactError, match="ImplicitMethod takes implicit geometries, and ellipsoid"):
        pc.ContactPairing(ball, ball, method=pc.contact.ImplicitMethod(), law=LAW)
    with pytest.raises(pc.ContactError, match=r"take ImplicitMethod\(\)"):
        pc.ContactPairing(
            pc.implicit.Sphere(0.1), pc.implicit.Sphere(0.1), method=pc.contact.ParametricMethod(), law=LAW
        )
    with pytest.raises(pc.ContactError, match="PolygonalMethod takes mesh geometries, and ellipsoid"):
        pc.ContactPairing(ball, ball, method=pc.contact.PolygonalMethod(), law=LAW)
    with pytest.raises(pc.ContactError, match="rotation"):
        on_plane(ball).distance(2.0 * np.eye(3), (0.0, 0.0, 0.1))
    for open_surface in (pc.parametric.Plane(), pc.implicit.HalfSpace(), pc.parametric.CosineSurface(0.1, 1.0)):
        with pytest.raises(pc.SurfaceError, match="no mass; fix its body"):
            open_surface.mass_properties(1000.0)


def test_mass_of_round_bodies() -> None:
    """Closed forms among themselves, and against meshes that lie inside: 5120 triangles, 0.3 % less volume."""
    axes = (0.1, 0.2, 0.3)
    ellipsoid = pc.parametric.Ellipsoid(axes)
    for body in (ellipsoid, pc.implicit.SuperEllipsoid(axes, 2.0)):
        own, mesh = body.mass_properties(800.0), body.picture.mass_properties(800.0)
        assert own.mass == pytest.approx(800 * 4 / 3 * math.pi * 0.006, rel=1e-12)
        np.testing.assert_allclose(own.inertia, mesh.inertia, rtol=6e-3, atol=1e-12)
    cylinder = pc.implicit.SuperEllipsoid((0.3, 0.1, 0.1), 20.0, 2.0)
    own, mesh = cylinder.mass_properties(800.0), cylinder.picture.mass_properties(800.0)
    assert own.mass == pytest.approx(mesh.mass, rel=1e-2)
    np.testing.assert_allclose(np.diag(own.inertia), np.diag(mesh.inertia), rtol=2e-2)
    assert pc.implicit.Sphere(0.1).mass_properties(1.0).inertia[0, 0] == pytest.approx(
        0.4 * 0.01 * 4 / 3 * math.pi * 1e-3
    )


def test_function_announced_anew() -> None:
    """As in a notebook: a cell that is run again changes the surface."""
    square = ((-1.0, 1.0), (-1.0, 1.0))
    heights = []
    for flat in (
        lambda alpha, beta, parameters: (alpha, beta, 0.0),
        lambda alpha, beta, parameters: (alpha, beta, 0.25),
    ):
        heights.append(pc.surfaces.parametric_surface("test: again", domain=square)(flat)().bounds[1, 2])
    assert heights == pytest.approx([0.0, 0.25])
