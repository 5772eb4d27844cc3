"""df/dy of a system for integrators by address: from slopes of its contacts, without Python."""

from __future__ import annotations

from polycontact.kernels.addresses import c_address_of
from polycontact.kernels.dynamics.contact_slopes import rates_beside
from polycontact.kernels.dynamics.evaluation_views import SystemView
from polycontact.kernels.stepping.block_jacobian import block_jacobian
from polycontact.kernels.stepping.difference_jacobian import JACOBIAN, Differences
from polycontact.kernels.stepping.equations import RATES, Equations
from polycontact.kernels.stepping.system_jacobian import SystemJacobian, system_jacobian
from polycontact.simulation.state_blocks import lay_out_blocks

FEWEST_STATES = 100
"""States from which on blocks are solved one by one, where a system has several: below, a dense matrix costs less than
what is around it (`python -m tools.piles`)."""


class SlopeJacobian:
    """Memory of the slopes of a system's contacts, and what makes df/dy from them."""

    def __init__(self, system: SystemView) -> None:
        self._system = system

    def prepare(self, equations: Equations, differences: Differences, *, data_of_vector: int) -> tuple[int, int, int]:
        """As `KnownJacobian.prepare`: the columns become differences of rates beside the state of the slopes."""
        self._view = view = SystemJacobian()
        view.slopes.reserve(n_pairs=self._system.contacts.n_pairs)
        view.slopes.system = self._system.address
        beside = Equations()
        beside.reserve(n=equations.n, n_watched=0)
        beside.place, beside.n_influencing = beside.address, equations.n_influencing
        beside.system, beside.entry, beside.help = (
            view.slopes.address,
            c_address_of(rates_beside, RATES),
            equations.help,
        )
        view.equations = equations
        differences.equations = beside
        view.differences = differences
        if data_of_vector != 0 and self._system.tree.ledger >= FEWEST_STATES:
            lay_out_blocks(view.blocks, self._system)
            view.blocks.data_of_vector = data_of_vector
            if view.blocks.n_blocks > 1:
                return c_address_of(block_jacobian, JACOBIAN), view.address, view.blocks.address
        return c_address_of(system_jacobian, JACOBIAN), view.address, 0
