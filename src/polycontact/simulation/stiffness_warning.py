"""What a run says of stiffness that an explicit integrator has noticed."""

from __future__ import annotations

from polycontact.simulation.integrators import Stiffness


def told_stiffness(found: Stiffness, name: str) -> str:
    """The warning, with its remedy, for an integrator of a name."""
    return (
        f"{name} makes steps as short as stiffness demands, not as the motion does, since t = {found.since:.6g} s "
        f"(noticed at {found.noticed_at:.6g} s): {_rounded(found.evaluations_per_second)} evaluations a simulated "
        f'second there; choose integrator="cvode-bdf", or "auto", which changes over to it by itself'
    )


def _rounded(number: float) -> str:
    """A number with its first two digits, in thousands."""
    return f"{float(f'{number:.1e}'):,.0f}" if number < 1e9 else f"{number:.1e}"
