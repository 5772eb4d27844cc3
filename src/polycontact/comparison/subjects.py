"""What is compared: two shapes in a pose, and the contact that they have."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from polycontact.comparison.bounds import Expected
from polycontact.comparison.compared_body import Side
from polycontact.comparison.trials import Trial
from polycontact.contact.description import ContactDescription
from polycontact.contact.kinematics import RelativeKinematics


@dataclass(frozen=True, eq=False)
class ClosedForm:
    """What is known of a pose without any mesh.

    ``force`` (N), ``depth`` (m): of the reference; ``normal`` (3,): unit vector of the force on E, in frame E;
    ``words``: the formula; ``expect``: the force that a trial must find and its bounds, for given stiffness c (N/m³)
    and k (N/m), or, as a text, why there is none. ``radius`` (m): of a ball on a plane, for laws of round bodies.
    """

    force: float
    depth: float
    normal: NDArray[np.float64]
    words: str
    expect: Callable[[Trial, float, float], Expected | str]
    radius: float | None = None


@dataclass(frozen=True, eq=False)
class Subject:
    """Two shapes E and F at rest in a pose, with the contact that they have, and its closed form where there is one."""

    name: str
    e: Side
    f: Side
    pose: RelativeKinematics
    description: ContactDescription
    exact: ClosedForm | None = None


def relative_pose(
    e: tuple[NDArray[np.float64], NDArray[np.float64]], f: tuple[NDArray[np.float64], NDArray[np.float64]]
) -> RelativeKinematics:
    """The pose of frame F in E, at rest, from rotation and position (m) of both in the world."""
    (R_E, r_E), (R_F, r_F) = e, f
    return RelativeKinematics(rotation=R_E.T @ R_F, position=R_E.T @ (r_F - r_E))
