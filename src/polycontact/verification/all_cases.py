"""All closed forms in one run."""

from __future__ import annotations

from collections.abc import Callable

from polycontact.verification import balanced_bodies, displacement, flat_faces, force_laws, patches, round_bodies
from polycontact.verification.case import Outcome, VerificationCase, run_case

Progress = Callable[[int, int, Outcome], None]
"""Called after each case with the number of cases done, that of all cases, and the outcome."""


def all_cases() -> tuple[VerificationCase, ...]:
    """Every case, family by family."""
    families = (displacement, flat_faces, round_bodies, balanced_bodies, patches, force_laws)
    return tuple(case for family in families for case in family.cases())


def run_verification(progress: Progress | None = None) -> tuple[Outcome, ...]:
    """Measure every case; an outcome that is not ``ok`` says by how much it is off."""
    cases = all_cases()
    outcomes = []
    for case in cases:
        outcomes.append(run_case(case))
        if progress is not None:
            progress(len(outcomes), len(cases), outcomes[-1])
    return tuple(outcomes)
