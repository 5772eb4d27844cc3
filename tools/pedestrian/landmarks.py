"""Where the joints of the standing man are: the skeleton that shapes, joints and masses share.

A man of 1.75 m stands with arms hanging: x forward, y to his left, z up, m, with the origin on the ground
between his feet, below the hips. Heights and lengths follow the proportions of Drillis and Contini as given by
Winter (Biomechanics and Motor Control of Human Movement); half distances of hips and shoulders are those of the
joint centres of a man of average build.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import Final

STATURE: Final = 1.75
"""Height of the man, m."""

HIP_HEIGHT: Final = 0.530 * STATURE
KNEE_HEIGHT: Final = 0.285 * STATURE
ANKLE_HEIGHT: Final = 0.039 * STATURE
SHOULDER_HEIGHT: Final = 0.818 * STATURE
ELBOW_HEIGHT: Final = SHOULDER_HEIGHT - 0.186 * STATURE
WRIST_HEIGHT: Final = ELBOW_HEIGHT - 0.146 * STATURE
LUMBAR_HEIGHT: Final = 1.045
"""Between the fourth and the fifth lumbar vertebra, m."""
NECK_HEIGHT: Final = 1.485
"""At the seventh cervical vertebra, m."""
HAND_LENGTH: Final = 0.108 * STATURE

HALF_HIPS: Final = 0.088
"""Hip joint from the middle, m; knee and ankle lie below it."""
HALF_SHOULDERS: Final = 0.195
"""Shoulder joint from the middle, m; elbow and wrist lie below it."""
ARM_X: Final = -0.02
"""Shoulder, elbow and wrist, m."""
ANKLE_X: Final = -0.03

_MIDDLE: Final = {
    "pelvis": (0.0, 0.0, HIP_HEIGHT),
    "torso": (-0.01, 0.0, LUMBAR_HEIGHT),
    "head": (-0.03, 0.0, NECK_HEIGHT),
}
_LEFT: Final = {
    "upper arm": (ARM_X, HALF_SHOULDERS, SHOULDER_HEIGHT),
    "forearm": (ARM_X, HALF_SHOULDERS, ELBOW_HEIGHT),
    "hand": (ARM_X, HALF_SHOULDERS, WRIST_HEIGHT),
    "thigh": (0.0, HALF_HIPS, HIP_HEIGHT),
    "shank": (0.0, HALF_HIPS, KNEE_HEIGHT),
    "foot": (ANKLE_X, HALF_HIPS, ANKLE_HEIGHT),
}

SIDES: Final = ("left", "right")
LIMBS: Final = tuple(_LEFT)
"""Segments that the man has on both sides, named "left …" and "right …"."""


def _origins() -> dict[str, tuple[float, float, float]]:
    origins = dict(_MIDDLE)
    for side, sign in zip(SIDES, (1.0, -1.0), strict=True):
        origins |= {f"{side} {name}": (x, sign * y, z) for name, (x, y, z) in _LEFT.items()}
    return origins


ORIGINS: Final = MappingProxyType(_origins())
"""Origin of each segment's frame in the standing man, m: its proximal joint (pelvis: between the hips)."""

SEGMENTS: Final = tuple(ORIGINS)
"""The names of the 15 segments, in a fixed order."""
