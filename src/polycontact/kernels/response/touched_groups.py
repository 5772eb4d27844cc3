"""Groups of joint speeds that answer each other, and which of them contacts touch, in a good order."""

from __future__ import annotations

from polycontact.kernels.jit import kernel
from polycontact.kernels.response.contact_system import ContactSystem, order_groups
from polycontact.kernels.views import Ints, View, count, doubles, inline, longs


class Groups(View):
    """Joint speeds that answer each other: which there are, and how they answer, of those that contacts touch."""

    n_bodies = count("bodies, the world included")
    n_speeds = count("joint speeds")
    n_all = count("groups")
    n_starts = count("groups, and one more")
    most = count("speeds of a group at most")
    of_body = longs("n_bodies", doc="group of each body; -1 where nothing gives way")
    speeds = longs("n_all", "most", doc="joint speeds of each group, -1 behind the last")
    place = longs("n_all", doc="where a group stands among those that contacts touch")
    touched = longs("n_all", doc="group at each place")
    start = longs("n_starts", doc="first coordinate of the group at each place; behind the last one: how many")
    coordinate = longs("n_bodies", doc="first coordinate of a body's joint; -1 where no contact touches it")
    wrench = inline(6, 6, doc="wrenches of unit impulses along three directions on E, then on F, on their way")
    inverse = doubles("n_all", "most", "most", doc="M⁻¹ at each place, then what is left of it")
    factor = doubles("n_all", "most", "most", doc="L at each place, columns behind the last are zero")
    diagonal = doubles("most", doc="of M⁻¹ at hand")
    rank = longs("n_all", doc="columns of L at each place")
    response = doubles("n_speeds", doc="joint speeds of an answer")
    velocities = doubles("n_bodies", 6, doc="and of the bodies")


@kernel
def find_groups(groups: Groups, system: ContactSystem, body_e: Ints, body_f: Ints) -> None:
    """Groups that contacts touch and their places; groups of each contact by place. Nothing is ``soft``."""
    system.n = body_e.shape[0]
    for g in range(groups.n_all):
        groups.place[g] = -1
    found = 0
    for i in range(system.n):
        e, f = groups.of_body[body_e[i]], groups.of_body[body_f[i]]
        system.group[i, 0], system.group[i, 1] = e, f if f != e else -1
        for k in range(3 * i, 3 * i + 3):
            system.soft[k] = 0.0
        for g in (e, f):
            if g >= 0 and groups.place[g] < 0:
                groups.place[g] = found
                groups.touched[found] = g
                found += 1
    system.n_groups = found
    for i in range(system.n):
        for side in range(2):
            g = system.group[i, side]
            system.group[i, side] = groups.place[g] if g >= 0 else -1
    # ``rank`` serves as the new places here.
    order_groups(system.group[: system.n], found, groups.rank)
    for g in range(groups.n_all):
        if groups.place[g] >= 0:
            groups.place[g] = groups.rank[groups.place[g]]
            groups.touched[groups.place[g]] = g
    for i in range(system.n):
        for side in range(2):
            g = system.group[i, side]
            system.group[i, side] = groups.rank[g] if g >= 0 else -1
