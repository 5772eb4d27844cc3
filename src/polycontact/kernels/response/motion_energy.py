"""Energy that a step makes or takes in the motion of bodies, by itself: forces by their motion do no work in truth.

With T(q, v) the kinetic energy, M v̇ + c = τ, and c of the speeds v½ at which the step took it, a step from q, v by way
of q½ to q⁺, v⁺ has the work h v̄ᵀτ of the forces at the mean speeds v̄, and besides

    T(q⁺, v⁺) - T(q½, v⁺) - T(q, v) + T(q½, v) - h v̄ᵀ c + h λᵀ G v̄

The first four are what the pose alone changes, the fifth makes up for it, and closed loops with multipliers λ hold
bodies without work. In a free body the sum is zero but for what v½ lacks of v̄, in flying chains of third order in h;
where contacts change the speeds at once it is of first order in bodies with joints.
"""

from __future__ import annotations

from polycontact.kernels.dynamics.articulated import add_gyroscopic
from polycontact.kernels.dynamics.body_kinematics import place_bodies, take_state
from polycontact.kernels.dynamics.contact_response import spread
from polycontact.kernels.dynamics.energy import shared_energy
from polycontact.kernels.dynamics.evaluation_views import Articulated, BodyState
from polycontact.kernels.dynamics.loop_closure import rate_of_constraint
from polycontact.kernels.dynamics.matrices import load_vector, store_vector
from polycontact.kernels.dynamics.setup_views import Tree
from polycontact.kernels.dynamics.system_row import ROW, Row, system_at
from polycontact.kernels.geometry.vectors import add, cross, row, sub
from polycontact.kernels.jit import entry_kernel, kernel
from polycontact.kernels.response.step_views import step_at
from polycontact.kernels.views import Doubles


@kernel
def _power_of_motion(tree: Tree, bodies: BodyState, articulated: Articulated, mean: Doubles, bias: Doubles) -> float:
    """v̄ᵀ c (W): what bodies take by their motion, as the accelerations at hand have it, at ``mean`` velocities.

    ``bias``: work space, for accelerations of the bodies where all joint speeds stay as they are.
    """
    power, force = 0.0, articulated.taken
    bias[0] = 0.0
    for b in range(1, tree.n_bodies):
        parent = tree.parent[b]
        w = load_vector(bias[parent], 0)
        d = sub(row(bodies.position, b), row(bodies.position, parent))
        store_vector(bias[b], 0, add(w, load_vector(bodies.bias[b], 0)))
        a = add(load_vector(bias[parent], 3), cross(w, d))
        store_vector(bias[b], 3, add(a, load_vector(bodies.bias[b], 3)))
        for i in range(6):
            force[i] = 0.0
        add_gyroscopic(tree, bodies, b, force)
        for i in range(6):
            power += mean[b, i] * force[i]
    return power + shared_energy(tree, bodies, bias, mean)


@entry_kernel((ROW, ROW))
def energy_made_by_motion(system_row: Row, step_row: Row) -> float:
    """Energy (J) that the step just made has put into the motion of bodies by itself; below zero: taken from it.

    While the accelerations of the step are at hand, in the pose of its middle; it leaves the bodies at the end.
    """
    s, work = system_at(system_row), step_at(step_row).work
    tree, joints, bodies, loops = s.tree, s.joints, s.bodies, s.loops
    velocity, mean = work.velocity, work.other_velocity
    made = 0.0
    work.mean_speeds[:] = 0.0
    for end in range(2):  # in the pose of the middle, with the speeds of start and end
        if end == 0:
            take_state(tree, s.motions, joints, work.t, work.start)
        else:
            take_state(tree, s.motions, joints, work.t + work.h, work.reached)
        spread(tree, bodies, joints.v, velocity)
        kinetic = 0.5 * shared_energy(tree, bodies, velocity, velocity)
        made += kinetic if end == 0 else -kinetic
        for k in range(work.n_speeds):
            work.mean_speeds[k] += 0.5 * joints.v[k]
    spread(tree, bodies, work.mean_speeds, mean)
    made -= work.h * _power_of_motion(tree, bodies, s.articulated, mean, velocity)
    for i in range(loops.n):
        rate = rate_of_constraint(loops, s.loop_forces, i, mean, work.mean_speeds)
        made += work.h * s.loop_forces.of_step[i] * rate
    take_state(tree, s.motions, joints, work.t, work.start)
    place_bodies(tree, joints, bodies)
    made -= 0.5 * shared_energy(tree, bodies, bodies.velocity, bodies.velocity)
    take_state(tree, s.motions, joints, work.t + work.h, work.reached)
    place_bodies(tree, joints, bodies)
    made += 0.5 * shared_energy(tree, bodies, bodies.velocity, bodies.velocity)
    return made
