"""A user's own force element in Python, with states of its own if it needs them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from polycontact.errors import MultibodyError
from polycontact.multibody import checks

if TYPE_CHECKING:
    from polycontact.kernels.dynamics.evaluation_views import AppliedForces
    from polycontact.multibody.placement import Placement


class ForceView:
    """What a user's force element sees and writes at one instant; world axes, SI units.

    Wherever a body is named, a marker may be named too.
    """

    def __init__(
        self,
        bodies: Placement,
        forces: AppliedForces,
        states: NDArray[np.float64],
        rates: NDArray[np.float64],
        discrete: NDArray[np.float64],
    ) -> None:
        self._bodies = bodies
        self._forces = forces
        self.time = 0.0
        self.states = states
        """Continuous states of this element."""
        self.rates = rates
        """To be filled with the time derivatives of ``states``."""
        self.direction = 0
        """In `ForceElement.at_event`: +1 where the root has risen through zero, -1 where it has fallen."""
        self.discrete = discrete
        """Discrete states of this element; change them in `ForceElement.at_event` only."""

    def position(self, body: str, point: ArrayLike = (0.0, 0.0, 0.0)) -> NDArray[np.float64]:
        """Position in the world of a point given in the body's frame, m."""
        R, r = self._bodies.pose(body)
        return r + R @ np.asarray(point, dtype=np.float64)

    def rotation(self, body: str) -> NDArray[np.float64]:
        """Rotation (3, 3) of a body in the world."""
        return self._bodies.pose(body)[0].copy()

    def velocity(self, body: str, point: ArrayLike = (0.0, 0.0, 0.0)) -> NDArray[np.float64]:
        """Velocity of a point given in the body's frame, m/s."""
        R, _ = self._bodies.pose(body)
        w, v = self._bodies.twist(body)
        return v + np.cross(w, R @ np.asarray(point, dtype=np.float64))

    def angular_velocity(self, body: str) -> NDArray[np.float64]:
        """Angular velocity of a body, rad/s."""
        return self._bodies.twist(body)[0].copy()

    def coordinates(self, joint: str) -> NDArray[np.float64]:
        """Coordinates of a joint, m and rad."""
        return self._bodies.joint_values(joint)[0].copy()

    def speeds(self, joint: str) -> NDArray[np.float64]:
        """Speeds of a joint, m/s and rad/s."""
        return self._bodies.joint_values(joint)[1].copy()

    def add_force(self, body: str, force: ArrayLike, point: ArrayLike = (0.0, 0.0, 0.0)) -> None:
        """Apply a force (N, world axes) at a point given in the body's or marker's frame (m)."""
        carrier = self._carrier(body)
        arm = self.position(body, point) - self._bodies.position[carrier]
        f = _vector(force, "force")
        applied = self._forces.user_applied[carrier]
        applied[:3] += np.cross(arm, f)
        applied[3:] += f

    def add_torque(self, body: str, torque: ArrayLike) -> None:
        """Apply a torque (N m, world axes) to a body, or to that of a marker."""
        self._forces.user_applied[self._carrier(body), :3] += _vector(torque, "torque")

    def add_effort(self, joint: str, effort: float, coordinate: int = 0) -> None:
        """Apply a torque (N m) or force (N) along a speed of a joint."""
        _, speeds = self._bodies.setup.variables_of(joint)
        efforts = self._forces.user_efforts[speeds]
        if not 0 <= coordinate < len(efforts):
            raise MultibodyError(f"joint {joint!r} has no speed {coordinate}; it has {len(efforts)}, counted from 0")
        efforts[coordinate] += effort

    def _carrier(self, body: str) -> int:
        """Number of a body, or of the body that carries a marker."""
        setup = self._bodies.setup
        return setup.number[setup.system.marker(body).body]


def _vector(value: ArrayLike, what: str) -> NDArray[np.float64]:
    vector = np.asarray(value, dtype=np.float64)
    if vector.shape != (3,):
        raise MultibodyError(f"{what} has shape {vector.shape}; give three numbers in world axes")
    return vector


class ForceElement:
    """Base of a user's own force element; override what is needed.

    ``states``: start values of its continuous states, integrated with the system. ``discrete``: start values of
    its discrete states, which change only in `at_event`, when one of `roots` changes its sign. A force that depends on
    time needs a root where it begins or ends, or a ``max_step``: a long step may jump over a short pulse.
    """

    def __init__(self, name: str, *, states: Sequence[float] = (), discrete: Sequence[float] = ()) -> None:
        self.name = name
        owner = f"force element {name!r}"
        self.states = tuple(checks.number(owner, "a state", value, "SI units", signed=True) for value in states)
        self.discrete = tuple(
            checks.number(owner, "a discrete state", value, "SI units", signed=True) for value in discrete
        )

    def apply(self, view: ForceView) -> None:
        """Add forces at this instant and fill ``view.rates``. Must depend on what the view shows only."""
        raise NotImplementedError(f"force element {self.name!r} has no apply method")

    def roots(self, view: ForceView) -> Sequence[float]:
        """Functions whose change of sign is an event; as many at every instant."""
        return ()

    def at_event(self, view: ForceView, root: int) -> None:
        """Root number ``root`` has changed its sign: change ``view.discrete`` and ``view.states`` as needed.

        ``view.direction`` tells which way it went.
        """


class PythonForce(ForceElement):
    """A force element made of one function of the view."""

    def __init__(self, name: str, function: Callable[[ForceView], None]) -> None:
        super().__init__(name)
        if not callable(function):
            raise MultibodyError(f"force element {name!r}: {function!r} is no function; give one of a ForceView")
        self.function = function

    def apply(self, view: ForceView) -> None:
        """Call the user's function, which adds its forces and torques to ``view``."""
        self.function(view)
