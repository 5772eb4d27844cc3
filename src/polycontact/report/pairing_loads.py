"""Which pairings of a run carry most: by the greatest force of each, as the page and the report rank them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from polycontact.simulation.recording.contact_table import ContactTable
from polycontact.simulation.recording.trajectory import Trajectory


def sampled_peaks(contacts: ContactTable) -> NDArray[np.float64]:
    """(n_pairings,) Greatest force of each pairing at the samples of a table, N; what is not finite counts as zero."""
    peaks = np.zeros(contacts.n_pairings)
    forces = np.nan_to_num(contacts.forces, nan=0.0, posinf=0.0, neginf=0.0)
    np.maximum.at(peaks, contacts.rows["pairing"], forces)
    return peaks


def peak_forces(trajectory: Trajectory) -> NDArray[np.float64]:
    """(n_pairings,) Greatest force of each pairing in a run, also between two samples where the run has noted it, N."""
    peaks = sampled_peaks(trajectory.contacts)
    numbers = {name: i for i, name in enumerate(trajectory.pairings)}
    for name, found in trajectory.peaks.contacts.items():
        if name in numbers and np.isfinite(found.force.value):
            peaks[numbers[name]] = max(peaks[numbers[name]], found.force.value)
    return peaks


def most_loaded(peaks: NDArray[np.float64], most: int) -> list[int]:
    """Numbers of the ``most`` pairings with the greatest peaks, greatest first, equal ones in the order of the run.

    Where there are more pairings than that, those that never carried anything are left out.
    """
    order = np.argsort(-peaks, kind="stable")[:most].tolist()
    return order if len(peaks) <= most else [i for i in order if peaks[i] > 0.0]
