"""All cases that others published, by name."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from polycontact.errors import PolycontactError
from proof.validation import (
    cam_lift_off,
    painleve_rod,
    particle_impacts,
    rattleback,
    screw_thread,
    shaken_slope,
    tippe_top,
    winkler_impact,
)
from proof.validation.finding import Validation

CASES: dict[str, Callable[[], Validation]] = {
    "screw": screw_thread.validate,
    "cam": cam_lift_off.validate,
    "impacts": particle_impacts.validate,
    "winkler_impact": winkler_impact.validate,
    "shaken_slope": shaken_slope.validate,
    "painleve": painleve_rod.validate,
    "tippe_top": tippe_top.validate,
    "rattleback": rattleback.validate,
}


def validations(names: list[str] | None = None) -> Iterator[Validation]:
    """Measure the cases named, or all, one after the other."""
    unknown = [name for name in names or () if name not in CASES]
    if unknown:
        raise PolycontactError(f"validation {unknown[0]!r} is not known; there are {', '.join(CASES)}")
    for name in names or CASES:
        yield CASES[name]()
