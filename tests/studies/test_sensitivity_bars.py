"""The bars of a chart of indices: the parameter that matters most stands at the top, drawn last."""

from __future__ import annotations

import numpy as np

from polycontact.studies.index_estimates import SobolIndices
from polycontact.studies.page.sensitivity_section import _index_bars


def test_bars_and_their_intervals_come_in_the_order_of_what_matters_least() -> None:
    first, total = np.array([0.1, 0.6, 0.2]), np.array([0.15, 0.7, 0.3])
    around = np.array([-0.05, 0.05])
    found = SobolIndices(
        ("mass", "speed", "friction"),
        first,
        total,
        first[:, None] + around,
        total[:, None] + around,
        mean=1.0,
        variance=2.0,
        n=32,
        n_planned=32,
    )
    bars = _index_bars(found)
    assert bars["names"] == ["mass", "friction", "speed"]
    assert bars["first"]["value"] == [0.1, 0.2, 0.6]
    assert bars["total"]["value"] == [0.15, 0.3, 0.7]
    np.testing.assert_allclose(bars["first"]["low"], (0.05, 0.15, 0.55))
    np.testing.assert_allclose(bars["total"]["high"], (0.2, 0.35, 0.75))
