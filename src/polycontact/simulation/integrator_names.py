"""The names of integrators: what may be asked for is known before a library is imported."""

from __future__ import annotations

from typing import Final

INTEGRATORS: Final = ("cvode-bdf", "cvode-adams", "ida", "lsoda", "dopri5", "auto")
"""The names that `make_integrator` knows."""

WITH_JACOBIAN: Final = ("cvode-bdf", "ida", "lsoda", "auto")
"""Those that work with df/dy, auto where it is stiff."""

EXPLICIT: Final = ("dopri5", "cvode-adams")
"""Those that need no df/dy."""
