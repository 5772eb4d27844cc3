"""What a run says at its end of energy that was made or lost by itself, in contacts or by the integration."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from polycontact.contact.description import ContactDescription
from polycontact.contact.laws import BUILT_IN_LAWS
from polycontact.contact.methods import PenetrationLines, PolygonalMethod
from polycontact.contact.node_block_options import NodeBlockMethod
from polycontact.simulation.ledger import EnergyLedger
from polycontact.simulation.responses.response import ImpulseResponse, MultiplierResponse
from polycontact.simulation.run_options import RunOptions

LARGEST_RESIDUAL_SHARE = 0.05
"""Residual work above this share of the turnover is told: a twentieth is more than an engineer would overlook."""

LARGEST_MADE_SHARE = 0.01
"""Energy that steps make by themselves in bodies that turn is told above this share of the turnover: steps that follow
the motion make a thousandth, and it grows with the square of the step, so that little is needed to be rid of it."""

_BALANCE_TOLERANCES = 5.0
"""Balances that are off by so many times the tolerance for energies are told: several terms have an error each."""

_PARTED_ENERGY_SHARE = 1e-3
"""Contacts that store less than this share of the turnover count as parted."""

_BUILT_IN = (PolygonalMethod, PenetrationLines, NodeBlockMethod, *BUILT_IN_LAWS)


def told_residual(
    ledger: EnergyLedger, tolerance: float, settings: RunOptions, contacts: Sequence[ContactDescription]
) -> str:
    """The warning, empty where the residual work stays below a twentieth of the turnover.

    It counts from where this run began, so that a continued one does not answer for the run before. Below ``tolerance``
    (J), the integrator's for energies, it means nothing: a body at rest turns over next to nothing.
    """
    own = ledger.time >= settings.start_time
    if not own.any():
        return ""
    ledger = EnergyLedger(ledger.time[own], ledger.rows[own])
    residual = ledger["residual"] - ledger["residual"][0]
    turnover = ledger.turnover
    worst = _worst_sample(residual, ledger["elastic"], turnover)
    if not (turnover > 0.0 and abs(residual[worst]) > max(LARGEST_RESIDUAL_SHARE * turnover, tolerance)):
        return ""
    reached, left = abs(residual[worst]), abs(residual[-1])
    outcome = _kept_residual_text(residual[-1], left, turnover)
    return (
        f"the residual work of the contacts reached {reached:.3g} J at t = {ledger.time[worst]:.6g} s, "
        f"{100 * reached / turnover:.0f} % of the turnover of {turnover:.3g} J, {outcome}; it is neither elastic "
        f"energy nor damping nor friction; what may help: "
        f"{', '.join(_remedies(settings, contacts))}"
    )


def told_balance(ledger: EnergyLedger, tolerance: float, settings: RunOptions) -> str:
    """The warning of an energy balance that does not close, empty where it is off by less than a twentieth of the
    turnover or a few times ``tolerance`` (J), the integrator's for energies.
    """
    if not len(ledger.rows):
        return ""
    balance = np.abs(ledger["balance"] - ledger["balance"][0])
    worst, turnover = int(balance.argmax()), _turned_over(ledger)
    if not (
        turnover > 0.0 and balance[worst] > max(LARGEST_RESIDUAL_SHARE * turnover, _BALANCE_TOLERANCES * tolerance)
    ):
        return ""
    remedy = "smaller steps" if _has_fixed_steps(settings) else f"a finer tolerance (rtol is {settings.rtol:g})"
    return (
        f"the energy balance is off by {balance[worst]:.3g} J at t = {ledger.time[worst]:.6g} s, "
        f"{100 * balance[worst] / turnover:.0f} % of the turnover of {turnover:.3g} J: the integration was not "
        f"accurate enough, and the motion may be wrong; what may help: {remedy}; friction at single "
        f"points may need 1e-6"
    )


def told_made(ledger: EnergyLedger, made: float, settings: RunOptions) -> str:
    """The warning of energy (J) that steps have made by themselves in bodies that turn; below zero: taken.

    Empty where it is less than a hundredth of the turnover.
    """
    turnover = _turned_over(ledger) if len(ledger.rows) else 0.0
    if not (turnover > 0.0 and abs(made) > LARGEST_MADE_SHARE * turnover):
        return ""
    step = settings.response.step if isinstance(settings.response, MultiplierResponse | ImpulseResponse) else 0.0
    return (
        f"steps of {step:g} s have {'made' if made > 0.0 else 'taken'} {abs(made):.3g} J by themselves in bodies that "
        f"turn quickly, {100 * abs(made) / turnover:.1f} % of the turnover of {turnover:.3g} J (in the ledger: "
        f"numerical); what helps: a shorter step of the response, half of it makes about a quarter"
    )


def _turned_over(ledger: EnergyLedger) -> float:
    """The turnover, J; few samples may miss some of it, and what the system holds was turned over to get there."""
    return max(ledger.turnover, float(np.max(ledger["kinetic"] + ledger["springs"] + ledger["elastic"])))


def _has_fixed_steps(settings: RunOptions) -> bool:
    """Whether tolerances do not decide about the steps."""
    return settings.own_stepper or not settings.uses("rtol")


def _worst_sample(residual: NDArray[np.float64], elastic: NDArray[np.float64], turnover: float) -> int:
    """The sample with the largest residual among those without energy stored in contacts, else the last.

    In a contact the elastic energy of the ledger is an estimate (see `LayerLaw`); what it misses comes back.
    """
    apart = np.flatnonzero(np.abs(elastic) <= _PARTED_ENERGY_SHARE * turnover)
    return int(apart[np.abs(residual[apart]).argmax()]) if len(apart) else len(residual) - 1


def _kept_residual_text(residual: float, left: float, turnover: float) -> str:
    """How much residual work (J) the contacts keep at the end, and what that means."""
    at_the_end = f"{left:.3g} J ({100 * left / turnover:.1f} %)"
    if left <= LARGEST_RESIDUAL_SHARE * turnover:
        return f"and all but {at_the_end} came back: the elastic energy of the ledger is not exact during contact"
    return f"and at the end the contacts have {'taken' if residual > 0.0 else 'made'} {at_the_end} by themselves"


def _remedies(settings: RunOptions, contacts: Sequence[ContactDescription]) -> list[str]:
    remedies = []
    if any(getattr(contact.method, "depth", "distance") != "distance" for contact in contacts):
        remedies.append('depth="distance" of the polygonal method')
    if not _has_fixed_steps(settings):
        remedies.append(f"a finer tolerance (rtol is {settings.rtol:g})")
    remedies.append("a finer mesh of the base")
    if any(_is_own(contact) for contact in contacts):
        remedies.append("a method or law of your own that gives the energy of its elements")
    return remedies


def _is_own(contact: ContactDescription) -> bool:
    """Whether method or laws come from outside this package."""
    parts = (contact.method, contact.law, contact.friction)
    return not all(part is None or isinstance(part, _BUILT_IN) for part in parts)
