"""The comparison: from what is to be compared to rows of forces, differences, bounds and times (S2.23–S2.26, X.6)."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from polycontact.comparison.bounds import Expected
from polycontact.comparison.compared_body import form_of
from polycontact.comparison.law_rows import LawRow, compare_laws
from polycontact.comparison.measuring import Row, evaluate_trial, with_times
from polycontact.comparison.stiffness import Scale, find_scale
from polycontact.comparison.subjects import Subject
from polycontact.comparison.trials import Misfit, Trial, find_trials
from polycontact.contact.base_choice import with_base
from polycontact.contact.distance import Distance
from polycontact.contact.laws import LayerLaw, SpringDamperLaw
from polycontact.errors import ContactError, PolycontactError
from polycontact.wording import counted

if TYPE_CHECKING:
    from polycontact.contact.result import ContactResult
    from polycontact.scenario.parsing import Scenario
    from polycontact.simulation.recording.trajectory import Trajectory

MOST_PAIRS = 8
"""Pairs of bodies that one comparison looks at; further ones are named."""


@dataclass(frozen=True, eq=False, repr=False)
class PairComparison:
    """Two bodies in one pose by every method and law that fits.

    ``rows``: a method on a form of the bodies each; ``misfits``: what does not fit, with reasons; ``scale``: reference
    and stiffnesses; ``laws``: laws that carry the same force in this pose.
    """

    subject: Subject
    scale: Scale
    rows: tuple[Row, ...]
    misfits: tuple[Misfit, ...]
    laws: tuple[LawRow, ...]

    def __repr__(self) -> str:
        return (
            f"PairComparison({self.name!r}, {counted(len(self.rows), 'trial')}, {counted(len(self.misfits), 'misfit')})"
        )

    @property
    def name(self) -> str:
        """Name of the compared contact."""
        return self.subject.name

    @property
    def reference(self) -> NDArray[np.float64]:
        """Force on E (3,) N that differences are taken from, in frame E."""
        return self.scale.force

    @property
    def outside(self) -> tuple[Row, ...]:
        """Rows whose force is not within its bounds."""
        return tuple(row for row in self.rows if self.is_within(row) is False)

    def is_within(self, row: Row) -> bool | None:
        """Whether the force of a row along the normal is within its bounds; None where it has none."""
        return row.expected.holds(self.normal_force(row)) if isinstance(row.expected, Expected) else None

    def normal_force(self, row: Row) -> float:
        """Force of a row along that of the reference, N."""
        return float(row.force @ self.scale.normal)


@dataclass(frozen=True)
class Apart:
    """A contact whose bodies do not touch in this pose, with their distance; None where no method knows it."""

    name: str
    distance: Distance | None


@dataclass(frozen=True, eq=False, repr=False)
class Comparison:
    """What `compare` found: ``pairs`` that touch; those ``apart``; names of pairs ``left_out``, as there were many.

    ``rounds``: of the measurement of times.
    """

    name: str
    pairs: tuple[PairComparison, ...]
    apart: tuple[Apart, ...] = ()
    left_out: tuple[str, ...] = ()
    rounds: int = 0

    def __repr__(self) -> str:
        trials = counted(sum(len(pair.rows) for pair in self.pairs), "trial")
        verdict = "all forces within their bounds" if self.ok else "some forces outside their bounds"
        return f"Comparison({self.name!r}, {counted(len(self.pairs), 'pair')}, {trials}, {verdict})"

    @property
    def ok(self) -> bool:
        """Whether all forces with bounds are within them."""
        return not any(pair.outside for pair in self.pairs)

    def pair(self, name: str | None = None) -> PairComparison:
        """The pair of a name; the first one where none is given."""
        found = [pair for pair in self.pairs if name in (None, pair.name)]
        if not found:
            known = ", ".join(repr(pair.name) for pair in self.pairs)
            raise ContactError(f"{self.name}: no pair {name!r} was compared; there are {known}")
        return found[0]

    def __str__(self) -> str:
        from polycontact.comparison.comparison_table import comparison_text

        return comparison_text(self)

    def save_page(self, path: str | os.PathLike[str]) -> None:
        """Write the comparison as one HTML page."""
        from polycontact.comparison.comparison_page import write_comparison

        write_comparison(path, self)

    def to_dict(self) -> dict[str, Any]:
        """All numbers, as JSON can hold them."""
        from polycontact.comparison.comparison_record import comparison_record

        return comparison_record(self)


def compare(
    subject: Subject | ContactResult | Scenario | Trajectory | str | os.PathLike[str],
    *,
    time: float | None = None,
    bodies: tuple[str, str] | None = None,
    rounds: int = 21,
) -> Comparison:
    """Evaluate the same bodies in the same pose with every method and law that fits.

    - ``subject``: "sphere_on_plate" or "box_on_plate", whose forces are known beforehand; a scenario, by name, file or
      object; a run, by file (.h5) or trajectory; the result of a pairing, whose pose counts; or a `Subject`.
    - ``time`` (s): of the pose; a scenario is simulated until then, a run has its last sample where it is left out.
    - ``bodies``: names of two bodies; all pairs that touch where left out.
    - ``rounds``: in which all rows take turns for their times; 0: no times.

    The bodies are held still: neither damping nor friction counts. Raises an error where nothing touches.
    """
    from polycontact.comparison.sources import find_subjects

    if isinstance(rounds, bool) or not isinstance(rounds, int) or rounds < 0:
        raise ContactError(f"compare: rounds is {rounds!r}; give a whole number, 0 for no times")
    name, subjects = find_subjects(subject, time, bodies)
    touching: list[tuple[Subject, Scale]] = []
    apart: list[Apart] = []
    for each in subjects:
        scale = find_scale(each)
        if isinstance(scale, Scale):
            touching.append((each, scale))
        else:
            apart.append(Apart(each.name, scale.distance))
    if not touching:
        raise ContactError(_nothing_touches(name, apart))
    touching.sort(key=lambda pair: -float(np.linalg.norm(pair[1].force)))
    pairs = tuple(_compare_pair(each, scale, rounds) for each, scale in touching[:MOST_PAIRS])
    return Comparison(name, pairs, tuple(apart), tuple(each.name for each, _ in touching[MOST_PAIRS:]), rounds)


def _compare_pair(subject: Subject, scale: Scale, rounds: int) -> PairComparison:
    trials, misfits = find_trials(subject.e, subject.f)
    rows: list[Row] = []
    for trial in (*own_trials(subject, trials), *trials):
        law = SpringDamperLaw(stiffness=scale.k) if trial.is_point else LayerLaw(stiffness=scale.c)
        try:
            row = evaluate_trial(trial, law, subject.pose, subject.name)
        except PolycontactError as error:
            misfits.append(Misfit(trial.label, trial.forms, str(error)))
            continue
        expected = "" if subject.exact is None else subject.exact.expect(trial, scale.c, scale.k)
        rows.append(replace(row, expected=expected))
    laws = compare_laws(subject, scale, rows)
    return PairComparison(subject, scale, tuple(with_times(rows, rounds) if rounds else rows), tuple(misfits), laws)


def own_trials(subject: Subject, trials: Sequence[Trial]) -> tuple[Trial, ...]:
    """The contact's own method where it is none of the ``trials``: with other options, or one of a user."""
    own, _ = with_base(subject.description.method, subject.e.given, subject.f.given)
    if any(trial.method == own for trial in trials):
        return ()
    forms = (form_of(subject.e.given), form_of(subject.f.given))
    return (Trial(own, forms, subject.e.own, subject.f.own),)


def _nothing_touches(name: str, apart: Sequence[Apart]) -> str:
    known = [each for each in apart if each.distance is not None]
    nearest = min(known, key=lambda each: each.distance.distance, default=None)  # type: ignore[union-attr]
    words = f"{name}: no contact in this pose; of {len(apart)} pairs of bodies none touches"
    if nearest is not None and nearest.distance is not None:
        words += f", nearest are those of {nearest.name}, {1e3 * nearest.distance.distance:.4g} mm apart"
    return words + "; give another time"
