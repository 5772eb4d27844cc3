"""Collisions of various bodies without damping and friction; all twenty: ``python tools/lossless_collisions.py``."""

from __future__ import annotations

import pytest

from proof.properties.lossless_collisions import PAIRS, collide


@pytest.mark.parametrize("number", range(0, len(PAIRS), 2), ids=lambda number: " and ".join(PAIRS[number]))
def test_nothing_is_lost(number: int) -> None:
    found = collide(number)
    assert found.elastic > 1e-2  # of 0.5 J: they met
    assert found.parted
    # The greatest share seen is 0.3 %: what the tolerance of 5e-3 of the force leaves on a path in and out.
    assert abs(found.loss) < 1e-2
