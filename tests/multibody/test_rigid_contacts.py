"""How systems answer impulses at contact points: against Pinocchio's and against accelerations under forces."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import pytest
from numpy.typing import NDArray
from random_trees import Link, build_system, random_tree

import polycontact as pc
from polycontact.kernels.response.codes import Hypothesis, ImpactEnd, Update
from polycontact.kernels.response.impacts import resolve_impacts
from polycontact.kernels.response.response_views import solver_settings
from polycontact.multibody.compiled import CompiledSystem
from polycontact.multibody.contact_points import ContactPoints
from polycontact.multibody.evaluation import Evaluation
from polycontact.multibody.rigid_contacts import ContactMatrix, RigidContacts
from scenes import Tally, random_rotation
from tests.kernels.response.problems import memory_for

Array = NDArray[np.float64]

RELATIVE = 1e-9  # exact up to rounding: 1e-13 is seen, ill-conditioned trees may lose a few digits more
TIME = 0.37
N_POINTS = 4


class Push(pc.multibody.ForceElement):
    """A unit force on a body in the world, its opposite on another."""

    def __init__(self) -> None:
        super().__init__("push")
        self.e = self.f = "world"
        self.force, self.point = np.zeros(3), np.zeros(3)

    def apply(self, view: pc.multibody.ForceView) -> None:
        for body, sign in ((self.e, 1.0), (self.f, -1.0)):
            if body != "world":
                own = view.rotation(body).T @ (self.point - view.position(body))
                view.add_force(body, sign * self.force, own)


class Scene(NamedTuple):
    """A random system, at a state, and random points between its bodies."""

    links: list[Link]
    push: Push
    compiled: CompiledSystem
    y: Array
    contacts: RigidContacts
    matrix: ContactMatrix

    def name(self, number: int) -> str:
        return next(name for name, each in self.compiled.setup.number.items() if each == number)


def random_scene(seed: int, *, loops: bool = False, driven: bool = False, step: float = 0.0) -> Scene:
    rng = np.random.default_rng(seed)
    links = random_tree(rng, n_more=3)
    if driven:
        for link in [each for each in links if each.kind in ("revolute", "prismatic")][:2]:
            link.motions = [pc.multibody.Harmonic(amplitude=0.3, frequency=0.8)]
    system = build_system(links, 5.0 * rng.normal(size=3))
    push = Push()
    system.add_force(push)
    if loops:
        add_rods(system, rng, links)
    compiled = system.compile()
    y = compiled.start_state(TIME)
    contacts = RigidContacts(compiled.setup, compiled.evaluator())
    contacts.touch(TIME, y)
    contacts.free_rates(TIME, y, step)
    points = random_points(rng, compiled.setup.tree.n_bodies)
    return Scene(links, push, compiled, y, contacts, contacts.respond(points))


def add_rods(system: pc.MultibodySystem, rng: np.random.Generator, links: list[Link]) -> None:
    """Two rods between bodies of the tree, as long as they are apart at the start."""
    compiled = system.compile()
    found = compiled.evaluate(TIME, compiled.start_state(TIME))
    names = [link.name for link in links]
    for i, (a, b) in enumerate((rng.choice(names, 2, replace=False), rng.choice(names, 2, replace=False))):
        at_a, at_b = rng.normal(size=3), rng.normal(size=3)
        (R_a, r_a), (R_b, r_b) = found.bodies.pose(str(a)), found.bodies.pose(str(b))
        length = float(np.linalg.norm(r_a + R_a @ at_a - r_b - R_b @ at_b))
        system.add_loop(f"rod {i}", "distance", str(a), str(b), at_a=at_a, at_b=at_b, length=length)


def random_points(rng: np.random.Generator, n_bodies: int) -> ContactPoints:
    bodies = np.array([rng.choice(n_bodies, 2, replace=False) for _ in range(N_POINTS)], np.int32)
    frame = np.array([random_rotation(rng).ravel() for _ in range(N_POINTS)])
    point = rng.normal(size=(N_POINTS, 3))
    body_e, body_f = np.ascontiguousarray(bodies[:, 0]), np.ascontiguousarray(bodies[:, 1])
    return ContactPoints(
        np.zeros(N_POINTS, np.int64), body_e, body_f, point, frame, np.zeros(N_POINTS), np.ones(N_POINTS)
    )


def point_accelerations(scene: Scene, found: Evaluation) -> Array:
    """Those of the accelerations alone: what speeds contribute is the same for all forces."""
    points = scene.matrix.points
    out = []
    for i in range(len(points)):
        total = np.zeros(3)
        for body, sign in ((points.body_e[i], 1.0), (points.body_f[i], -1.0)):
            if body:
                _, r = found.bodies.pose(scene.name(int(body)))
                a = found.acceleration[body]
                total += sign * (a[3:] + np.cross(a[:3], points.point[i] - r))
        out.append(points.frame[i].reshape(3, 3) @ total)
    return np.concatenate(out)


def by_forces(scene: Scene) -> tuple[Array, Array]:
    """Delassus matrix and responses from accelerations with and without a unit force along each direction."""
    points, push, compiled = scene.matrix.points, scene.push, scene.compiled
    push.force = np.zeros(3)
    rest = compiled.evaluate(TIME, scene.y)
    responses, columns = [], []
    for j in range(3 * len(points)):
        i, k = divmod(j, 3)
        push.e, push.f = scene.name(int(points.body_e[i])), scene.name(int(points.body_f[i]))
        push.force, push.point = points.frame[i].reshape(3, 3)[k], points.point[i]
        found = compiled.evaluate(TIME, scene.y)
        responses.append(found.joint_accelerations - rest.joint_accelerations)
        columns.append(point_accelerations(scene, found) - point_accelerations(scene, rest))
    return np.array(columns).T, np.array(responses)


SCENES = [(seed, loops, driven) for seed in (0, 1, 2, 5) for loops in (False, True) for driven in (False, True)]


@pytest.mark.parametrize(("seed", "loops", "driven"), SCENES)
def test_delassus_matrix_and_responses_are_those_of_forces(seed: int, loops: bool, driven: bool) -> None:
    scene = random_scene(seed, loops=loops, driven=driven)
    W, responses = by_forces(scene)
    # Differences of accelerations lose what these are larger than the matrix.
    atol = RELATIVE * max(1.0, np.abs(W).max())
    np.testing.assert_allclose(scene.matrix.delassus, W, rtol=0.0, atol=atol)
    own = np.array([scene.matrix.change_of_speeds(unit) for unit in np.eye(3 * N_POINTS)])
    np.testing.assert_allclose(own, responses, rtol=0.0, atol=RELATIVE * np.abs(responses).max())


@pytest.mark.parametrize(("seed", "loops", "driven"), SCENES)
def test_delassus_matrix_is_symmetric_and_semidefinite(seed: int, loops: bool, driven: bool) -> None:
    W = random_scene(seed, loops=loops, driven=driven).matrix.delassus
    np.testing.assert_allclose(W, W.T, rtol=0.0, atol=RELATIVE * np.abs(W).max())
    assert np.linalg.eigvalsh(W).min() > -RELATIVE * np.abs(W).max()


@pytest.mark.parametrize("seed", range(4))
def test_velocities_are_those_of_the_bodies(seed: int) -> None:
    scene = random_scene(seed, loops=True, driven=True)
    found = scene.compiled.evaluate(TIME, scene.y)
    points = scene.matrix.points
    expected = []
    for i in range(len(points)):
        total = np.zeros(3)
        for body, sign in ((points.body_e[i], 1.0), (points.body_f[i], -1.0)):
            if body:
                name = scene.name(int(body))
                (_, r), (w, v) = found.bodies.pose(name), found.bodies.twist(name)
                total += sign * (v + np.cross(w, points.point[i] - r))
        expected.append(points.frame[i].reshape(3, 3) @ total)
    own = scene.contacts.velocities(scene.matrix, scene.contacts.speeds)
    np.testing.assert_allclose(own, np.concatenate(expected), rtol=0.0, atol=1e-12 * np.abs(own).max())


@pytest.mark.parametrize("seed", range(3))
def test_loops_stay_closed_and_driven_joints_keep_their_speed(seed: int) -> None:
    scene = random_scene(seed, loops=True, driven=True)
    rng = np.random.default_rng(seed)
    impulse = scene.matrix.change_of_speeds(rng.normal(size=3 * N_POINTS))
    driven = np.ones(len(impulse), bool)
    driven[scene.contacts.in_joints] = False
    assert driven.sum() == 2
    assert not impulse[driven].any()
    y = scene.y.copy()
    y[scene.contacts.in_state] += impulse[scene.contacts.in_joints]
    projected = y.copy()
    scene.compiled.project(TIME, projected)  # which would change speeds that do not belong to closed loops
    size = np.abs(y[scene.contacts.in_state]).max()
    np.testing.assert_allclose(projected, y, rtol=0.0, atol=1e-9 * size)


def test_contacts_of_fixed_and_driven_bodies_do_not_give_way() -> None:
    system = pc.MultibodySystem()
    system.add_body("fixed", mass=1.0, inertia=(1.0, 1.0, 1.0), fixed=True)
    system.add_body("driven", mass=1.0, inertia=(1.0, 1.0, 1.0))
    system.add_joint("drive", "prismatic", "world", "driven", motion=pc.multibody.ConstantVelocity(speed=2.0))
    system.add_body("free", mass=2.0, inertia=(1.0, 1.0, 1.0))
    compiled = system.compile()
    contacts = RigidContacts(compiled.setup, compiled.evaluator())
    y = compiled.start_state()
    contacts.touch(0.0, y)
    contacts.free_rates(0.0, y)
    number = compiled.setup.number
    e = np.array([number["fixed"], number["driven"], number["free"]], np.int32)
    f = np.array([0, number["fixed"], number["driven"]], np.int32)
    frame = np.tile(np.array([0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0]), (3, 1))
    matrix = contacts.respond(
        ContactPoints(np.zeros(3, np.int64), e, f, np.zeros((3, 3)), frame, np.zeros(3), np.ones(3))
    )
    W = matrix.delassus
    assert not W[:6].any()
    assert not W[:, :6].any()
    np.testing.assert_allclose(W[6:, 6:], 0.5 * np.eye(3), atol=1e-15)
    np.testing.assert_allclose(contacts.velocities(matrix, contacts.speeds)[::3], (0.0, 2.0, -2.0), atol=1e-15)


# Pinocchio ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(6))
def test_delassus_matrix_is_that_of_pinocchio(seed: int) -> None:
    pin = pytest.importorskip("pinocchio", reason="Pinocchio is not installed (there is none for Windows)")
    from test_against_pinocchio import Model

    scene = random_scene(seed)
    tree = Model(scene.links, np.zeros(3))
    q, points = tree.coordinates(), scene.matrix.points
    rest = np.zeros(tree.model.nv)
    # Column by column: its crba wants joints in the order of a depth-first search, which these are not in.
    M = np.array([pin.rnea(tree.model, tree.data, q, rest, unit) for unit in np.eye(tree.model.nv)])
    pin.computeJointJacobians(tree.model, tree.data, q)
    J = np.zeros((3 * N_POINTS, tree.model.nv))
    for i in range(N_POINTS):
        for body, sign in ((points.body_e[i], 1.0), (points.body_f[i], -1.0)):
            joint = tree.places[scene.name(int(body))][0]
            if joint == 0:
                continue
            own = pin.getJointJacobian(tree.model, tree.data, joint, pin.LOCAL_WORLD_ALIGNED)
            arm = points.point[i] - tree.data.oMi[joint].translation
            linear = own[:3] - np.cross(arm, own[3:], axis=0) if own.shape[1] else own[:3]
            J[3 * i : 3 * i + 3] += sign * points.frame[i].reshape(3, 3) @ linear
    expected = J @ np.linalg.solve(M, J.T)
    np.testing.assert_allclose(scene.matrix.delassus, expected, rtol=0.0, atol=RELATIVE * np.abs(expected).max())


# Impacts --------------------------------------------------------------------------------------------------------


def kinetic_energy(scene: Scene, speeds: Array) -> float:
    y = scene.y.copy()
    y[scene.contacts.in_state] = speeds[scene.contacts.in_joints]
    return float(scene.compiled.evaluate(TIME, y).energies.kinetic)


def mass_matrix(scene: Scene) -> Array:
    """M of the kinetic energy uᵀMu/2, from energies of units of the speeds u and of sums of two of them."""
    units = np.eye(len(scene.contacts.speeds))
    own = np.array([kinetic_energy(scene, each) for each in units])
    M = np.diag(2.0 * own)
    for i in range(len(units)):
        for j in range(i):
            M[i, j] = M[j, i] = kinetic_energy(scene, units[i] + units[j]) - own[i] - own[j]
    return M


@pytest.fixture(scope="module")
def open_trees() -> list[tuple[Scene, Array]]:
    """Scenes without loops, with their mass matrices."""
    scenes = [random_scene(seed) for seed in range(5)]
    return [(scene, mass_matrix(scene)) for scene in scenes]


def test_mass_matrices_give_the_energy(open_trees: list[tuple[Scene, Array]]) -> None:
    rng = np.random.default_rng(0)
    for scene, M in open_trees:
        for u in rng.normal(size=(5, len(M))):
            assert 0.5 * u @ M @ u == pytest.approx(kinetic_energy(scene, u), rel=1e-11)


def assert_sound_impact(
    scene: Scene,
    before: Array,
    energy: Callable[[Array], float],
    rng: np.random.Generator,
    update: Update,
    hypothesis: Hypothesis,
) -> bool:
    """Whether there was an impact at all; see `test_impacts_of_trees`."""
    settings, memory = solver_settings(steps=2000), memory_for(scene.matrix.system)
    u = scene.contacts.velocities(scene.matrix, before)
    p = np.zeros(len(u))
    mu, e = rng.uniform(0.0, 1.0, N_POINTS), rng.uniform(0.0, 1.0, N_POINTS)
    end = resolve_impacts(scene.matrix.system, u, mu, e, hypothesis, update, p, 0.0, settings, memory)
    after = before + scene.matrix.change_of_speeds(p)
    had = energy(before)
    gained = energy(after) - had
    assert gained == pytest.approx(memory.report.energy_added, abs=1e-9 * had)
    if hypothesis == Hypothesis.ENERGETIC:
        assert gained <= 1e-9 * had
    if end in (ImpactEnd.RESOLVED, ImpactEnd.WITHOUT_RESTITUTION):
        assert scene.contacts.velocities(scene.matrix, after)[::3].min() > -1e-8 * (1.0 + np.abs(u).max())
    assert (p[::3] >= 0.0).all()
    assert (np.hypot(p[1::3], p[2::3]) <= mu * p[::3] * (1.0 + 1e-9) + 1e-12).all()
    return bool(p.any())


@pytest.mark.parametrize("hypothesis", Hypothesis)
@pytest.mark.parametrize("update", Update)
def test_impacts_of_trees(open_trees: list[tuple[Scene, Array]], update: Update, hypothesis: Hypothesis) -> None:
    """Energy as the system has it, not as the kernels count it; never more with the energetic hypothesis."""
    met = Tally()
    for seed, (scene, M) in enumerate(open_trees):
        rng = np.random.default_rng(seed)
        for _ in range(300):
            before = scene.contacts.speeds + rng.normal(size=len(M))
            met.note(assert_sound_impact(scene, before, lambda u, M=M: float(0.5 * u @ M @ u), rng, update, hypothesis))
    met.assert_share(0.8)


def test_impacts_of_loops() -> None:
    """The same at speeds that belong to closed loops, those of the start."""
    met = Tally()
    for seed in range(5):
        scene = random_scene(seed, loops=True)
        energy = functools.partial(kinetic_energy, scene)
        for update in Update:
            for hypothesis in Hypothesis:
                rng = np.random.default_rng(seed)
                met.note(assert_sound_impact(scene, scene.contacts.speeds, energy, rng, update, hypothesis))
    met.assert_share(0.6)


@pytest.mark.parametrize("response", ["multipliers", "impulses"])
def test_work_of_a_motion_that_drives_a_loop(response: str) -> None:
    """A driven crank throws a ball with its slider, again and again: what its drive puts in is found in the motion."""
    system = pc.MultibodySystem("crank")
    system.add_body("crank", mass=1.0, inertia=(0.01, 0.01, 0.01))
    system.add_joint("drive", "revolute", "world", "crank", axis=(0, 1, 0), motion=pc.multibody.ConstantVelocity(20.0))
    system.add_body("rod", mass=0.5, inertia=(0.01, 0.01, 0.01))
    system.add_joint("pin", "revolute", "crank", "rod", at=(0.05, 0, 0), axis=(0, 1, 0), coordinates=[-1.37])
    system.add_body("slider", surface=pc.convex.Box((0.2, 0.2, 0.05)), mass=2.0)
    system.add_joint("guide", "prismatic", "world", "slider", axis=(0, 0, 1), coordinates=[0.25])
    system.add_loop("wrist", "spherical", "rod", "slider", at_a=(0.3, 0, 0))
    system.add_body("ball", surface=pc.convex.Sphere(0.03), mass=1.0, position=(0.0, 0.0, 0.36))
    system.add_contact("ball", "slider", method=pc.contact.ConvexMethod(), law=pc.LayerLaw(stiffness=1e5))
    run = pc.simulate(system, end_time=0.5, response=response)
    assert run.ledger["input"][-1] > 3.0
    # First order in the step; without what the loop hands on from the drive to the ball it was 3.6 J.
    assert np.abs(run.ledger["balance"]).max() < 0.2
