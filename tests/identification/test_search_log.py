"""What a search counts, keeps and tells."""

from __future__ import annotations

import numpy as np
import pytest

from polycontact.identification.search_log import MOST_REASONS, IdentifyProgress, SearchEndedError, SearchLog
from polycontact.identification.trial_pool import Outcome

CURVES = (np.zeros(3),)


def test_runs_failures_and_reasons_are_counted() -> None:
    told: list[IdentifyProgress] = []
    log = SearchLog(100, told.append)
    log.expected = 4
    for outcome in (Outcome(CURVES), Outcome(None, "too stiff"), Outcome(None, "too stiff"), Outcome(CURVES)):
        log.note(outcome)
    assert (log.runs, log.failed, log.reasons) == (4, 2, ["too stiff"])
    assert [(each.runs, each.failed) for each in told] == [(1, 0), (2, 1), (3, 2), (4, 2)]
    assert told[-1].seconds_left == 0.0
    for i in range(2 * MOST_REASONS):
        log.note(Outcome(None, f"reason {i}"))
    assert len(log.reasons) == MOST_REASONS


def test_more_runs_than_allowed_are_refused() -> None:
    log = SearchLog(3, None)
    log.note(Outcome(CURVES))
    log.allow(2)
    with pytest.raises(SearchEndedError, match="the 3 runs that are allowed"):
        log.allow(3)


def test_the_best_point_is_kept_but_for_that_of_intervals() -> None:
    log = SearchLog(100, None)
    for run, (cost, phase) in enumerate([(3.0, "start"), (5.0, "search"), (2.0, "search"), (1.0, "intervals")], 1):
        log.phase = phase
        log.compare(np.array([cost]), cost, CURVES, run)
    assert (log.best_cost, log.best_point) == (2.0, np.array([2.0]))
    assert [(each.runs, each.cost, each.phase) for each in log.history] == [(1, 3.0, "start"), (3, 2.0, "search")]
