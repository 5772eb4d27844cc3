"""Closed paths of random pairs: nothing is made or lost, beyond what the tolerance allows, of the energy stored."""

from __future__ import annotations

import warnings
from itertools import islice

import numpy as np
import pytest

import polycontact as pc
from proof.properties.closed_paths import draw_cases, walk

pytest.importorskip("manifold3d")
POINTS = 200
"""On a path; every other one of them gives the same work to 1e-3 of the energy, which is looked at too."""


@pytest.mark.slow
def test_work_around_closed_paths() -> None:
    usual, fine = [], []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", pc.ContactWarning)
        for case in islice(draw_cases(2), 24):
            loops = [walk(case, tolerance, POINTS) for tolerance in (5e-3, 5e-4)]
            if loops[0] is None or loops[1] is None:
                continue  # they passed by each other
            usual.append(loops[0].defect)
            fine.append(loops[1].defect)
            assert loops[0].doubt < 1e-3, case.name  # the path is no reason
    assert len(usual) >= 18
    assert np.median(usual) < 1e-3
    assert max(usual) < 1e-2
    assert np.median(fine) < 0.5 * np.median(usual)
