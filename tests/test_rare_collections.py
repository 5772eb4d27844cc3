"""Python looks for circular garbage seldom within a command, and as before afterwards."""

from __future__ import annotations

import gc

import pytest

from polycontact.workers.rare_collections import rare_collections


def test_thresholds_are_as_before_also_after_an_error() -> None:
    before, within = gc.get_threshold(), []

    def fail() -> None:
        with rare_collections():
            within.append(gc.get_threshold())
            raise ValueError("x")

    with pytest.raises(ValueError, match="x"):
        fail()
    assert within == [(100_000, *before[1:])]
    assert gc.get_threshold() == before


def test_there_are_few_collections_and_none_forgets_what_is_garbage() -> None:
    class Ring:
        def __init__(self) -> None:
            self.me = self

    gc.collect()
    with rare_collections():
        begin = gc.get_stats()[0]["collections"]
        rings = [Ring() for _ in range(50_000)]
        assert gc.get_stats()[0]["collections"] == begin
        del rings
        assert gc.collect() >= 50_000
