"""Bubbles with the depth as a distance: what the contacts take, less what is lost, comes back."""

from __future__ import annotations

import pytest

from proof.properties.bubbles_residual import let_bounce


@pytest.mark.slow
@pytest.mark.parametrize("path", [0, 1])
def test_all_but_a_five_hundredth_comes_back(path: int) -> None:
    """At the positions' tolerance of the paper; the rest is an error of the integration, which falls with ``rtol``."""
    found = let_bounce("distance", rtol=1e-6, path=path)
    assert found.residual < 2e-3  # at most 1.0e-3 in twelve runs
    assert found.balance < 3e-3  # at most 1.5e-3
    # The finer relative tolerance is no reason for many more steps: 6,700 with that of the paper.
    assert found.evaluations < 15_000
