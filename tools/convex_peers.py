"""Distances of convex shapes beside coal and fcl: ``python tools/convex_peers.py [--pairs N] [--seed S] [--slender]``.

Random pairs of all kinds of shapes, apart, grazing, shallow, deep and with coincident centres. Printed for each pair of
kinds: the median and the greatest difference from coal (tolerances 1e-10, 1,000 iterations) and from fcl, in units of
the size of both; how often ours is the shorter way out (+) and how often the other's is (-), by more than 1e-6; and the
time of one query. A way out is checked apart from who found it: it is as long as the support heights of both shapes in
its direction say. fcl is not asked where centres coincide: it does not come back from there. Ours are called from
Python through `ContactPairing.distance` and, in the column "kernel", by compiled code alone.
"""

from __future__ import annotations

import argparse
import itertools
import time
import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

import polycontact as pc

Array = NDArray[np.float64]
KINDS = ("sphere", "capsule", "box", "ellipsoid", "cylinder", "cone", "mesh")
POSES = ("apart", "deep", "shallow", "grazing", "deep", "coincident")
TIMED = ("ours", "kernel", "coal", "fcl")
LAW = pc.LayerLaw(stiffness=1e5)
TURNED = np.diag([1.0, -1.0, -1.0])
"""Cones of the others have their apex at the upper end."""


@dataclass(frozen=True)
class Pair:
    """Two shapes and the pose of F in E."""

    e: Any
    f: Any
    R: Array
    r: Array

    @property
    def size(self) -> float:
        """Diagonals of both boxes, m."""
        return float(sum(np.linalg.norm(each.bounds[1] - each.bounds[0]) for each in (self.e, self.f)))


def random_shape(kind: str, rng: np.random.Generator, *, slender: bool = False) -> Any:
    """A shape of a kind with dimensions of some decimetres, or from 3 mm to 3 m."""
    low, high = (3e-3, 3.0) if slender else (0.2, 1.0)
    a, b, c = np.exp(rng.uniform(np.log(low), np.log(high), size=3)).tolist()
    if kind == "sphere":
        return pc.convex.Sphere(a)
    if kind == "capsule":
        return pc.convex.Capsule(a, b)
    if kind == "box":
        return pc.convex.Box((a, b, c))
    if kind == "ellipsoid":
        return pc.convex.Ellipsoid((a, b, c))
    if kind == "cylinder":
        return pc.convex.Cylinder(a, b)
    if kind == "cone":
        return pc.convex.Cone(a, b)
    points = rng.normal(size=(20, 3))
    points *= np.array([a, b, c]) / np.linalg.norm(points, axis=1)[:, None]
    return pc.convex.ConvexMesh(hull_surface(points))


def hull_surface(points: Array) -> pc.Surface:
    """The hull of points as a surface with outward normals."""
    from scipy.spatial import ConvexHull

    hull = ConvexHull(points)
    triangles = hull.simplices.copy()
    a, b, c = (points[triangles[:, k]] for k in range(3))
    inward = np.einsum("ni,ni->n", np.cross(b - a, c - a), hull.equations[:, :3]) < 0.0
    triangles[inward] = triangles[inward, ::-1]
    used, number = np.unique(triangles, return_inverse=True)
    return pc.Surface(points[used], number.reshape(-1, 3), name="hull")


def heights(shape: Any, directions: Array) -> Array:
    """Support heights of a shape in its own frame, by textbook formulas that share nothing with the kernels."""
    return np.asarray(_heights(shape, type(shape).__name__, directions), dtype=np.float64)


def _heights(shape: Any, kind: str, n: Array) -> Any:
    across = np.hypot(n[:, 0], n[:, 1])
    if kind == "Sphere":
        return np.full(len(n), shape.radius) * np.linalg.norm(n, axis=1)
    if kind == "Capsule":
        return shape.radius * np.linalg.norm(n, axis=1) + np.abs(n[:, 2]) * shape.length / 2
    if kind == "Box":
        return np.abs(n) @ np.array(shape.size) / 2
    if kind == "Ellipsoid":
        return np.linalg.norm(n * np.array(shape.semi_axes), axis=1)
    if kind == "Cylinder":
        return across * shape.radius + np.abs(n[:, 2]) * shape.length / 2
    if kind == "Cone":
        return np.maximum(0.0, across * shape.radius + n[:, 2] * shape.length)
    return (n @ shape.picture.vertices.T).max(axis=1)


def way_out(pair: Pair, directions: Array) -> Array:
    """How far F must move along each unit vector to come free of E, m; negative where it is free already."""
    return heights(pair.e, directions) + heights(pair.f, -directions @ pair.R) - directions @ pair.r


def random_pair(e: str, f: str, pose: str, rng: np.random.Generator, *, slender: bool = False) -> Pair:
    """Two shapes of given kinds in a random pose of a kind."""
    from scipy.spatial.transform import Rotation

    shapes = random_shape(e, rng, slender=slender), random_shape(f, rng, slender=slender)
    R = Rotation.random(random_state=rng).as_matrix()
    direction = rng.normal(size=3)
    direction /= np.linalg.norm(direction)
    reach = float(way_out(Pair(*shapes, R, np.zeros(3)), direction[None])[0])
    share = {
        "apart": 1.0 + rng.uniform(0.1, 1.0),
        "deep": rng.uniform(0.0, 0.99),
        "shallow": 1.0 - 1e-4 * rng.uniform(),
        "grazing": 1.0 + 1e-8 * rng.normal(),
        "coincident": 0.0,
    }[pose]
    return Pair(*shapes, R, share * reach * direction)


def pairing_of(pair: Pair) -> pc.ContactPairing:
    """The two shapes as a pairing."""
    return pc.ContactPairing(pair.e, pair.f, method=pc.contact.ConvexMethod(), law=LAW)


class Coal:
    """coal, with tightened tolerances."""

    def __init__(self) -> None:
        import coal

        self.coal = coal
        self.request = coal.DistanceRequest()
        self.request.enable_signed_distance = True
        self.request.gjk_tolerance = self.request.epa_tolerance = 1e-10
        self.request.gjk_max_iterations = self.request.epa_max_iterations = 1000

    def shape(self, shape: Any) -> Any:
        """The same shape there."""
        coal, kind = self.coal, type(shape).__name__
        if kind == "Sphere":
            return coal.Sphere(shape.radius)
        if kind == "Capsule":
            return coal.Capsule(shape.radius, shape.length)
        if kind == "Box":
            return coal.Box(*shape.size)
        if kind == "Ellipsoid":
            return coal.Ellipsoid(*shape.semi_axes)
        if kind == "Cylinder":
            return coal.Cylinder(shape.radius, shape.length)
        if kind == "Cone":
            return coal.Cone(shape.radius, shape.length)
        points, triangles = coal.StdVec_Vec3s(), coal.StdVec_Triangle()
        for point in shape.picture.vertices:
            points.append(point)
        for triangle in shape.picture.triangles.tolist():
            triangles.append(coal.Triangle(*triangle))
        return coal.Convex(points, triangles)

    def ask(self, pair: Pair) -> tuple[float, float]:
        """Signed distance (m) and the time of the query (s); nan where it raises."""
        coal = self.coal
        e, f = self.shape(pair.e), self.shape(pair.f)
        place_e, place_f = (coal.Transform3s(*place) for place in places(pair))
        result = coal.DistanceResult()
        start = time.perf_counter()
        try:
            distance = coal.distance(e, place_e, f, place_f, self.request, result)
        except RuntimeError:
            distance = np.nan
        return float(distance), time.perf_counter() - start


class Fcl:
    """fcl by python-fcl."""

    def __init__(self) -> None:
        import fcl

        self.fcl = fcl

    def shape(self, shape: Any) -> Any:
        """The same shape there."""
        fcl, kind = self.fcl, type(shape).__name__
        if kind == "Sphere":
            return fcl.Sphere(shape.radius)
        if kind == "Capsule":
            return fcl.Capsule(shape.radius, shape.length)
        if kind == "Box":
            return fcl.Box(*shape.size)
        if kind == "Ellipsoid":
            return fcl.Ellipsoid(*shape.semi_axes)
        if kind == "Cylinder":
            return fcl.Cylinder(shape.radius, shape.length)
        if kind == "Cone":
            return fcl.Cone(shape.radius, shape.length)
        triangles = shape.picture.triangles
        faces = np.concatenate((np.full((len(triangles), 1), 3), triangles), axis=1).ravel()
        return fcl.Convex(np.array(shape.picture.vertices), len(triangles), faces)

    def ask(self, pair: Pair) -> tuple[float, float]:
        """Signed distance (m) and the time of the query (s); nan where centres coincide."""
        if not pair.r.any():
            return np.nan, np.nan
        fcl = self.fcl
        e, f = (
            fcl.CollisionObject(self.shape(shape), fcl.Transform(*place))
            for shape, place in zip((pair.e, pair.f), places(pair), strict=True)
        )
        request = fcl.DistanceRequest(enable_nearest_points=True, enable_signed_distance=True, gjk_solver_type=0)
        result = fcl.DistanceResult()
        start = time.perf_counter()
        distance = fcl.distance(e, f, request, result)
        return float(distance), time.perf_counter() - start


def places(pair: Pair) -> list[tuple[Array, Array]]:
    """Rotation and position of both shapes as the others place them."""
    found = []
    for shape, R, r in ((pair.e, np.eye(3), np.zeros(3)), (pair.f, pair.R, pair.r)):
        if isinstance(shape, pc.convex.Cone):
            found.append((R @ TURNED, r + R @ np.array([0.0, 0.0, shape.length / 2])))
        else:
            found.append((R, r))
    return found


def kernel_time(pair: Pair, pairing: pc.ContactPairing) -> float:
    """Time of one query in compiled code, s."""
    from polycontact.kernels.geometry.convex_distance import measure_at

    query = pairing.prepared.idle[-1]  # type: ignore[attr-defined]
    query.rotation[:], query.position[:] = pair.R, pair.r
    address = query.address
    start = time.perf_counter()
    for _ in range(5):
        measure_at(address)
    return (time.perf_counter() - start) / 5


def compare(e: str, f: str, n: int, rng: np.random.Generator, *, slender: bool) -> str:
    """One line of the table."""
    peers: tuple[Coal | Fcl, ...] = (Coal(), Fcl())
    differences: list[list[float]] = [[], []]
    shorter = np.zeros((2, 2), dtype=int)
    times: list[list[float]] = [[], [], [], []]
    for k in range(n):
        pair = random_pair(e, f, POSES[k % len(POSES)], rng, slender=slender)
        pairing = pairing_of(pair)
        pairing.distance(pair.R, pair.r)
        start = time.perf_counter()
        ours = pairing.distance(pair.R, pair.r)
        times[0].append(time.perf_counter() - start)
        times[1].append(kernel_time(pair, pairing))
        assert abs(way_out(pair, ours.normal[None])[0] + ours.distance) < 1e-9 * pair.size
        for i, peer in enumerate(peers):
            distance, seconds = peer.ask(pair)
            times[2 + i].append(seconds)
            difference = (ours.distance - distance) / pair.size
            if abs(difference) > 1e-6:
                shorter[i, 0 if (difference > 0.0) == (distance < 0.0) else 1] += 1
            differences[i].append(abs(difference))
    cells = "".join(
        f"{np.nanmedian(each):9.0e}{np.nanmax(each):9.0e}{better:6d}{worse:4d}"
        for each, (better, worse) in zip(differences, shorter, strict=True)
    )
    return f"{e + ' – ' + f:24}{cells}" + "".join(f"{1e6 * float(np.nanmedian(each)):8.1f}" for each in times)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=int, default=60, help="pairs of each two kinds")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--slender", action="store_true", help="dimensions from 3 mm to 3 m: needles and plates")
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    rng = np.random.default_rng(given.seed)
    print(f"{'':24}{'coal: difference':28}{'fcl: difference':28}{'time of a query, µs':>28}")
    names = 2 * f"{'median':>9}{'most':>9}{'+':>6}{'-':>4}" + "".join(f"{each:>8}" for each in TIMED)
    print(f"{'':24}{names}")
    for e, f in itertools.combinations_with_replacement(KINDS, 2):
        print(compare(e, f, given.pairs, rng, slender=given.slender), flush=True)


if __name__ == "__main__":
    main()
