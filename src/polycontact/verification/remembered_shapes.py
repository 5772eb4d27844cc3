"""The shapes that cases use, each made once: cases that differ in their base or their law share its preparation.

Of each maker the last few surfaces are kept, as many as the cases of one contact need with all their levels.
"""

from __future__ import annotations

from functools import lru_cache

from polycontact.surfaces import shapes

KEPT = 8
"""Surfaces of one maker: two sizes on three to four levels, some 100 MB for the finest."""

box = lru_cache(KEPT)(shapes.box)
cone = lru_cache(KEPT)(shapes.cone)
cylinder = lru_cache(KEPT)(shapes.cylinder)
ellipsoid = lru_cache(KEPT)(shapes.ellipsoid)
horseshoe = lru_cache(KEPT)(shapes.horseshoe)
plane = lru_cache(KEPT)(shapes.plane)
plate_with_hole = lru_cache(KEPT)(shapes.plate_with_hole)
sphere = lru_cache(KEPT)(shapes.sphere)
spherical_cup = lru_cache(KEPT)(shapes.spherical_cup)
table = lru_cache(KEPT)(shapes.table)
torus = lru_cache(KEPT)(shapes.torus)
