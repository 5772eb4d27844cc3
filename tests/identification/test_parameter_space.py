"""Parameters as one point: logarithms of some, shares of their range of the others."""

from __future__ import annotations

import numpy as np
import pytest

from polycontact.identification.fit_parameter import SMALL_SHARE, FitParameter, ParameterSpace

SPACE = ParameterSpace([FitParameter("a", 2.0, 10.0, scale="linear"), FitParameter("b", 1e-3, 1e3, scale="log")])


def test_points_and_values_are_each_others_inverse() -> None:
    for values in ((2.0, 1e-3), (3.7, 20.0), (10.0, 1e3)):
        np.testing.assert_allclose(SPACE.values(SPACE.point(np.array(values))), values, rtol=1e-14)
    np.testing.assert_allclose(SPACE.width, (1.0, np.log(1e6)))
    np.testing.assert_array_equal(SPACE.values(SPACE.upper + 1.0), (10.0, 1e3))
    assert SPACE.named(SPACE.lower) == pytest.approx({"a": 2.0, "b": 1e-3})


def test_slopes_are_derivatives() -> None:
    point, h = SPACE.point(np.array((5.0, 7.0))), 1e-6
    for k in range(2):
        step = h * np.eye(2)[k]
        slope = (SPACE.values(point + step) - SPACE.values(point - step))[k] / (2 * h)
        assert SPACE.slopes(point)[k] == pytest.approx(slope, rel=1e-8)


def test_relative_steps_count_from_the_coordinate_or_from_one() -> None:
    """A step of a logarithm is relative by itself; a share of zero would make no step at all."""
    np.testing.assert_allclose(SPACE.sizes(np.array((0.8, -3.0))), (0.8, 1.0), rtol=0)
    np.testing.assert_allclose(SPACE.sizes(np.array((-0.8, 5.0))), (0.8, 1.0), rtol=0)
    np.testing.assert_allclose(SPACE.sizes(np.array((0.0, 0.0))), (SMALL_SHARE, 1.0), rtol=0)
