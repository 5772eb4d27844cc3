"""One case of the benchmark: evaluations of a pairing beside the peers' queries, same meshes, same poses.

Ours is a full evaluation, ``pairing.wrench`` with default options, friction and damping on and velocities
that are not zero: intersection, active areas, clipped elements, law and sum. The peers' is the list of
intersecting triangles, with their transforms made beforehand. Everyone has a turn at each pose before the
next comes (at each ten poses where they are coherent), and the medians over the turns are compared.
"""

from __future__ import annotations

import statistics
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from polycontact.comparison.clock import Clock, no_collection
from polycontact.contact.kinematics import RelativeKinematics
from polycontact.contact.laws import LayerLaw, RegularisedCoulomb
from polycontact.contact.pairing import ContactPairing
from polycontact.surfaces.surface import Surface
from proof.bench import peers as peer_module
from proof.bench.pose_families import Family, Pose, coherent_poses, cold_poses, surfaces_for

SEED = 2003
WARM_UP_SEED = 1
BLOCK = 10
"""Successive coherent poses of a turn: a simulation has its data in the cache from one to the next."""
SLOW_PEERS = {"python-fcl": 5}
"""Peers that take part at every n-th turn only, as they would take most of the time."""


@dataclass(frozen=True)
class Counters:
    """Medians over the poses of the counters of an evaluation; they do not depend on the machine.

    ``tree_searches``: their mean, the share of the poses at which the trees were searched anew.
    """

    bv_checks: float
    triangle_checks: float
    lines: float
    elements: float
    tree_searches: float


@dataclass(frozen=True)
class PeerTime:
    """``time`` of a peer's query (median, µs), the number of its ``contacts`` (median) and ours ÷ theirs."""

    time: float
    contacts: float
    ratio: float


@dataclass(frozen=True)
class CaseResult:
    """Figures of a case.

    ``time``: median of an evaluation, µs. ``identical`` of ``compared`` wrenches are the same bits as those
    of a pairing that never saw another pose.
    """

    family: Family
    coherent: bool
    triangles: tuple[int, int]
    poses: int
    time: float
    counters: Counters
    compared: int
    identical: int
    peers: dict[str, PeerTime]

    @property
    def mode(self) -> str:
        """ "coherent" where each pose is a small step from the last one, else "cold"."""
        return "coherent" if self.coherent else "cold"

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON; times in µs."""
        return asdict(self) | {"family": self.family.value, "coherent": self.coherent, "mode": self.mode}


def make_pairing(e: Surface, f: Surface) -> ContactPairing:
    """A pairing with the paper's depth, damping and friction."""
    law = LayerLaw(stiffness=1e7, damping=1e4, transition_depth=1e-3)
    friction = RegularisedCoulomb(coefficient=0.3, velocity=1e-2)
    return ContactPairing(e, f, law=law, friction=friction, depth="base_normal")


def kinematics_of(pose: Pose) -> RelativeKinematics:
    """The pose as `ContactPairing.evaluate` takes it."""
    R, r, v, w = pose.arrays
    return RelativeKinematics(rotation=R, position=r, velocity=v, angular_velocity=w)


def run_case(
    family: Family,
    n_triangles: int,
    n_poses: int,
    clock: Clock,
    *,
    coherent: bool = False,
    n_compared: int = 20,
) -> CaseResult:
    """Measure ``n_poses`` cold poses of a family, or the first of the coherent ones, of the kind ``slight``.

    About ``n_compared`` of the wrenches are compared with those of fresh pairings.
    """
    e, f = surfaces_for(family, n_triangles)
    pairing = make_pairing(e, f)
    rivals = peer_module.load_peers(e, f)
    for pose in cold_poses(family, e, 5, WARM_UP_SEED):
        pairing.wrench(*pose.arrays)
    poses = coherent_poses(e, SEED)[:n_poses] if coherent else cold_poses(family, e, n_poses, SEED)
    turns = _take_turns(pairing, rivals, poses, clock, BLOCK if coherent else 1)
    compared = range(0, n_poses, max(1, n_poses // n_compared))
    identical = sum(
        turns.wrenches[i].tobytes() == make_pairing(e, f).wrench(*poses[i].arrays).tobytes() for i in compared
    )
    time = statistics.median(turns.own)
    results = {}
    for name, times in turns.theirs.items():
        median = statistics.median(times)
        results[name] = PeerTime(median, float(statistics.median(turns.contacts[name])), time / median)
    return CaseResult(
        family=family,
        coherent=coherent,
        triangles=(e.n_triangles, f.n_triangles),
        poses=n_poses,
        time=time,
        counters=_count(e, f, poses),
        compared=len(compared),
        identical=identical,
        peers=results,
    )


@dataclass(frozen=True)
class _Turns:
    """Times in µs of each turn, our wrench at each pose, and the peers' numbers of contacts."""

    own: list[float]
    wrenches: list[NDArray[np.float64]]
    theirs: dict[str, list[float]]
    contacts: dict[str, list[int]]


def _take_turns(
    pairing: ContactPairing, rivals: dict[str, peer_module.Peer], poses: list[Pose], clock: Clock, block: int
) -> _Turns:
    """Evaluate ``block`` poses, let each peer query the same ones, and go on to the next."""
    turns = _Turns([], [], {name: [] for name in rivals}, {name: [] for name in rivals})
    with no_collection():
        for turn, start in enumerate(range(0, len(poses), block)):
            some = poses[start : start + block]
            time, wrenches = clock.time([partial(pairing.wrench, *pose.arrays) for pose in some])
            turns.own.append(time)
            turns.wrenches.extend(wrenches)
            for name, peer in rivals.items():
                if turn % SLOW_PEERS.get(name, 1) == 0:
                    time, contacts = clock.time([peer.prepare(pose) for pose in some])
                    turns.theirs[name].append(time)
                    turns.contacts[name].extend(contacts)
    return turns


def _count(e: Surface, f: Surface, poses: list[Pose]) -> Counters:
    """Counters along the poses, from a pairing of their own whose buffers have grown to what they need."""
    pairing = make_pairing(e, f)
    for pose in (*poses[:: max(1, len(poses) // 20)], poses[-1]):
        pairing.evaluate(kinematics_of(pose))
    found = [pairing.evaluate(kinematics_of(pose)).statistics for pose in poses]
    rows = [(each.bv_checks, each.triangle_checks, each.lines, each.elements) for each in found]
    bv_checks, triangle_checks, lines, elements = (float(each) for each in np.median(rows, axis=0))
    searches = sum(each.tree_searches for each in found) / len(found)
    return Counters(bv_checks, triangle_checks, lines, elements, searches)
