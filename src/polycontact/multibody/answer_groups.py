"""Which joint speeds answer each other: bodies that joints, loops and couplers hold together move as one group."""

from __future__ import annotations

from polycontact.kernels.response.touched_groups import Groups
from polycontact.multibody.system_setup import SystemSetup


def lay_out_groups(setup: SystemSetup) -> Groups:
    """Groups of bodies and their joint speeds; the world, fixed and driven bodies by themselves are in none.

    What two groups share is the world alone, which no impulse moves.
    """
    tree, loops = setup.tree, setup.loops
    leader = list(range(tree.n_bodies))

    def leader_of(body: int) -> int:
        while leader[body] != body:
            body = leader[body]
        return body

    def join(a: int, b: int) -> None:
        if a > 0 and b > 0:
            leader[leader_of(a)] = leader_of(b)

    for body in range(1, tree.n_bodies):
        join(body, int(tree.parent[body]))
    body_of_speed = {int(tree.first_v[b]) + k: b for b in range(1, tree.n_bodies) for k in range(int(tree.count_v[b]))}
    for i in range(loops.n):
        join(int(loops.body_a[i]), int(loops.body_b[i]))
        first, n = int(loops.first_term[i]), int(loops.term_count[i])
        coupled = [body_of_speed[int(loops.speed[k])] for k in range(first, first + n)]
        for body in coupled[1:]:
            join(coupled[0], body)
    speeds: dict[int, list[int]] = {}
    for speed, body in body_of_speed.items():
        if tree.motion[body] < 0:
            speeds.setdefault(leader_of(body), []).append(speed)
    numbers = {each: i for i, each in enumerate(speeds)}
    groups = Groups()
    most = max((len(each) for each in speeds.values()), default=1)
    groups.reserve(
        n_bodies=tree.n_bodies, n_speeds=tree.n_speeds, n_all=len(speeds), n_starts=len(speeds) + 1, most=most
    )
    groups.speeds[:] = -1
    for i, each in enumerate(speeds.values()):
        groups.speeds[i, : len(each)] = each
    groups.of_body[:] = [numbers.get(leader_of(body), -1) if body else -1 for body in range(tree.n_bodies)]
    return groups
