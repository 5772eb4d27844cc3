"""Memory for one evaluation of a system: made for a set-up, which it shares with others."""

from __future__ import annotations

import math

import numpy as np

from polycontact.kernels.dynamics.evaluation_views import SystemView
from polycontact.multibody.system_setup import SystemSetup


def make_memory(setup: SystemSetup) -> SystemView:
    """Everything that an evaluation of the system reads and writes."""
    system = make_tree_memory(setup)
    n_shapes, n_pairs = setup.shapes.n_shapes, setup.pairs.n_pairs
    system.placed.reserve(n_shapes=n_shapes)
    system.contacts.reserve(n_pairs=n_pairs)
    system.contacts.place = system.contacts.address
    system.contacts.step_start = math.nan
    search, broad_phase = system.search, setup.broad_phase
    search.reserve(n_pairs=n_pairs, room=broad_phase.room_for(n_shapes, n_pairs))
    search.near = system.contacts.near
    search.pairs, search.placed = setup.pairs, system.placed
    search.place, search.entry = search.address, broad_phase.entry
    return system


def make_tree_memory(setup: SystemSetup) -> SystemView:
    """What bodies, joints and loops need, without contacts: enough for a projection."""
    system = SystemView()
    system.tree, system.motions, system.elements = setup.tree, setup.motions, setup.elements
    system.shapes, system.pairs, system.loops = setup.shapes, setup.pairs, setup.loops
    n_bodies, n_speeds = setup.tree.n_bodies, setup.tree.n_speeds
    system.joints.reserve(n_coordinates=setup.tree.n_coordinates, n_speeds=n_speeds)
    system.bodies.reserve(n_bodies=n_bodies)
    system.bodies.rotation[0] = np.eye(3).ravel()
    system.forces.reserve(n_bodies=n_bodies, n_speeds=n_speeds)
    system.articulated.reserve(n_bodies=n_bodies, n_speeds=n_speeds)
    system.loop_forces.reserve(n=setup.loops.n, n_bodies=n_bodies, n_speeds=n_speeds)
    return system
