"""The energy ledger: where the energy of a run is and where it went.

Kinetic energy and potentials are those of the state; work and losses are integrated with the system. Two sums can
be checked: the balance, which is the error of the integration, and the residual work of the contacts, which the
model makes because its forces along the normals of the base have no exact potential (docs: theory).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from polycontact.errors import SimulationError
from polycontact.multibody.evaluation import StoredEnergies

COLUMNS = (
    "kinetic",
    "gravity",
    "springs",
    "elastic",
    "contact_damping",
    "friction",
    "layers",
    "damping",
    "numerical",
    "input",
    "residual",
    "balance",
)
"""Energies of a sample, J: stored (four), lost (four, and what the rule of the steps has lost by itself), put in,
residual work of the contacts, error of the balance. What layers lose besides damping, in dents and as they relax, is
that of layers that remember, and of laws that tell it; a part of it they may give back later."""

N_ENERGIES = COLUMNS.index("residual")
"""Columns of energies; the others are errors."""

ROUNDING = 1e-12
"""Part of the turnover below which an energy is rounding and shown as 0."""


def ledger_columns(energies: Mapping[str, NDArray[np.float64]], n_samples: int) -> NDArray[np.float64]:
    """Recorded energies (n_samples, columns) in the order of `COLUMNS`; zeros for those that an older file lacks."""
    return np.column_stack([energies.get(name, np.zeros(n_samples)) for name in COLUMNS])


@dataclass(frozen=True)
class EnergyStart:
    """Energies at the start of a run: what the ledger is measured from, J."""

    mechanical: float
    elastic: float

    @classmethod
    def recorded(cls, row: NDArray[np.float64], integrals: NDArray[np.float64]) -> EnergyStart:
        """The start from a recorded row of the ledger and the integrals in the state of the same sample."""
        work, contact_damping, friction, damping, given, layers = _six(integrals)
        elastic, lost, residual, balance = (
            row[COLUMNS.index(name)] for name in ("elastic", "numerical", "residual", "balance")
        )
        mechanical = float(row[: COLUMNS.index("elastic")].sum()) - work + damping + lost - given - balance
        return cls(float(mechanical), float(elastic + work + contact_damping + friction + layers + residual))

    @classmethod
    def of(cls, energies: StoredEnergies, integrals: NDArray[np.float64]) -> EnergyStart:
        """From the energies of an evaluation and the integrals in its state: not zero after impacts at the start."""
        work, contact_damping, friction, damping, given, layers = _six(integrals).tolist()
        elastic = energies.contact + work + contact_damping + friction + layers
        return cls(energies.mechanical - work + damping - given, elastic)


def _six(integrals: NDArray[np.float64]) -> NDArray[np.float64]:
    """Integrals by columns, with a last one of zeros where no law tells what its layers lose."""
    missing = 6 - integrals.shape[-1]
    return np.concatenate([integrals, np.zeros((*integrals.shape[:-1], missing))], axis=-1)


def ledger_rows(
    stored: NDArray[np.float64],
    integrals: NDArray[np.float64],
    start: EnergyStart,
    lost_in_steps: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Rows (n, columns) of the ledger from `StoredEnergies` (n, 4) and the integrals in the states (n, 5 or 6), J.

    Balance: mechanical energy now, less the start, less the work of contacts and the input, plus the losses of dampers
    and of the steps themselves, ``lost_in_steps`` (n,). Residual: what the contacts took out besides elastic energy,
    damping, friction and what layers lose.
    """
    work, contact_damping, friction, damping, given, layers = _six(integrals).T
    kinetic, gravity, springs, elastic = stored.T
    balance = kinetic + gravity + springs - start.mechanical - work + damping + lost_in_steps - given
    residual = -work - (elastic - start.elastic) - contact_damping - friction - layers
    lost = (contact_damping, friction, layers, damping, lost_in_steps)
    return np.column_stack([kinetic, gravity, springs, elastic, *lost, given, residual, balance])


@dataclass(frozen=True, repr=False)
class EnergyLedger:
    """The ledger over a run: ``time`` (n,) s and ``rows`` (n, 12) J, with columns by name."""

    time: NDArray[np.float64]
    rows: NDArray[np.float64]

    def __repr__(self) -> str:
        span = f", {self.time[0]:g} to {self.time[-1]:g} s" if len(self.rows) else ""
        errors = f"worst balance {self.worst_balance:.3g} J, worst residual {self.worst_residual:.3g} J"
        return f"EnergyLedger({len(self.rows)} samples{span}, turnover {self.turnover:.3g} J, {errors})"

    def _repr_html_(self) -> str:
        """What a notebook shows: each energy at the start and at the end."""
        if not len(self.rows):
            return "<p>energy ledger without samples</p>"
        noise = ROUNDING * self.turnover
        cells = (
            f"<tr><th style='text-align:left'>{name.replace('_', ' ')}</th>"
            + "".join(f"<td>{0.0 if abs(self[name][i]) <= noise else self[name][i]:.4g}</td>" for i in (0, -1))
            + "</tr>"
            for name in COLUMNS
            if name not in ("numerical", "layers") or self[name].any()
        )
        return f"<table><tr><th>energy, J</th><th>start</th><th>end</th></tr>{''.join(cells)}</table>"

    def __getitem__(self, column: str) -> NDArray[np.float64]:
        """A column by name, J; see `COLUMNS`."""
        if column not in COLUMNS:
            raise SimulationError(f"the ledger has no column {column!r}; there are {', '.join(COLUMNS)}")
        values: NDArray[np.float64] = self.rows[:, COLUMNS.index(column)]
        return values

    @property
    def turnover(self) -> float:
        """Largest change of any energy in the run, J: what errors are compared with."""
        return float(np.abs(self.rows[:, :N_ENERGIES] - self.rows[0, :N_ENERGIES]).max()) if len(self.rows) else 0.0

    @property
    def worst_balance(self) -> float:
        """Largest error of the balance, J."""
        return float(np.abs(self["balance"]).max()) if len(self.rows) else 0.0

    @property
    def worst_residual(self) -> float:
        """Largest residual work of the contacts, J."""
        return float(np.abs(self["residual"]).max()) if len(self.rows) else 0.0

    def summary(self) -> dict[str, float]:
        """The last row by name, with the worst balance, the worst residual and the turnover, J."""
        last = self.rows[-1] if len(self.rows) else np.zeros(len(COLUMNS))
        return {
            **dict(zip(COLUMNS, map(float, last), strict=True)),
            "worst_balance": self.worst_balance,
            "worst_residual": self.worst_residual,
            "turnover": self.turnover,
        }
