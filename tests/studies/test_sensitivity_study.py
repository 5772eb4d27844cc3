"""Sensitivities of a study's table: its runs are those of the design, in its order."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from small_study import END, RESULTS, G, drop

import polycontact as pc


def test_indices_of_a_study(tmp_path: Path) -> None:
    ranges = {"bodies.ball.position[2]": (0.9, 1.1), "bodies.ball.velocity[2]": (-2.0, 2.0)}
    design = pc.sensitivity_design(ranges, 8)
    table = pc.study(
        drop(), pc.StudyDesign.points(design.rows), RESULTS, output=tmp_path / "drop.h5", workers=1, progress=None
    )
    exact = design.values[:, 0] + design.values[:, 1] * END - 0.5 * G * END**2
    assert table["height"] == pytest.approx(exact, abs=1e-7)  # tolerances of the runs
    found, known = pc.sobol_indices(design, table["height"]), pc.sobol_indices(design, exact)
    assert found.total == pytest.approx(known.total, abs=1e-4)
    assert np.array_equal(np.argsort(found.total), [0, 1])
