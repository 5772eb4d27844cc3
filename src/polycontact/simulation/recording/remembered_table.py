"""What laws of contact remember of elements, as one long table: rows of all pairings and samples one after the other.

A run is continued from it: like the state it belongs to a sample.
"""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
from numpy.typing import NDArray

from polycontact.simulation.recording.records import RememberedRecord


def remembered_row(width: int) -> np.dtype[Any]:
    """A row of the table: an element of a law that remembers up to ``width`` numbers of each."""
    return np.dtype([("pairing", "<i4"), ("law", "<i4"), ("n_values", "<i4"), ("key", "<i8"), ("values", "<f8", width)])


def rows_from_remembered(records: tuple[RememberedRecord, ...], width: int) -> NDArray[Any]:
    """One row for each element of ``records``, in their order."""
    rows = np.zeros(sum(len(record.keys) for record in records), remembered_row(width))
    start = 0
    for record in records:
        part = rows[start : start + len(record.keys)]
        n_values = record.values.shape[1]
        part["pairing"], part["law"], part["n_values"] = record.pairing, record.law, n_values
        part["key"], part["values"][:, :n_values] = record.keys, record.values
        start += len(part)
    return rows


def remembered_from_rows(rows: NDArray[Any]) -> tuple[RememberedRecord, ...]:
    """The records ``rows`` were made from, less those without elements."""
    changes = (np.diff(rows["pairing"]) != 0) | (np.diff(rows["law"]) != 0)
    bounds = [0, *(np.flatnonzero(changes) + 1).tolist(), len(rows)] if len(rows) else []
    return tuple(_record(rows[a:b]) for a, b in itertools.pairwise(bounds))


def _record(rows: NDArray[Any]) -> RememberedRecord:
    pairing, law, n_values = (int(rows[name][0]) for name in ("pairing", "law", "n_values"))
    values = np.ascontiguousarray(rows["values"][:, :n_values])
    return RememberedRecord(pairing, law, np.ascontiguousarray(rows["key"]), values)
