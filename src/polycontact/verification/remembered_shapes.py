"""The shapes that cases use, each made once: cases that differ in their base or their law share its preparation.

Of each maker the last few surfaces are kept, as many as the cases of one contact need with all their levels.
"""

from __future__ import annotations

from functools import lru_cache

from polycontact.surfaces import shapes

SHAPES_KEPT = 8
"""Surfaces of one maker: two sizes on three to four levels, some 100 MB for the finest."""

box = lru_cache(SHAPES_KEPT)(shapes.box)
cone = lru_cache(SHAPES_KEPT)(shapes.cone)
cylinder = lru_cache(SHAPES_KEPT)(shapes.cylinder)
ellipsoid = lru_cache(SHAPES_KEPT)(shapes.ellipsoid)
horseshoe = lru_cache(SHAPES_KEPT)(shapes.horseshoe)
plane = lru_cache(SHAPES_KEPT)(shapes.plane)
plate_with_hole = lru_cache(SHAPES_KEPT)(shapes.plate_with_hole)
sphere = lru_cache(SHAPES_KEPT)(shapes.sphere)
spherical_cup = lru_cache(SHAPES_KEPT)(shapes.spherical_cup)
table = lru_cache(SHAPES_KEPT)(shapes.table)
torus = lru_cache(SHAPES_KEPT)(shapes.torus)
