"""df/dy of a system for integrators by address: from slopes of its contacts, without Python."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from polycontact.kernels.addresses import c_address_of
from polycontact.kernels.dynamics.contact_slopes import accelerate_beside, place_beside, rates_beside
from polycontact.kernels.dynamics.evaluation_views import SystemView
from polycontact.kernels.stepping.block_jacobian import block_jacobian
from polycontact.kernels.stepping.difference_jacobian import JACOBIAN, Differences
from polycontact.kernels.stepping.equations import RATES, Equations
from polycontact.kernels.stepping.system_jacobian import SystemJacobian, system_jacobian
from polycontact.simulation.integrators.rates_by_address import Raised, numbers_in, state_in
from polycontact.simulation.state_blocks import lay_out_blocks
from polycontact.simulation.weak_calls import weakly

UsersForces = Callable[[float, NDArray[np.float64], NDArray[np.float64]], object]

FEWEST_STATES = 100
"""States from which on blocks are solved one by one, where a system has several: below, a dense matrix costs less than
what is around it (`python -m tools.piles`)."""


class SlopeJacobian:
    """Memory of the slopes of a system's contacts, and what makes df/dy from them.

    ``users``(t, y, out): forces of users' elements, in Python, at the kinematics of a state, None where there are none.
    Of them differences are taken; the contacts take no part in that.
    """

    def __init__(self, system: SystemView, users: UsersForces | None) -> None:
        self._system = system
        self._users = users
        self._states: dict[int, NDArray[np.float64]] = {}
        self._outs: dict[int, NDArray[np.float64]] = {}

    def prepare(
        self, equations: Equations, differences: Differences, raised: Raised, *, data_of_vector: int
    ) -> tuple[int, int, int]:
        """As `KnownJacobian.prepare`: the columns become differences of rates beside the state of the slopes."""
        self._view = view = SystemJacobian()
        view.slopes.reserve(n_pairs=self._system.contacts.n_pairs)
        view.slopes.system = self._system.address
        beside = Equations()
        beside.reserve(n=equations.n, n_watched=0)
        beside.place, beside.n_influencing = beside.address, equations.n_influencing
        beside.system, beside.help = view.slopes.address, equations.help
        beside.entry = c_address_of(rates_beside, RATES)
        if self._users is not None:
            beside.entry = raised.callback(weakly(self._rates_beside), RATES)
        view.equations = equations
        differences.equations = beside
        view.differences = differences
        # Which blocks a user's element joins nobody knows.
        if data_of_vector != 0 and self._users is None and self._system.tree.ledger >= FEWEST_STATES:
            lay_out_blocks(view.blocks, self._system)
            view.blocks.data_of_vector = data_of_vector
            if view.blocks.n_blocks > 1:
                return c_address_of(block_jacobian, JACOBIAN), view.address, view.blocks.address
        return c_address_of(system_jacobian, JACOBIAN), view.address, 0

    def _rates_beside(self, place: int, t: float, y: int, out: int) -> int:
        """`rates_beside` with users' forces."""
        assert self._users is not None
        n = self._system.tree.n_states
        place_beside(place, t, y)
        self._users(t, state_in(self._states, y, n), numbers_in(self._outs, out, n))
        return int(accelerate_beside(place, t, out))
