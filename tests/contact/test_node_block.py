"""Hitting nodes against blocks: the nearest patch of all, closed forms, deep nodes, open surfaces, bad options."""

from __future__ import annotations

import math
import warnings
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import polycontact as pc
from polycontact.contact.block_grid import blocks_of, grid_of
from polycontact.kernels.geometry.blocks import block_at, nearest_in_block
from polycontact.kernels.geometry.nearest import near_at, search_nearest, signed_offset
from polycontact.kernels.geometry.vectors import row
from polycontact.kernels.jit import kernel
from polycontact.kernels.views import JIT_IS_OFF, Doubles, Ints
from scenes import LAW, STIFFNESS, random_rotation, rotation

I3 = np.eye(3)
L_SHAPE = [(0.0, 0.0), (0.3, 0.0), (0.3, 0.1), (0.1, 0.1), (0.1, 0.3), (0.0, 0.3)]
BRACKET = pc.shapes.extrude(L_SHAPE, 0.4, divisions=2)
SURFACES = {
    "sphere": pc.shapes.sphere(0.1, 3),
    "torus": pc.shapes.torus(0.1, 0.04),
    "bracket": BRACKET,
    "coarse box": pc.shapes.box((0.2, 0.15, 0.1)),
    "sheet": pc.shapes.plane(0.4, 3),
    "room": pc.shapes.sphere(0.1, 2).flipped(),
}


def nodes(e: pc.Surface, f: pc.Surface, **options: object) -> pc.ContactPairing:
    return pc.ContactPairing(e, f, method=pc.contact.NodeBlockMethod(**options), law=LAW)


def evaluated(pair: pc.ContactPairing, R: np.ndarray, r: object) -> pc.ContactResult:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", pc.ContactWarning)
        return pair.evaluate(pc.RelativeKinematics(rotation=R, position=r))


@kernel
def _by_block_and_by_tree(mesh: object, blocks: object, points: Doubles, stack: Ints, found: Ints) -> None:
    """Column 0: 0 touches nothing, 1 deep, 2 in a list; 1: by the list; 2: by the tree; 3: 1 where it is inside."""
    for i in range(len(points)):
        p = row(points, i)
        b, beside = block_at(blocks, p)
        found[i, 0] = found[i, 1] = 0
        if b >= 0 and blocks.near[b] >= 0 and not blocks.clearance[b] > beside:
            found[i, 0] = 1
            if blocks.first[b + 1] > blocks.first[b]:
                found[i, 0] = 2
                found[i, 1] = nearest_in_block(mesh, blocks, b, beside, p)[0]
        near = search_nearest(mesh, p, near_at(mesh, p, 0), stack)
        depth = signed_offset(mesh, p, near).depth
        found[i, 2] = near.triangle
        found[i, 3] = 1 if depth > 0.0 and near.foot.square <= blocks.limit**2 else 0


@pytest.mark.skipif(JIT_IS_OFF, reason="thousands of points take minutes as plain Python")
@pytest.mark.parametrize("size", [None, 0.011, 0.05, 1.0])
@pytest.mark.parametrize("name", SURFACES)
def test_a_list_holds_the_nearest_of_all_patches(name: str, size: float | None) -> None:
    surface = SURFACES[name]
    blocks = blocks_of(surface, size, 0.05, name)
    rng = np.random.default_rng(1)
    low, high = surface.bounds[0] - 0.05, surface.bounds[1] + 0.05
    points = low + (high - low) * rng.uniform(size=(2000, 3))
    found = np.zeros((len(points), 4), np.int32)
    _by_block_and_by_tree(surface.contact_data.view, blocks, points, np.zeros((256, 6), np.int32), found)
    listed = found[:, 0] == 2
    assert np.array_equal(found[listed, 1], found[listed, 2])
    in_grid = (points >= blocks.corner).all(axis=1)
    in_grid &= (points < blocks.corner + blocks.size * np.array(grid_of(blocks).shape)).all(axis=1)
    left_out = found[:, 0] == 0
    left_out &= in_grid | bool(blocks.is_all)  # beyond the blocks of a room the tree is asked
    assert not found[left_out, 3].any(), "none that is inside is left out"
    assert found[:, 3].sum() > 50
    if size is None:
        assert listed.sum() > 50
        assert grid_of(blocks).lists > 100


def distance_to_sides(points: np.ndarray, outline: np.ndarray) -> np.ndarray:
    """Distances of points (n, 2) from the sides of a polygon, m."""
    away = []
    for a, b in zip(outline, np.roll(outline, -1, axis=0), strict=True):
        share = np.clip((points - a) @ (b - a) / ((b - a) @ (b - a)), 0.0, 1.0)
        away.append(np.linalg.norm(points - a - share[:, None] * (b - a), axis=1))
    return np.min(away, axis=0)


def inside_the_bracket(points: np.ndarray, margin: float) -> np.ndarray:
    """Which points (n, 3), from its lowest corner, lie inside the bracket by more than ``margin`` (m)."""
    x, y, z = points.T
    inside = (np.minimum(x, y) > margin) & (np.maximum(x, y) < 0.3 - margin) & (np.minimum(x, y) < 0.1 - margin)
    return np.asarray(inside & (z > margin) & (z < 0.4 - margin))


def test_depth_and_normal_at_convex_and_concave_edges() -> None:
    """A ball against the corners of a bracket of known shape: distances to its sides and ends, by hand."""
    ball = pc.shapes.sphere(0.06, 3)
    pair = nodes(ball, BRACKET, normal="target")
    low = BRACKET.bounds[0, 2]
    for x, y, z in ((0.1, 0.1, 0.2), (0.09, 0.11, 0.0), (0.3, 0.05, 0.4), (0.0, 0.0, 0.21), (0.12, 0.12, 0.2)):
        result = evaluated(pair, I3, (-x, -y, -z - low))  # the ball's centre at (x, y, z) of the bracket
        table = result.elements
        centre = np.array([x, y, z])
        clearly = inside_the_bracket(ball.vertices + centre, 1e-12).sum()
        assert len(table) == clearly + (table.depth < 1e-12).sum()
        assert len(table) > 10
        local = table.base_point + centre
        assert inside_the_bracket(local, -1e-12).all()
        to_ends = np.minimum(local[:, 2], 0.4 - local[:, 2])
        expected = np.minimum(distance_to_sides(local[:, :2], np.array(L_SHAPE)), to_ends)
        np.testing.assert_allclose(table.depth, expected, atol=1e-15)
        # The way out along the normal ends on the surface.
        out = local + table.depth[:, None] * table.normal
        on_sides = distance_to_sides(out[:, :2], np.array(L_SHAPE))
        np.testing.assert_allclose(np.minimum(on_sides, np.minimum(abs(out[:, 2]), abs(out[:, 2] - 0.4))), 0, atol=1e-9)
        np.testing.assert_allclose(table.target_point + centre, out, atol=1e-9)


def test_a_flat_box_on_a_plate_presses_with_its_bottom() -> None:
    """c A u and its torque, flanks cancel; along the target's normal half of the side faces counts too: by hand."""
    box, plate = pc.shapes.box((0.2, 0.1, 0.05), (4, 2, 1)), pc.shapes.plane(2.0)
    r = np.array([0.3, 0.1, -0.024])
    result = evaluated(nodes(box, plate), I3, r)
    force = STIFFNESS * 0.02 * 1e-3
    np.testing.assert_allclose(result.force, [0, 0, force], atol=1e-9 * force)
    np.testing.assert_allclose(result.torque, [-r[1] * force, r[0] * force, 0], atol=1e-9 * force)
    table = result.elements
    bottom = table.normal[:, 2] == 1.0
    assert bottom.sum() == 15  # nodes of the bottom, those on its edges with sheets of the sides besides
    assert table.area[bottom].sum() == pytest.approx(0.02, rel=1e-12)
    assert (np.abs(table.normal[~bottom, 2]) < 1e-12).all()
    whole = nodes(box, plate, normal="target").wrench(I3, r)[2]
    assert whole == pytest.approx(force * (0.02 + 0.5 * 2 * (0.2 + 0.1) * 0.05) / 0.02, rel=1e-12)


def test_the_force_of_a_ball_comes_to_c_times_v() -> None:
    depth, radius = 0.02, 0.1
    exact = STIFFNESS * math.pi * depth**2 * (radius - depth / 3.0)
    errors = []
    for n in (2, 3, 4, 5):
        pair = nodes(pc.shapes.sphere(radius, n), pc.shapes.box((1.0, 1.0, 0.4)))
        errors.append(abs(pair.wrench(I3, (0.003, 0.001, depth - radius - 0.2))[2] / exact - 1.0))
    assert errors[-1] < 3e-3
    assert errors[-1] < errors[0] / 8.0  # edges are eight times shorter


def test_forces_along_the_target_have_a_potential() -> None:
    """The wrench is the gradient of ½ c Σ A u², to the error of differences."""
    ball, torus = pc.shapes.sphere(0.05, 3), SURFACES["torus"]
    pair = nodes(torus, ball, normal="target")
    rng = np.random.default_rng(2)

    def energy(R: np.ndarray, r: np.ndarray) -> float:
        table = evaluated(pair, R, r).elements
        return 0.5 * STIFFNESS * float(table.area @ table.depth**2)

    for angle in (0.1, 0.8, 2.0, 4.0):
        R, r = random_rotation(rng), np.array([0.17 * math.cos(angle), 0.17 * math.sin(angle), 0.02])
        wrench = pair.wrench(R, r)
        h = 1e-6
        force = [(energy(R, r + h * a) - energy(R, r - h * a)) / (2 * h) for a in I3]  # on E: against F's motion
        torque = [(energy(rotation(a, h) @ R, r) - energy(rotation(a, -h) @ R, r)) / (2 * h) for a in I3]
        scale = abs(wrench[:3]).max()
        np.testing.assert_allclose(force, wrench[:3], atol=1e-5 * scale)
        np.testing.assert_allclose(torque, wrench[3:], atol=1e-5 * scale * 0.1)
        assert scale > 1.0


@pytest.mark.parametrize("normal", ["base", "target"])
def test_outlines_are_thirds_of_triangles(normal: str) -> None:
    """Together they have the area of the elements, on E and on F, where none faces away."""
    pair = nodes(SURFACES["sphere"], SURFACES["torus"], base="both", normal=normal)
    result = evaluated(pair, rotation((0, 0, 1), 0.4), (0.225, 0.02, 0.01))  # 15 mm
    assert len(result.outlines) == len(result.elements) > 5
    for loops, area in zip(result.outlines, result.elements.area, strict=True):
        drawn = sum(0.5 * np.linalg.norm(np.cross(x[2] - x[0], x[3] - x[1])) for x in loops)
        assert drawn == pytest.approx(area, rel=0.03 if normal == "base" else 1e-9)  # sheets bend a little


def test_the_work_around_closed_paths_goes_to_zero() -> None:
    """Around the edge of a box, where the nearest face changes: of the stored energy 2 %, then less than half of it."""
    box, path = pc.shapes.box((0.3, 0.3, 0.1), 6), 2.0 * math.pi * np.arange(241) / 240
    shares = []
    for n in (3, 4):
        pair = nodes(pc.shapes.sphere(0.05, n), box)
        r = -np.array([0.15, 0.0, 0.08]) + 4e-3 * np.column_stack((np.cos(path), 0.3 * np.sin(path), np.sin(path)))
        forces, energies = [], []
        for each in r:
            table = evaluated(pair, I3, each).elements
            forces.append(table.force.sum(axis=0))
            along = np.einsum("ij,ij->i", table.normal, (table.target_point - table.base_point) / table.depth[:, None])
            energies.append(0.5 * STIFFNESS * (table.area * table.depth**2 * along).sum())
        middle = 0.5 * (np.array(forces)[1:] + np.array(forces)[:-1])
        shares.append(abs((middle * np.diff(r, axis=0)).sum()) / max(energies))
    assert shares[0] < 0.02
    assert shares[1] < 0.5 * shares[0]


def test_bits_do_not_depend_on_the_blocks() -> None:
    ball, bracket = SURFACES["sphere"], BRACKET
    pairs = [nodes(ball, bracket, block_size=size, base="both") for size in (None, 0.013, 0.1, 2.0)]
    rng = np.random.default_rng(3)
    touched = 0
    for _ in range(20):
        R, r = random_rotation(rng), rng.uniform(-0.3, 0.1, size=3)
        wrenches = [evaluated(pair, R, r).force for pair in pairs]
        touched += bool(wrenches[0].any())
        for wrench in wrenches[1:]:
            np.testing.assert_array_equal(wrench, wrenches[0])
    assert touched > 5


def test_swapped_bodies_and_both_bases() -> None:
    e, f = SURFACES["sphere"], SURFACES["torus"]
    R, r = rotation((1, 2, 0.5), 0.4), np.array([0.13, 0.05, 0.03])
    of_e, of_f, both = (evaluated(nodes(e, f, base=base), R, r).force for base in ("E", "F", "both"))
    assert np.abs(of_e).max() > 1.0
    np.testing.assert_allclose(both, 0.5 * (of_e + of_f), rtol=1e-12, atol=1e-9)
    swapped = evaluated(nodes(f, e, base="F"), R.T, -R.T @ r).force
    np.testing.assert_allclose(R @ swapped, -of_e, rtol=1e-9)


def test_deep_nodes_are_not_lost() -> None:
    """A ball in the middle of a block: every node is an element, as deep as it is far from the faces."""
    ball, block = pc.shapes.sphere(0.1, 2), pc.shapes.box((2.0, 2.0, 1.0), 30)
    pair = nodes(ball, block, normal="target", block_size=0.05)
    for centre in ((0.0, 0.0, 0.0), (0.5, -0.3, 0.25), (0.0, 0.0, 0.39)):
        table = evaluated(pair, I3, -np.array(centre)).elements
        assert len(table) == len(ball.vertices)
        np.testing.assert_array_equal(np.sort(table.base_triangle), np.arange(len(ball.vertices)))
        local = ball.vertices[table.base_triangle] + centre
        np.testing.assert_allclose(table.depth, ((1.0, 1.0, 0.5) - np.abs(local)).min(axis=1), rtol=1e-12)
    assert evaluated(pair, I3, (0.0, 0.0, 0.0)).statistics.line_checks > 0, "some blocks are deep"


def test_a_body_pressed_through_is_told() -> None:
    pair = nodes(pc.shapes.box((0.2, 0.2, 0.01), 2), pc.shapes.box((1.0, 1.0, 0.5)))
    with pytest.warns(pc.ContactWarning, match="deeper than it is thick"):
        result = pair.evaluate(pc.RelativeKinematics(position=(0.0, 0.0, -0.23)))
    assert result.status is pc.ContactStatus.PRESSED_THROUGH
    assert result.force[2] > 0.0


def test_open_targets_have_a_depth() -> None:
    ball, sheet = pc.shapes.sphere(0.1, 2), pc.shapes.plane(1.0, 4)
    pair = nodes(ball, sheet, max_penetration=0.03)
    assert pair.wrench(I3, (0.0, 0.0, -0.09))[2] > 0.0
    below = evaluated(pair, I3, (0.0, 0.0, -0.02))
    assert (below.elements.depth <= 0.03).all()
    assert len(below.elements) > 0
    assert not evaluated(pair, I3, (0.0, 0.0, 0.14)).force.any()  # all of it is deeper
    assert pair.method.margin(ball, sheet) == 0.03
    assert pc.contact.NodeBlockMethod(base="F").margin(ball, sheet) == 0.0
    assert pc.contact.NodeBlockMethod().deepest(ball, sheet) == pytest.approx(2.0 / 3.0 * 0.1, rel=0.1)


def test_a_room_holds_what_is_in_it() -> None:
    """A surface that is inside out pushes inwards, also beyond its box."""
    ball, room = pc.shapes.sphere(0.05, 2), SURFACES["room"]
    pair = nodes(ball, room)
    assert not pair.wrench(I3, (0.0, 0.03, 0.01)).any()
    for x in (0.06, 0.12, 0.145):  # the wall is at 0.1 - 0.05
        assert evaluated(pair, I3, (x, 0.0, 0.0)).force[0] > 0.0, "the ball moves to -x of the room and is pushed back"


def test_vertices_of_no_triangle_do_not_hit() -> None:
    ball = pc.shapes.sphere(0.1, 1)
    vertices = np.vstack((ball.vertices, (0.0, 0.0, -0.2)))
    loose = pc.Surface(vertices, ball.triangles)
    plate = pc.shapes.box((1.0, 1.0, 0.2))
    r = (0.0, 0.0, -0.19)
    np.testing.assert_array_equal(nodes(loose, plate).wrench(I3, r), nodes(ball, plate).wrench(I3, r))


@pytest.mark.parametrize("size", [0.0, -0.1, math.nan, math.inf])
def test_impossible_sizes_are_refused(size: float) -> None:
    with pytest.raises(pc.ContactError, match=f"block_size is {size}.* m; it must be positive and finite"):
        pc.contact.NodeBlockMethod(block_size=size)


def test_a_size_that_is_no_number_is_refused() -> None:
    with pytest.raises(pc.ContactError, match=r"block_size is 'small'.*expected is a length in m, such as \"12 mm\""):
        pc.contact.NodeBlockMethod(block_size="small")


@pytest.mark.parametrize("size", [1e-4, 1e-9, 1e-300])
def test_sizes_that_no_memory_holds_are_refused(size: float) -> None:
    with pytest.raises(pc.ContactError, match=f"block_size is {size:g} m.*blocks.*give at least 0.0.* m, or leave"):
        nodes(SURFACES["sphere"], BRACKET, block_size=size)
    least = 0.0
    try:
        nodes(SURFACES["sphere"], pc.shapes.box(1.0), block_size=size)
    except pc.ContactError as error:
        least = float(str(error).split("give at least ")[1].split(" m")[0])
    assert 1.0 / least < 2.0**7


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"base": "G"}, "base is 'G'; allowed: 'E', 'F', 'both', 'auto'"),
        ({"normal": "both"}, "normal is 'both'"),
        ({"max_penetration": 0.0}, "max_penetration is 0.0 m"),
    ],
)
def test_bad_options_are_refused(options: dict[str, object], told: str) -> None:
    with pytest.raises(pc.ContactError, match=told):
        pc.contact.NodeBlockMethod(**options)


def test_other_geometry_is_refused() -> None:
    with pytest.raises(pc.ContactError, match="e is 3; expected a Surface"):
        pc.contact.NodeBlockMethod().prepare(3, BRACKET, pc.ContactDescription(law=LAW), "pair")


def test_bad_kinematics_are_refused() -> None:
    with pytest.raises(pc.ContactError, match="not finite"):
        nodes(SURFACES["sphere"], BRACKET).wrench(I3, (math.nan, 0.0, 0.0))


def test_description_and_grid_are_told() -> None:
    method = pc.contact.NodeBlockMethod(base=pc.Base.F, block_size=0.06, normal="target")
    description = pc.ContactDescription(method=method, law=LAW)
    assert pc.ContactDescription.from_plain(description.to_plain()) == description
    pair = pc.ContactPairing(SURFACES["coarse box"], SURFACES["sphere"], description=description)
    grid = pair.prepared.grids["E"]
    assert grid.block_size == 0.06
    assert grid.shape == (4, 3, 2)  # of 0.2, 0.15 and 0.1 m


def test_a_run_is_recorded_and_shown(tmp_path: Path) -> None:
    """A ball that bounces on a plate, against the equation of motion with c V by scipy; ledger and page."""
    radius, stiffness = 0.1, 1e7
    system = pc.MultibodySystem("bounce")
    system.add_body("ball", surface=pc.shapes.sphere(radius, 4), density=1000.0, position=(0, 0, 0.11))
    system.add_body("plate", surface=pc.shapes.box((1, 1, 0.2)), fixed=True, position=(0, 0, -0.1))
    law = pc.LayerLaw(stiffness=stiffness)
    system.add_contact("ball", "plate", method=pc.contact.NodeBlockMethod(), law=law, name="c")
    path = tmp_path / "nodes.h5"
    run = pc.simulate(system, end_time=0.12, output_step=5e-3, rtol=1e-7, atol=1e-9, record=path)
    mass = system.bodies["ball"].mass

    def rates(t: float, y: np.ndarray) -> list[float]:
        depth = max(radius - y[0], 0.0)
        return [y[1], stiffness * math.pi * depth**2 * (radius - depth / 3.0) / mass - 9.81]

    times = run.trajectory.time
    expected = solve_ivp(rates, (0.0, 0.12), [0.11, 0.0], t_eval=times, rtol=1e-9, atol=1e-12).y[0]
    found = run.trajectory.body("ball").position[:, 2]
    assert expected.min() < 0.095
    np.testing.assert_allclose(found, expected, atol=2e-4)  # nodes are 3 % of the diameter apart
    assert abs(run.ledger["residual"]).max() < 1e-3 * run.ledger.turnover
    pc.save_page(path, tmp_path / "nodes.html")
    assert (tmp_path / "nodes.html").stat().st_size > 10_000


def test_threads_share_a_pairing() -> None:
    """Each evaluation has memory of its own: the same bits in four threads at once as one after the other."""
    pair = nodes(SURFACES["sphere"], SURFACES["torus"], base="both", normal="target")
    positions = [np.array([0.2 + 1e-3 * k, 0.02, 0.01]) for k in range(24)]
    alone = [pair.wrench(I3, r) for r in positions]
    assert any(wrench.any() for wrench in alone)
    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(lambda r: pair.wrench(I3, r), positions))
    np.testing.assert_array_equal(together, alone)
