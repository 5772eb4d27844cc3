"""The columns of the energy ledger in words."""

from __future__ import annotations

LEDGER_LABELS = {
    "kinetic": "kinetic",
    "gravity": "potential of gravity",
    "springs": "springs and stops",
    "elastic": "elastic in contacts",
    "contact_damping": "lost in contact damping",
    "friction": "lost in friction",
    "layers": "lost in layers that remember",
    "damping": "lost in other dampers",
    "numerical": "lost by the time steps",
    "input": "put in by motors and motions",
    "residual": "residual work of contacts",
    "balance": "error of the balance",
}
"""Names of the columns, for people, in their order."""
