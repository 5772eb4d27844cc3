"""The polygonal surface: vertices and triangles, checked once, never changed (section 2.1 of the PCM paper).

Everything derived from them (normals, half-edges, bounding volume tree, mass properties) is computed when it
is first asked for and then kept.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from copy import copy
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from polycontact.errors import SurfaceError, SurfaceWarning, level_of_the_caller
from polycontact.surfaces.half_edges import HalfEdges, build_half_edges
from polycontact.tolerances import FEATURE_ANGLE

if TYPE_CHECKING:
    from polycontact.surfaces.bluntness import Bluntness
    from polycontact.surfaces.bounding_volume_tree import BoundingVolumeTree
    from polycontact.surfaces.contact_data import ContactData
    from polycontact.surfaces.inspection.cracks import BorderCracks
    from polycontact.surfaces.mass import MassProperties
    from polycontact.surfaces.queries import ClosestPoints, RayHits


class Surface:
    """A triangle mesh in metres, with outward normals (counter-clockwise triangles seen from outside).

    ``vertices`` (n, 3) float64 in m, ``triangles`` (m, 3) int32; both are read-only. Open surfaces are
    allowed; one whose border looks like cracks warns. Non-finite coordinates, indices out of range, triangles
    without area, edges with more than two triangles and contradicting orientations are refused with a
    `SurfaceError` that says how to repair them.
    """

    is_balanced: bool = False
    """True for a surface made by `balanced`, also after it was moved as a whole, scaled or flipped."""

    def __init__(self, vertices: ArrayLike, triangles: ArrayLike, *, name: str = "surface") -> None:
        self.name = name
        self.vertices = _as_vertices(vertices, name)
        self.triangles = _as_triangles(triangles, len(self.vertices), name)
        self._settle()
        self._warn_of_cracks()

    def _derived(self, vertices: NDArray[np.float64], triangles: NDArray[np.int32]) -> Surface:
        """The same surface elsewhere: what was said of its cracks is not said again."""
        surface = Surface.__new__(Surface)
        surface.name, surface.vertices = self.name, _as_vertices(vertices, self.name)
        surface.triangles = np.array(triangles, order="C")
        surface.is_balanced = self.is_balanced
        surface._settle()
        return surface

    def _settle(self) -> None:
        """Raise an error if the mesh is no surface; otherwise make its arrays read-only."""
        self._refuse_degenerate_triangles()
        self._refuse_broken_topology()
        for array in (self.vertices, self.triangles):
            array.flags.writeable = False

    def __repr__(self) -> str:
        kind = "closed" if self.is_closed else "open"
        return f"Surface({self.name!r}, {kind}, {len(self.vertices)} vertices, {self.n_triangles} triangles)"

    @property
    def n_triangles(self) -> int:
        """Number of triangles of the mesh."""
        return len(self.triangles)

    @cached_property
    def half_edges(self) -> HalfEdges:
        """Half-edges of the triangles, by which neighbours are found."""
        return build_half_edges(self.triangles)

    @property
    def is_closed(self) -> bool:
        """True where every edge has exactly two triangles: the surface bounds a volume."""
        return self.half_edges.is_closed

    @cached_property
    def cracks(self) -> BorderCracks | None:
        """Cracks of an open surface: border edges that lie on others; None where it has none, and if it is closed."""
        if self.is_closed:
            return None
        from polycontact.surfaces.inspection.cracks import find_border_cracks

        return find_border_cracks(self.vertices, self.half_edges, self.bounds)

    @cached_property
    def _area_vectors(self) -> NDArray[np.float64]:
        a, b, c = (self.vertices[self.triangles[:, i]] for i in range(3))
        return 0.5 * np.cross(b - a, c - a)

    @cached_property
    def areas(self) -> NDArray[np.float64]:
        """Area of each triangle, m²."""
        return np.asarray(np.linalg.norm(self._area_vectors, axis=1))

    @cached_property
    def normals(self) -> NDArray[np.float64]:
        """Outward unit normal of each triangle."""
        return self._area_vectors / self.areas[:, None]

    @cached_property
    def barycentres(self) -> NDArray[np.float64]:
        """Barycentre of each triangle, m."""
        return np.asarray(self.vertices[self.triangles].mean(axis=1))

    @cached_property
    def bounds(self) -> NDArray[np.float64]:
        """Axis-aligned bounding box of the triangles, rows (lower, upper), m."""
        is_used = np.zeros(len(self.vertices), dtype=bool)
        is_used[self.triangles] = True
        used = self.vertices[is_used]
        return np.stack((used.min(axis=0), used.max(axis=0)))

    @property
    def size(self) -> float:
        """Diagonal of the bounding box, m: the length that tolerances are relative to."""
        return float(np.linalg.norm(self.bounds[1] - self.bounds[0]))

    @property
    def picture(self) -> Surface:
        """How it is drawn: as it is, see `Geometry`."""
        return self

    @cached_property
    def thickness(self) -> float:
        """Least thickness of a closed surface (m), by its extents or its volume and area; infinite for an open one.

        Four volumes over the area: twice the wall of a hollow part, four thirds of the radius of a sphere.
        """
        if not self.is_closed:
            return math.inf
        extents = self.bounds[1] - self.bounds[0]
        return min(float(extents.min()), 4.0 * abs(self.volume) / float(self.areas.sum()))

    @cached_property
    def volume(self) -> float:
        """Enclosed volume, m³; negative for inward normals. Of an open surface: see `mass_properties`."""
        corners = self.vertices[self.triangles] - self.bounds.mean(axis=0)
        return float(np.einsum("ij,ij->", corners[:, 0], np.cross(corners[:, 1], corners[:, 2])) / 6.0)

    @cached_property
    def bluntness(self) -> Bluntness:
        """Mean radius of its convex spots, size of its triangles, area and largest face: by these a base is chosen."""
        from polycontact.surfaces.bluntness import bluntness

        return bluntness(self.vertices, self.triangles, self.normals, self.half_edges)

    @cached_property
    def tree(self) -> BoundingVolumeTree:
        """Bounding volume hierarchy, with one triangle a leaf; see `with_tree`."""
        from polycontact.surfaces.bounding_volume_tree import build_tree, leaves_by_medians

        return build_tree(self, leaves_by_medians(self))

    @cached_property
    def contact_data(self) -> ContactData:
        """Arrays for the contact kernels, in the leaf order of the tree."""
        from polycontact.surfaces.contact_data import build_contact_data

        return build_contact_data(self)

    def mass_properties(self, density: float = 1.0) -> MassProperties:
        """Mass, centre and inertia of the enclosed solid of uniform ``density`` (kg/m³)."""
        from polycontact.surfaces.mass import mass_properties

        return mass_properties(self, density)

    def closest_points(self, points: ArrayLike) -> ClosestPoints:
        """The point of the surface nearest to each of ``points`` (n, 3) m, with its triangle and signed distance."""
        from polycontact.surfaces.queries import closest_points

        return closest_points(self, points)

    def rays(self, origins: ArrayLike, directions: ArrayLike) -> RayHits:
        """Where rays from ``origins`` (n, 3) m along ``directions`` (n, 3) of any length meet the surface first.

        From either side; a ray that starts on the surface meets it there.
        """
        from polycontact.surfaces.queries import first_hits

        return first_hits(self, origins, directions)

    def transformed(self, rotation: ArrayLike | None = None, position: ArrayLike | None = None) -> Surface:
        """The surface moved by ``x -> rotation @ x + position`` (m)."""
        moved = self.vertices
        if rotation is not None:
            moved = moved @ np.asarray(rotation, dtype=float).T
        if position is not None:
            moved = moved + np.asarray(position, dtype=float)
        return self._derived(moved, self.triangles)

    def with_vertices(self, vertices: ArrayLike) -> Surface:
        """The surface with its vertices elsewhere, (n, 3) m, and the same triangles.

        Adjacency, and the order of the tree where there is one, are kept; boxes are fitted anew. Quicker than a new
        surface, and right for small and large motions alike; after large ones a new tree may be tighter.
        """
        array = _as_vertices(vertices, self.name)
        if array.shape != self.vertices.shape:
            raise SurfaceError(
                f"{self.name}: {len(array)} vertices are given for a surface of {len(self.vertices)}; give as many"
            )
        moved = Surface.__new__(Surface)
        moved.name, moved.vertices, moved.triangles = self.name, array, self.triangles
        moved.half_edges = self.half_edges
        moved._refuse_degenerate_triangles()
        array.flags.writeable = False
        if "contact_data" in vars(self):
            from polycontact.surfaces.bounding_volume_tree import BoundingVolumeTree
            from polycontact.surfaces.contact_data import refit

            moved.contact_data = refit(self.contact_data, moved)
            moved.tree = BoundingVolumeTree(order=self.tree.order, boxes=moved.contact_data.boxes)
        elif "tree" in vars(self):
            from polycontact.surfaces.bounding_volume_tree import build_tree

            moved.tree = build_tree(moved, self.tree.order)
        return moved

    def with_tree(self, leaves: ArrayLike | Callable[[Surface], ArrayLike]) -> Surface:
        """The surface with another bounding volume hierarchy: ``leaves`` (n,), its triangles in the order of leaves.

        ``leaves`` may also be a function of the surface that returns them. The tree is balanced: the left child of a
        node has the first half of its leaves, with one more if their number is odd. Boxes are fitted here, so that the
        order changes only the cost and the order of sums, not the contacts. By default the triangles are halved
        recursively at the median of the widest axis. `with_vertices` keeps the tree; other operations make a new one.
        """
        from polycontact.surfaces.bounding_volume_tree import build_tree, checked_leaves

        order = checked_leaves(self, leaves)
        surface = copy(self)
        vars(surface).pop("contact_data", None)
        surface.tree = build_tree(self, order)
        return surface

    def scaled(self, factor: float) -> Surface:
        """The surface with all coordinates multiplied by a positive ``factor``."""
        if not (np.isfinite(factor) and factor > 0):
            raise SurfaceError(f"{self.name}: scale factor {factor} must be positive and finite")
        return self._derived(self.vertices * factor, self.triangles)

    def flipped(self) -> Surface:
        """The surface with all triangles reversed: inside out."""
        return self._derived(self.vertices, self.triangles[:, ::-1])

    def balanced(self, feature_angle: float = FEATURE_ANGLE) -> Surface:
        """The surface with its vertices moved so that it has the volume of the smooth body that they lie on.

        Triangles with their corners on a round body cut off a thin layer of it. Without that layer, a ball of 1,280
        triangles pressed into a plate by 2 % of its radius loses 27 % of its force. This method moves each vertex
        outwards, or inwards in hollows, by the mean height of the body above the triangles around the vertex. Use it
        once, on meshes whose vertices lie on the body, like those of CAD programs and of `polycontact.shapes`, and on
        both bodies of a conforming contact. Do not use it on scans, or on meshes whose vertices already lie outside.

        ``feature_angle`` (rad): edges that bend by this or more are sharp. Flat faces stay in their planes and borders
        where they are, so that a box does not change. A vertex on a sharp edge moves so that each of the surfaces that
        meet there gets its volume: the rim of a cylinder widens in the plane of its cap.

        A `SurfaceError` is raised if the surface is balanced already, or if noise hides its curvature. A
        `SurfaceWarning` says if nothing moved, if many edges bend by about the feature angle (usually because the mesh
        is too coarse), if many vertices belong to slivers and therefore move less, or if parts across a narrow gap now
        cross.
        """
        from polycontact.surfaces.balancing.balanced_surface import balanced_surface

        return balanced_surface(self, feature_angle)

    def subdivided(self, times: int = 1, feature_angle: float = FEATURE_ANGLE) -> Surface:
        """The surface with each triangle divided into 4^times, new vertices on the smooth body that the mesh is of.

        Where the body is, the normals at the vertices tell: a ball of 320 triangles becomes a ball of 1,280, and a box
        stays a box. Use it on meshes whose vertices lie on the body, as those of CAD programs do, and balance the
        finer mesh, not the coarse one. ``feature_angle`` (rad): edges that bend by this or more are sharp; the rim of a
        cylinder becomes rounder, and stays in the plane of its cap. Borders of flat open surfaces stay as they are. A
        `SurfaceError` is raised for a balanced surface.
        """
        from polycontact.surfaces.balancing.subdivided_surface import subdivided_surface

        return subdivided_surface(self, times, feature_angle)

    def worn(self, depth: ArrayLike) -> Surface:
        """The surface without a layer of ``depth`` (n_triangles,), m: worn as a map of a run tells.

            worn = cam.worn(run.maps["cam"].wear)

        The triangles stay, and vertices move in along the normals, so that the volume lost is the integral of the
        depth; vertices on sharp edges, which bend by 30° or more, move so that each of the faces that meet there loses
        its own depth. Factors make more of it: ``1e4 * run.maps["cam"].wear`` is the wear of ten thousand such runs, as
        long as it is small. A `SurfaceError` is raised where the depth is none of this surface, where triangles turn
        over and where parts of the surface would cross.
        """
        from polycontact.surfaces.worn_surface import worn_surface

        return worn_surface(self, depth)

    def _warn_of_cracks(self) -> None:
        cracks = self.cracks
        if cracks is None:
            return
        from polycontact.surfaces.inspection.cracks import told_cracks

        warnings.warn(f"{self.name}: {told_cracks(cracks)}", SurfaceWarning, stacklevel=level_of_the_caller())

    def _refuse_degenerate_triangles(self) -> None:
        # A triangle whose area vanishes has no normal; the exact predicates need one that is not exactly zero.
        with np.errstate(over="ignore", invalid="ignore"):
            bad = np.flatnonzero(~(self.areas > np.finfo(float).tiny) | ~np.isfinite(self.areas))
        if len(bad):
            first = int(bad[0])
            corners = self.triangles[first].tolist()
            raise SurfaceError(
                f"{self.name}: {len(bad)} of {self.n_triangles} triangles have no area, the first is triangle "
                f"{first} with vertices {corners}; remove them with repair_surface or 'polycontact repair'"
            )

    def _refuse_broken_topology(self) -> None:
        edges = self.half_edges
        bad = edges.non_manifold_edges
        if len(bad):
            a, b = edges.edges[bad[0]].tolist()
            raise SurfaceError(
                f"{self.name}: {len(bad)} edges have more than two triangles, the first joins vertices {a} and {b} "
                f"with {int(edges.counts[bad[0]])} triangles; see 'polycontact check', then 'polycontact repair'"
            )
        contrary = np.flatnonzero(edges.same_direction)
        if len(contrary):
            a, b = edges.edges[contrary[0]].tolist()
            raise SurfaceError(
                f"{self.name}: the orientation of neighbouring triangles contradicts across {len(contrary)} edges, "
                f"the first joins vertices {a} and {b}; orient them with repair_surface or 'polycontact repair'"
            )


def _as_vertices(vertices: ArrayLike, name: str) -> NDArray[np.float64]:
    array = _converted(lambda: np.array(vertices, dtype=np.float64, order="C"), "vertices", name)
    if array.ndim != 2 or array.shape[1] != 3:
        raise SurfaceError(f"{name}: vertices have shape {array.shape}; expected (n, 3), coordinates in m")
    bad = np.flatnonzero(~np.isfinite(array).all(axis=1))
    if len(bad):
        raise SurfaceError(
            f"{name}: {len(bad)} vertices are not finite, the first is vertex {int(bad[0])} at "
            f"{array[bad[0]].tolist()}; mend or remove it in the source of the mesh"
        )
    return array


def _as_triangles(triangles: ArrayLike, n_vertices: int, name: str) -> NDArray[np.int32]:
    array = _converted(lambda: np.array(triangles), "triangles", name)
    if array.ndim != 2 or array.shape[1] != 3:
        raise SurfaceError(f"{name}: triangles have shape {array.shape}; expected (m, 3), indices of vertices")
    if len(array) == 0:
        raise SurfaceError(f"{name}: no triangles; a surface needs at least one")
    if array.dtype.kind not in "iu":
        raise SurfaceError(f"{name}: triangles have type {array.dtype}; expected integers, indices of vertices")
    bad = np.flatnonzero((array < 0).any(axis=1) | (array >= n_vertices).any(axis=1))
    if len(bad):
        raise SurfaceError(
            f"{name}: triangle {int(bad[0])} refers to vertices {array[bad[0]].tolist()}, but there are "
            f"{n_vertices} (0 to {n_vertices - 1}); {len(bad)} triangles are affected"
        )
    return np.ascontiguousarray(array, dtype=np.int32)


def _converted(convert: Callable[[], NDArray[Any]], what: str, name: str) -> NDArray[Any]:
    try:
        return convert()
    except (TypeError, ValueError) as error:
        raise SurfaceError(f"{name}: {what} are not an array of numbers: {error}") from error
