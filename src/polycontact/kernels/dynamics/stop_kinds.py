"""Kinds of limits that end a run."""

from __future__ import annotations

from enum import IntEnum


class StopKind(IntEnum):
    """What is compared with a limit."""

    TILT = 0  # the angle of an axis of the body from the vertical, rad
    HEIGHT = 1  # the height of a point of the body, m, from above
    DISTANCE = 2  # how far a point of the body is from a place, m
