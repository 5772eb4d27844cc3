"""Tables 1 and 2 of the PCM paper (S0.74, S0.79): what its integrators needed, to print beside ours."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class PaperColumn:
    """One integrator's column: ``mean_step`` s, evaluations, Jacobians (None: not given), CPU s, real-time factor."""

    integrator: str
    mean_step: float
    evaluations: int
    jacobians: int | None
    cpu_seconds: float
    real_time_factor: float


MACHINE = "Mobile Pentium III, 1133 MHz, SIMPACK 8.6"

PAPER_TABLES = {
    "bubbles": (
        PaperColumn("LSODE", 0.8e-3, 6046, None, 276.0, 92.1),
        PaperColumn("DASSL", 1.2e-3, 7100, 88, 286.0, 95.3),
    ),
    "pedestrian": (
        PaperColumn("DOPRI5", 2.0e-3, 4501, None, 288.0, 192.0),
        PaperColumn("DASSL", 0.8e-3, 5020, 30, 336.0, 224.0),
    ),
}
"""Columns by scenario. Table 1: 3.0 s, tolerances 2.0e-4; table 2: 1.5 s, tolerances 1.0e-3."""

PAPER_END = {"bubbles": 3.0, "pedestrian": 1.5}
"""Simulated time of the paper's runs, s."""

HEIRS = {
    "bubbles": ("cvode-bdf", "lsoda", "ida", "dopri5"),
    "pedestrian": ("cvode-bdf", "lsoda", "ida", "dopri5"),
}
"""What ``--integrator all`` runs: CVODE and LSODA are heirs of LSODE, IDA is the heir of DASSL."""
