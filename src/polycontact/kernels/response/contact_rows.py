"""How a system answers impulses at contact points: the rows of A, W = J M⁻¹ Jᵀ = A Aᵀ, and joint speeds of impulses."""

from __future__ import annotations

from numba import types

from polycontact.kernels.dynamics.system_row import OUT, ROW, VECTORS, Row, system_at
from polycontact.kernels.jit import entry_kernel, kernel
from polycontact.kernels.response.contact_system import ContactSystem, find_coordinates
from polycontact.kernels.response.group_rows import change_in_groups, fill_group_rows
from polycontact.kernels.response.path_rows import Mechanism, change_along_paths, fill_path_rows
from polycontact.kernels.response.touched_groups import Groups, find_groups
from polycontact.kernels.views import Doubles, Ints, cast_to

INTS = types.Array(types.int32, 1, "C")
"""Type of a list of bodies."""

groups_at = cast_to(Groups)
contacts_at = cast_to(ContactSystem)


@kernel
def fill_contact_rows(
    s: Mechanism, groups: Groups, system: ContactSystem, body_e: Ints, body_f: Ints, directions: Doubles
) -> None:
    """The system of contacts between bodies E and F with ``directions`` (3n, 12) of `find_directions`.

    After `free_motion`, whose factors of tree and loops serve here. Nothing is ``soft``. With closed loops the
    accelerations of the bodies are overwritten.
    """
    find_groups(groups, system, body_e, body_f)
    if s.loops.n > 0:
        fill_group_rows(s, groups, system, body_e, body_f, directions)
    else:
        fill_path_rows(s, groups, system, body_e, body_f, directions)


@kernel
def change_by_impulses(
    s: Mechanism, groups: Groups, system: ContactSystem, p: Doubles, z: Doubles, out: Doubles
) -> None:
    """L z: change of the joint speeds by impulses p (3n, N s), whose coordinates z = Aᵀp are left in z."""
    find_coordinates(system, p, z)
    if s.loops.n > 0:
        change_in_groups(groups, system, z, out)
    else:
        change_along_paths(s, groups, z, out)


@entry_kernel((ROW, ROW, ROW, INTS, INTS, VECTORS))
def fill_rows(row: Row, groups_row: Row, contacts_row: Row, body_e: Ints, body_f: Ints, directions: Doubles) -> None:
    """`fill_contact_rows` for Python."""
    s = system_at(row)
    mechanism = Mechanism(s.tree, s.joints, s.bodies, s.articulated, s.loops, s.loop_forces)
    fill_contact_rows(mechanism, groups_at(groups_row), contacts_at(contacts_row), body_e, body_f, directions)


@entry_kernel((ROW, ROW, ROW, OUT, OUT, OUT))
def change_of_speeds(row: Row, groups_row: Row, contacts_row: Row, p: Doubles, z: Doubles, out: Doubles) -> None:
    """`change_by_impulses` for Python."""
    s = system_at(row)
    mechanism = Mechanism(s.tree, s.joints, s.bodies, s.articulated, s.loops, s.loop_forces)
    change_by_impulses(mechanism, groups_at(groups_row), contacts_at(contacts_row), p, z, out)
