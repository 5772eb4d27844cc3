"""What the kernels need of a system and never change: made once, when the system is compiled.

The bodies stand in the order in which kernels count them: the world is 0, and a body comes after its parent.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import numpy as np

from polycontact.contact.pairing import ContactPairing
from polycontact.kernels.dynamics.dynamics_codes import ConstraintCode
from polycontact.kernels.dynamics.evaluation_views import N_POWERS
from polycontact.kernels.dynamics.setup_views import Loops, Motions, Tree
from polycontact.multibody import checks
from polycontact.multibody.contact_setup import lay_out_pairs, lay_out_shapes, ordered_contacts, shapes_in_contact
from polycontact.multibody.force_setup import lay_out_elements
from polycontact.multibody.joint_types import Joint
from polycontact.multibody.motion_functions import Motion
from polycontact.multibody.rigid_bodies import WORLD
from polycontact.multibody.user_force import ForceElement

if TYPE_CHECKING:
    from polycontact.multibody.multibody_system import MultibodySystem


class SystemSetup:
    """The constant views of a system, and where its named parts stand in them."""

    def __init__(self, system: MultibodySystem) -> None:
        self.system = system
        self.broad_phase = system.broad_phase
        self.users = tuple(each for each in system.forces.values() if isinstance(each, ForceElement))
        """Users' force elements, in the order of their states."""
        self.joints = _from_the_world_outwards(system)
        """The joint that carries each body, from body 1 on."""
        self.number = {WORLD: 0, **{joint.child: i + 1 for i, joint in enumerate(self.joints)}}
        """Number of each body in the kernels, by name."""
        self.first_q: dict[str, int] = {}
        self.first_v: dict[str, int] = {}
        motions: list[Motion] = []
        self.n_state_q = self.n_state_v = 0
        self.tree = self._lay_out_tree(system, motions)
        self.elements = lay_out_elements(system, self.number, self.first_q, self.first_v, motions)
        self.functions = tuple(motions)
        """Functions of time of joints and force elements, in the order of ``motions``."""
        self.motions = lay_out_motions(motions)
        shapes = shapes_in_contact(system)
        self.contacts = ordered_contacts(system, shapes)
        """The contacts in the order of the kernels' pairs."""
        self._pairings: dict[int, ContactPairing] = {}
        self._shared: dict[tuple[int, ...], ContactPairing] = {}
        """Set-ups that pairs of the same two geometries and the same description share."""
        self._preparing = threading.Lock()
        self.shapes = lay_out_shapes(system, shapes, self.number)
        first_contact_state = self.n_state_q + self.n_state_v + sum(len(each.states) for each in self.users)
        self.pairs = lay_out_pairs(self.contacts, shapes, first_contact_state)
        self.tree.ledger = first_contact_state + self.pairs.n_states
        self.tells_loss = any(each.description.tells_loss for each in self.contacts)
        """Whether a law tells what its layers lose, which the ledger integrates then."""
        self.tree.n_states = self.tree.ledger + N_POWERS + int(self.tells_loss)
        self.remembering = tuple(i for i, each in enumerate(self.contacts) if any(each.description.memory_widths))
        """Pairs whose laws remember elements from one accepted step to the next."""
        self.constraint_loop: list[str] = []
        """Name of the loop or coupler to which each scalar constraint belongs; loops come first."""
        self.couplers = {name: each.coupled(system.joints) for name, each in system.couplers.items()}
        """Terms of each coupler, by name, in the order of their constraints, which are the last ones."""
        self.loops = self._lay_out_loops(system)

    def pairing(self, pair: int) -> ContactPairing:
        """Set-up of a contact, made when it is first asked for and shared by all evaluators."""
        with self._preparing:
            if pair not in self._pairings:
                contact = self.contacts[pair]
                key = contact.shared_key(self.system.bodies)
                if key not in self._shared:
                    self._shared[key] = contact.make_pairing(self.system.bodies)
                self._pairings[pair] = self._shared[key].named(contact.name)
            return self._pairings[pair]

    def joint_number(self, joint: str) -> int:
        """Where a joint stands in `joints`; a body without a joint has one of its own name."""
        joints = self.system.joints
        child = joints[joint].child if joint in joints else joint
        checks.known("joint", child, self.first_q, "system")
        return self.number[child] - 1

    def variables_of(self, joint: str) -> tuple[slice, slice]:
        """Where a joint's coordinates and speeds stand; a body without a joint has one of its own name."""
        body, tree = self.joint_number(joint) + 1, self.tree
        first_q, first_v = int(tree.first_q[body]), int(tree.first_v[body])
        return (
            slice(first_q, first_q + int(tree.count_q[body])),
            slice(first_v, first_v + int(tree.count_v[body])),
        )

    def _lay_out_tree(self, system: MultibodySystem, motions: list[Motion]) -> Tree:
        """Bodies and joints; motions of joints are added to ``motions``."""
        tree = Tree()
        tree.reserve(n_bodies=len(self.joints) + 1)
        tree.parent[0] = -1
        n_q = n_v = 0
        for i, joint in enumerate(self.joints, start=1):
            count_q, count_v = len(joint.variables.coordinates), len(joint.variables.speeds)
            self.first_q[joint.child], self.first_v[joint.child] = n_q, n_v
            tree.parent[i] = self.number[joint.parent]
            tree.kind[i] = joint.variables.code
            tree.first_q[i], tree.count_q[i] = n_q, count_q
            tree.first_v[i], tree.count_v[i] = n_v, count_v
            tree.motion[i] = len(motions) if joint.motions else -1
            motions.extend(joint.motions)
            tree.state_q[i], tree.state_v[i] = self.n_state_q, self.n_state_v
            n_q, n_v = n_q + count_q, n_v + count_v
            if not joint.motions:
                self.n_state_q += count_q
                self.n_state_v += count_v
            _place_joint(tree, i, joint)
            _give_mass(tree, i, system, joint.child)
        tree.state_v[1:] += self.n_state_q
        tree.n_coordinates = n_q
        tree.reserve(n_speeds=n_v)
        for joint in self.joints:
            first = self.first_v[joint.child]
            tree.rotor_inertia[first : first + len(joint.variables.speeds)] = joint.rotor_inertia
        tree.gravity[:] = system.gravity
        return tree

    def _lay_out_loops(self, system: MultibodySystem) -> Loops:
        loops = Loops()
        loops.stabilisation = system.loop_stabilisation
        rows = [(loop, constraint) for loop in system.loops.values() for constraint in loop.constraints()]
        loops.reserve(n=len(rows) + len(self.couplers), n_terms=sum(map(len, self.couplers.values())))
        for i, (loop, constraint) in enumerate(rows):
            self.constraint_loop.append(loop.name)
            loops.kind[i] = constraint.kind
            loops.body_a[i], loops.body_b[i] = self.number[loop.body_a], self.number[loop.body_b]
            loops.point_a[i], loops.direction_a[i] = constraint.point_a, constraint.direction_a
            loops.point_b[i], loops.direction_b[i] = constraint.point_b, constraint.direction_b
            loops.length[i] = constraint.length
        first = 0
        for i, (name, terms) in enumerate(self.couplers.items(), start=len(rows)):
            self.constraint_loop.append(name)
            loops.kind[i] = ConstraintCode.COUPLER
            loops.first_term[i], loops.term_count[i] = first, len(terms)
            largest = max(abs(each.factor) for each in terms)
            constant = system.couplers[name].constant
            loops.length[i] = 0.0 if constant is None else constant / largest
            for k, each in enumerate(terms, start=first):
                child = system.joints[each.joint].child
                loops.coordinate[k] = self.first_q[child] + each.coordinate
                loops.speed[k] = self.first_v[child] + each.coordinate
                loops.factor[k] = each.factor / largest
            first += len(terms)
        return loops


def lay_out_motions(motions: list[Motion]) -> Motions:
    """Kinds and numbers of all motions, one after another, as kernels read them."""
    view = Motions()
    data = [motion.compiled() for motion in motions]
    view.reserve(n_motions=len(data), n_data=sum(len(each.numbers) for each in data))
    first = 0
    for i, each in enumerate(data):
        view.kind[i], view.first_number[i], view.n_breaks[i] = each.kind, first, each.n_breaks
        view.data[first : first + len(each.numbers)] = each.numbers
        first += len(each.numbers)
    return view


def _from_the_world_outwards(system: MultibodySystem) -> list[Joint]:
    """The joints that carry the bodies, each after that of its parent."""
    waiting = dict(system.tree_joints())
    placed: set[str] = {WORLD}
    order: list[Joint] = []
    while waiting:
        ready = [joint for joint in waiting.values() if joint.parent in placed]
        for joint in ready:
            order.append(joint)
            placed.add(joint.child)
            del waiting[joint.child]
    return order


def _place_joint(tree: Tree, i: int, joint: Joint) -> None:
    """Markers of the joint that carries body i."""
    tree.parent_rotation[i], tree.parent_point[i] = joint.parent_marker[0].ravel(), joint.parent_marker[1]
    tree.own_rotation[i], tree.own_point[i] = joint.child_marker[0].ravel(), joint.child_marker[1]


def _give_mass(tree: Tree, i: int, system: MultibodySystem, name: str) -> None:
    """Mass properties of body i, its inertia moved to the origin of its frame."""
    body = system.bodies[name]
    c = body.centre
    inertia = body.inertia + body.mass * (c @ c * np.eye(3) - np.outer(c, c))
    tree.mass[i] = body.mass
    tree.first_moment[i] = body.mass * c
    tree.inertia[i] = [*np.diag(inertia), inertia[0, 1], inertia[0, 2], inertia[1, 2]]
