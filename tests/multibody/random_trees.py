"""Random trees of bodies, described apart from polycontact, so that other libraries can build the same."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from polycontact.multibody.evaluation import Evaluation
from polycontact.multibody.joint_types import VARIABLES, JointKind
from polycontact.multibody.motion_functions import Motion
from polycontact.multibody.multibody_system import MultibodySystem
from polycontact.multibody.user_force import ForceElement, ForceView
from scenes import random_rotation

Array = NDArray[np.float64]
Frame = tuple[Array, Array]

KINDS = tuple(kind.value for kind in JointKind)


@dataclass
class Link:
    """A body, the joint that carries it, and the loads on both."""

    name: str
    kind: str
    parent: str
    mass: float
    centre: Array
    inertia: Array
    parent_marker: Frame
    child_marker: Frame
    q: Array
    u: Array
    force: Array
    point: Array
    torque: Array
    efforts: Array
    motions: list[Motion] = field(default_factory=list)


class Loads(ForceElement):
    """External forces and torques on bodies and efforts at joints, all constant."""

    def __init__(self, links: list[Link]) -> None:
        super().__init__("loads")
        self.links = links

    def apply(self, view: ForceView) -> None:
        for link in self.links:
            view.add_force(link.name, link.force, link.point)
            view.add_torque(link.name, link.torque)
            for k, effort in enumerate(link.efforts):
                view.add_effort(f"to {link.name}", effort, k)


def counts(kind: str) -> tuple[int, int]:
    """Number of coordinates and speeds of a kind of joint."""
    variables = VARIABLES[JointKind(kind)]
    return len(variables.coordinates), len(variables.speeds)


def random_inertia(rng: np.random.Generator) -> Array:
    """Inertia of some body: principal moments that obey the triangle inequality, in any axes."""
    a, b, c = rng.uniform(0.1, 1.0, 3)
    R = random_rotation(rng)
    return R @ np.diag([b + c, a + c, a + b]) @ R.T


def random_link(rng: np.random.Generator, name: str, kind: str, parent: str) -> Link:
    n_q, n_v = counts(kind)
    q = rng.normal(size=n_q)
    if kind in ("free", "spherical"):
        q[-4:] /= np.linalg.norm(q[-4:])
    return Link(
        name,
        kind,
        parent,
        rng.uniform(0.5, 3.0),
        0.2 * rng.normal(size=3),
        random_inertia(rng),
        (random_rotation(rng), rng.normal(size=3)),
        (random_rotation(rng), 0.5 * rng.normal(size=3)),
        q,
        rng.normal(size=n_v),
        5.0 * rng.normal(size=3),
        0.3 * rng.normal(size=3),
        rng.normal(size=3),
        rng.normal(size=n_v),
    )


def random_tree(rng: np.random.Generator, n_more: int = 4) -> list[Link]:
    """Every kind of joint once in random order, and ``n_more`` random ones; each parent is any body before."""
    kinds = [*rng.permutation(KINDS), *rng.choice(KINDS, size=n_more)]
    links: list[Link] = []
    for i, kind in enumerate(map(str, kinds)):
        parent = str(rng.choice(["world", *(link.name for link in links)]))
        links.append(random_link(rng, f"b{i}", kind, parent))
    return links


def build_system(links: list[Link], gravity: Array) -> MultibodySystem:
    system = MultibodySystem("random tree", gravity=gravity)
    for link in links:
        system.add_body(link.name, mass=link.mass, centre=link.centre, inertia=link.inertia)
    for link in links:
        (R, r), (own_R, own_r) = link.parent_marker, link.child_marker
        start = {} if link.motions else {"coordinates": link.q, "speeds": link.u}
        system.add_joint(
            f"to {link.name}",
            link.kind,
            link.parent,
            link.name,
            at=r,
            rotation=R,
            child_at=own_r,
            child_rotation=own_R,
            motion=link.motions or None,
            **start,
        )
    system.add_force(Loads(links))
    return system


def evaluate(system: MultibodySystem, t: float = 0.0) -> Evaluation:
    """The system at its start."""
    compiled = system.compile()
    return compiled.evaluate(t, compiled.start_state(t))


def accelerations(found: Evaluation, link: Link) -> Array:
    """Time derivatives of the speeds of a joint, after an evaluation."""
    first = found.bodies.setup.first_v[link.name]
    return found.joint_accelerations[first : first + len(link.u)]
