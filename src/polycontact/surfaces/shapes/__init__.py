"""Ready-made surfaces for tests, benchmarks and first models; use them as ``polycontact.shapes``.

Lengths are in m. All shapes are closed solids with outward normals, but for the open `plane`, `disc`,
`paraboloid`, `cosine_surface` and `container`; `revolve` gives what its profile says.
"""

from __future__ import annotations

from polycontact.surfaces.shapes.bubbles import bubble, bubble_with, container
from polycontact.surfaces.shapes.cups_and_tables import horseshoe, spherical_cup, table
from polycontact.surfaces.shapes.extrusion import extrude, plate_with_hole
from polycontact.surfaces.shapes.flat_shapes import box, disc, plane
from polycontact.surfaces.shapes.gears import spur_gear
from polycontact.surfaces.shapes.height_shapes import cosine_surface, paraboloid
from polycontact.surfaces.shapes.revolution import cone, cylinder, revolve
from polycontact.surfaces.shapes.round_shapes import capsule, ellipsoid, sphere, torus
from polycontact.surfaces.shapes.screw_threads import threaded_bolt, threaded_nut

__all__ = [
    "box",
    "bubble",
    "bubble_with",
    "capsule",
    "cone",
    "container",
    "cosine_surface",
    "cylinder",
    "disc",
    "ellipsoid",
    "extrude",
    "horseshoe",
    "paraboloid",
    "plane",
    "plate_with_hole",
    "revolve",
    "sphere",
    "spherical_cup",
    "spur_gear",
    "table",
    "threaded_bolt",
    "threaded_nut",
    "torus",
]
