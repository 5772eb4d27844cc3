"""What a nut on its bolt costs: a contact along many turns of a thread, where everything is near everything.

The nut of the scenario ``nut_on_bolt`` is screwed along in steps of an angle, pressed on its lower flanks: lightly,
where facets touch facets in thousands of slivers, and firmly, where the flanks are inside as a whole. After short steps
candidates and nearest triangles are kept from one pose to the next; after long ones they are found anew. Peers list the
pairs of triangles that meet, and yield no force; what they do does not depend on earlier poses.
"""

from __future__ import annotations

import math
import statistics
from dataclasses import asdict, dataclass, field
from functools import partial
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from polycontact.comparison.clock import Clock, no_collection
from polycontact.contact.kinematics import RelativeKinematics
from polycontact.contact.laws import LayerLaw
from polycontact.contact.pairing import ContactPairing
from polycontact.surfaces.shapes import threaded_bolt, threaded_nut
from polycontact.surfaces.surface import Surface
from proof.bench.peers import Peer, load_peers
from proof.bench.pose_families import Pose

DIAMETER, PITCH, CLEARANCE = 0.01, 1.5e-3, 1e-4
"""Of the thread, m."""
SHIFTS = {"light": 6e-5, "firm": 8e-5}
"""Shift of the nut down from the middle of its play, m; its flanks touch at about 55 µm."""
STEPS = (1e-4, 1e-1)
"""Angles from pose to pose, rad."""
PEER_POSES = 3
"""First poses, at which peers take part: one query of theirs may take as long as dozens of evaluations."""

Depth = Literal["distance", "base_normal"]


@dataclass(frozen=True)
class ThreadCost:
    """Median time (µs) of an evaluation and means of its counters.

    ``searches``: line_checks of the statistics, for the depth "distance" searches for a nearest triangle;
    ``tree_searches``: share of the poses at which the trees were searched anew; ``peers``: median times (µs) of those
    that are installed, after long steps and with the depth "distance".
    """

    depth: Depth
    load: str
    step: float
    triangles: tuple[int, int]
    time: float
    bv_checks: float
    triangle_checks: float
    lines: float
    searches: float
    elements: float
    tree_searches: float
    peers: dict[str, float] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """The measured costs as plain values for JSON."""
        return asdict(self)


def measure_threads(clock: Clock, n_poses: int) -> list[ThreadCost]:
    """Both depths, light and firm, short and long steps."""
    nut = threaded_nut(DIAMETER, PITCH, 0.008, clearance=CLEARANCE, segments=60)
    bolt = threaded_bolt(DIAMETER, PITCH, 0.03)
    depths: tuple[Depth, ...] = ("distance", "base_normal")
    peers = load_peers(nut, bolt)
    return [
        _measure(
            nut, bolt, depth, load, step, peers if depth == "distance" and step == max(STEPS) else {}, clock, n_poses
        )
        for depth in depths
        for load in SHIFTS
        for step in STEPS
    ]


def thread_poses(shift: float, step: float, n: int) -> list[tuple[NDArray[np.float64], NDArray[np.float64]]]:
    """The bolt in the frame of a nut (R, r) that is ``shift`` (m) below the middle of its play, screwed by ``step``."""
    poses = []
    for angle in 26.0 + step * np.arange(n):
        c, s = math.cos(angle), math.sin(angle)
        height = PITCH * angle / (2.0 * math.pi) - shift
        poses.append((np.array([[c, s, 0.0], [-s, c, 0.0], [0.0, 0.0, 1.0]]), np.array([0.0, 0.0, -height])))
    return poses


def _time_of_peer(peer: Peer, clock: Clock, poses: list[tuple[NDArray[np.float64], NDArray[np.float64]]]) -> float:
    """Median of its queries, µs, after one to warm up."""
    queries = [peer.prepare(Pose(R, r, np.zeros(3), np.zeros(3))) for R, r in poses]
    queries[0]()
    return statistics.median(clock.time([query])[0] for query in queries)


def _measure(
    nut: Surface,
    bolt: Surface,
    depth: Depth,
    load: str,
    step: float,
    peers: dict[str, Peer],
    clock: Clock,
    n_poses: int,
) -> ThreadCost:
    pairing = ContactPairing(nut, bolt, law=LayerLaw(stiffness=1e9), depth=depth)
    warm_up, *poses = thread_poses(SHIFTS[load], step, n_poses + 1)
    pairing.wrench(*warm_up)
    with no_collection():
        times = [clock.time([partial(pairing.wrench, *pose)])[0] for pose in poses]
        of_peers = {name: _time_of_peer(peer, clock, poses[:PEER_POSES]) for name, peer in peers.items()}
    pairing.wrench(*warm_up)
    found = [pairing.evaluate(RelativeKinematics(rotation=R, position=r)).statistics for R, r in poses]
    names = ("bv_checks", "triangle_checks", "lines", "elements", "tree_searches")
    means = {name: float(np.mean([getattr(each, name) for each in found])) for name in names}
    return ThreadCost(
        depth,
        load,
        step,
        triangles=(nut.n_triangles, bolt.n_triangles),
        time=statistics.median(times),
        searches=float(np.mean([each.line_checks for each in found])),
        peers=of_peers,
        **means,
    )
