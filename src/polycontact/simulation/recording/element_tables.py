"""Contact elements, and what contact laws remember of elements, as two long tables: rows of all pairings and samples.

A run is continued from what is remembered: like the state it belongs to a sample.
"""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
from numpy.typing import NDArray

from polycontact.errors import SimulationError
from polycontact.simulation.recording.records import ElementRecord, RememberedRecord

ELEMENT_ROW = np.dtype(
    [
        ("pairing", "<i4"),
        ("position", "<f8", (3,)),
        ("normal", "<f8", (3,)),
        ("area", "<f8"),
        ("depth", "<f8"),
        ("pressure", "<f8"),
        ("slip", "<f8", (3,)),
        ("base_triangle", "<i4"),
        ("side", "i1"),
    ]
)
"""A row of the table; units as in `ElementRecord`."""

COLUMNS = tuple(name for name in ELEMENT_ROW.names or () if name != "pairing")


def rows_from_records(records: tuple[ElementRecord, ...], n_pairings: int, label: str) -> NDArray[Any]:
    """One row for each element of ``records``, in their order."""
    rows = np.empty(sum(len(record) for record in records), ELEMENT_ROW)
    start = 0
    for record in records:
        if not 0 <= record.pairing < n_pairings:
            raise SimulationError(
                f"{label}: elements of pairing number {record.pairing}, but the run has {n_pairings} pairings; "
                "numbers count from 0 in the order of the description"
            )
        part = rows[start : start + len(record)]
        part["pairing"] = record.pairing
        for name in COLUMNS:
            column = np.asarray(getattr(record, name))
            if column.shape != part[name].shape:
                raise SimulationError(
                    f"{label}: '{name}' of the elements of pairing number {record.pairing} has the shape "
                    f"{column.shape}; {len(record)} elements demand {part[name].shape}"
                )
            part[name] = column
        start += len(record)
    return rows


def records_from_rows(rows: NDArray[Any]) -> tuple[ElementRecord, ...]:
    """The records ``rows`` were made from, less those without elements."""
    pairing = rows["pairing"]
    bounds = np.flatnonzero(np.diff(pairing, prepend=-1, append=-1))
    parts = [rows[a:b] for a, b in itertools.pairwise(bounds)]
    return tuple(
        ElementRecord(int(part["pairing"][0]), *(np.ascontiguousarray(part[name]) for name in COLUMNS))
        for part in parts
    )


def no_elements(pairing: int) -> ElementRecord:
    """The record of a pairing without elements."""
    rows = np.empty(0, ELEMENT_ROW)
    return ElementRecord(pairing, *(np.ascontiguousarray(rows[name]) for name in COLUMNS))


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
