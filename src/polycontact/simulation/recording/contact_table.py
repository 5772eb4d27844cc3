"""Contacts of all samples as one long table: a row for each pairing in contact at a sample, none for the others.

Of n bodies n²/2 pairs may touch, and a few n of them do: what is stored follows the contacts, not the pairs.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from polycontact.simulation.recording.sample_quantities import CONTACT_COLUMNS, PAIRING_QUANTITIES

WITHOUT_CONTACT = {"wrenches": 0.0, "contact": 0.0, "centres_of_pressure": np.nan}
"""What stands in such a field for a pairing without a row."""

SLAB = 1 << 24
"""Bytes of arrays with rows for all pairings that are looked at together."""


@cache
def contact_row(*, with_centres: bool) -> np.dtype[Any]:
    """A row of the table; units as in `Sample`. ``with_centres``: of pressure, where reactions are recorded."""
    fields: list[Any] = [("pairing", "<i4"), ("wrenches", "<f8", (6,)), ("contact", "<f8", (len(CONTACT_COLUMNS),))]
    return np.dtype([*fields, ("centres_of_pressure", "<f8", (3,))] if with_centres else fields)


def split_contacts(
    arrays: Mapping[str, NDArray[Any]],
) -> tuple[dict[str, NDArray[Any]], NDArray[Any], NDArray[np.int64]]:
    """The quantities of samples (m, …) without those of pairings, rows of the table for these, and how many of each
    sample.
    """
    given = {name: array for name, array in arrays.items() if name in PAIRING_QUANTITIES}
    others = {name: array for name, array in arrays.items() if name not in given}
    has_contact = np.zeros(given["wrenches"].shape[:2], bool)
    for name, array in given.items():
        has_contact |= _differs(name, array).any(axis=2)
    samples, pairings = np.nonzero(has_contact)
    rows = np.empty(len(pairings), contact_row(with_centres="centres_of_pressure" in given))
    rows["pairing"] = pairings
    for name, array in given.items():
        rows[name] = array[samples, pairings]
    return others, rows, np.count_nonzero(has_contact, axis=1).astype(np.int64)


def _differs(name: str, array: NDArray[np.float64]) -> NDArray[Any]:
    """Whether the numbers differ from those of a pair without contact."""
    return ~np.isnan(array) if name == "centres_of_pressure" else array != 0.0


class ContactTable:
    """``rows`` of the type `contact_row`, sample by sample and in each by rising number of the pairing.

    ``ends``: last row + 1 of each sample; ``n_pairings`` of the run.
    """

    def __init__(self, rows: NDArray[Any], ends: NDArray[np.int64], n_pairings: int) -> None:
        self.rows, self.ends, self.n_pairings = rows, ends, n_pairings
        rows.flags.writeable = ends.flags.writeable = False

    @classmethod
    def empty(cls, n_samples: int, n_pairings: int, *, with_centres: bool) -> ContactTable:
        """The table of samples without a contact."""
        return cls(np.empty(0, contact_row(with_centres=with_centres)), np.zeros(n_samples, "<i8"), n_pairings)

    @classmethod
    def of_blocks(
        cls, blocks: list[tuple[NDArray[Any], NDArray[np.int64]]], n_pairings: int, *, with_centres: bool
    ) -> ContactTable:
        """The table of blocks of samples: the rows of each, and how many each of its samples has."""
        rows = np.concatenate([np.empty(0, contact_row(with_centres=with_centres)), *(rows for rows, _ in blocks)])
        counts = np.concatenate([np.empty(0, np.int64), *(counts for _, counts in blocks)])
        return cls(rows, np.cumsum(counts, dtype="<i8"), n_pairings)

    @classmethod
    def of_arrays(cls, arrays: Mapping[str, Any], n_samples: int, n_pairings: int) -> ContactTable:
        """The table of arrays with rows for all pairings, as files had them up to format 2; read piece by piece."""
        with_centres = "centres_of_pressure" in arrays
        step = max(SLAB // (n_pairings * contact_row(with_centres=with_centres).itemsize), 1)
        blocks = []
        for start in range(0, n_samples, step):
            slab = {name: array[start : start + step] for name, array in arrays.items()}
            blocks.append(split_contacts(slab)[1:])
        return cls.of_blocks(blocks, n_pairings, with_centres=with_centres)

    @property
    def n_samples(self) -> int:
        """Number of samples, those without contact included."""
        return len(self.ends)

    @cached_property
    def sample(self) -> NDArray[np.int64]:
        """Number of the sample to which each row belongs."""
        return np.repeat(np.arange(self.n_samples), np.diff(self.ends, prepend=0))

    def at(self, sample: int) -> NDArray[Any]:
        """The rows (contacts) of a sample, none where nothing touches."""
        return self.rows[self.ends[sample - 1] if sample else 0 : self.ends[sample]]

    def of_few(self, samples: list[int]) -> ContactTable:
        """The table of these samples alone, in the given order."""
        with_centres = "centres_of_pressure" in (self.rows.dtype.names or ())
        parts = [self.at(i) for i in samples]
        blocks = [(part, np.array([len(part)])) for part in parts]
        return ContactTable.of_blocks(blocks, self.n_pairings, with_centres=with_centres)

    def of(self, pairing: int) -> NDArray[np.int64]:
        """Numbers of the rows of a pairing, in the order of time."""
        return self._by_pairing[self._firsts[pairing] : self._firsts[pairing + 1]]

    def column(self, name: str) -> NDArray[np.float64]:
        """One of `CONTACT_COLUMNS` of every row."""
        return np.asarray(self.rows["contact"][:, CONTACT_COLUMNS.index(name)])

    @cached_property
    def touched(self) -> NDArray[np.int64]:
        """Numbers of the pairings that had an area of contact in a sample."""
        return np.unique(self.rows["pairing"][self.column("area") > 0.0]).astype(np.int64)

    @cached_property
    def forces(self) -> NDArray[np.float64]:
        """Size of the force of every row, N."""
        return np.asarray(np.linalg.norm(self.rows["wrenches"][:, :3], axis=1))

    def total(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Sum over the contacts of each sample, (n_samples,), of a number for each row."""
        return np.bincount(self.sample, values, self.n_samples).astype(np.float64)

    def greatest(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """The greatest over the contacts of each sample, (n_samples,), of a number for each row; at least 0."""
        found = np.zeros(self.n_samples)
        np.maximum.at(found, self.sample, values)
        return found

    def history(self, name: str, pairing: int) -> NDArray[np.float64]:
        """A quantity of one pairing at all samples, (n_samples, …); where it has no row, the value without contact."""
        rows = self.of(pairing)
        values = self._without_contact(name, self.n_samples)
        values[self.sample[rows]] = self.rows[name][rows]
        values.flags.writeable = False
        return values

    def dense(self, name: str) -> NDArray[np.float64]:
        """A quantity of all pairings, (n_samples, n_pairings, …): large where these are many."""
        values = self._without_contact(name, self.n_samples, self.n_pairings)
        values[self.sample, self.rows["pairing"]] = self.rows[name]
        values.flags.writeable = False
        return values

    def _without_contact(self, name: str, *shape: int) -> NDArray[np.float64]:
        width = self.rows.dtype[name].shape
        if WITHOUT_CONTACT[name] == 0.0:
            return np.zeros((*shape, *width))
        return np.full((*shape, *width), WITHOUT_CONTACT[name])

    @cached_property
    def _by_pairing(self) -> NDArray[np.int64]:
        return np.argsort(self.rows["pairing"], kind="stable")

    @cached_property
    def _firsts(self) -> NDArray[np.int64]:
        """Where the rows of each pairing begin in `_by_pairing`, and where the last end."""
        counts = np.bincount(self.rows["pairing"], minlength=self.n_pairings)
        return np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
