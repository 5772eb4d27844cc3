"""All closed forms in one run."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from polycontact.verification import (
    balanced_bodies,
    displacement,
    flat_faces,
    force_laws,
    half_space_bodies,
    patches,
    round_bodies,
)
from polycontact.verification.case import Outcome, VerificationCase, run_case

Progress = Callable[[int, int, Outcome], None]
"""Called after each case with the number of cases done, that of all cases, and the outcome."""

FAMILIES = {
    "depth as a distance": displacement,
    "flat faces, paper's depth": flat_faces,
    "round bodies, paper's depth": round_bodies,
    "balanced bodies": balanced_bodies,
    "borders, patches, volume": patches,
    "force laws": force_laws,
    "half-spaces": half_space_bodies,
}
"""Groups of cases by what they are about."""


def all_cases() -> tuple[VerificationCase, ...]:
    """Every case, family by family."""
    return tuple(replace(case, group=name) for name, family in FAMILIES.items() for case in family.cases())


def run_verification(progress: Progress | None = None) -> tuple[Outcome, ...]:
    """Measure every case; an outcome that is not ``ok`` says by how much it is off."""
    cases = all_cases()
    outcomes = []
    for case in cases:
        outcomes.append(run_case(case))
        if progress is not None:
            progress(len(outcomes), len(cases), outcomes[-1])
    return tuple(outcomes)
