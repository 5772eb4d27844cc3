"""Where things of a model file stand in the frame of their parent."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from polycontact.wording import format_vector


class Frame(NamedTuple):
    """Where something stands in its parent's frame: ``rotation`` (3, 3) and ``position`` (3,), m."""

    rotation: NDArray[np.float64]
    position: NDArray[np.float64]

    def __repr__(self) -> str:
        turned = "" if np.allclose(self.rotation, np.eye(3), atol=1e-12) else ", turned"
        return f"Frame(at {format_vector(self.position)} m{turned})"

    def then(self, inner: Frame) -> Frame:
        """The ``inner`` frame, given in this one, in the parent's."""
        return Frame(self.rotation @ inner.rotation, self.position + self.rotation @ inner.position)

    def inverse(self) -> Frame:
        """Rotation and position of the parent's frame in this one."""
        return Frame(self.rotation.T, -self.rotation.T @ self.position)


def identity_frame() -> Frame:
    """The parent's frame itself."""
    return Frame(np.eye(3), np.zeros(3))
