"""Follows a run file that grows: what there is of it, and frames of chosen samples as bytes for the page.

In: the path of the file. Out: the page with the first sample, which samples are frames now, and such frames. Memory
does not grow with the run but for one number a sample; frames are made when they are asked for, and not kept.
"""

from __future__ import annotations

import gzip
from pathlib import Path
from time import monotonic
from typing import Any

import numpy as np
from numpy.typing import NDArray

from polycontact.errors import SimulationError
from polycontact.report.pairing_loads import sampled_peaks
from polycontact.report.view.body_frames import BodyFrames
from polycontact.report.view.byte_store import Store
from polycontact.report.view.curves import (
    MOST_OF_A_KIND,
    curve_values,
    greatest,
    pairing_curves,
    run_curves,
    total_force,
)
from polycontact.report.view.display_units import AREA, FORCE, SHOWN
from polycontact.report.view.frame_packing import Scales, curve_facts, pack_frames
from polycontact.report.view.live.few_samples import FewSamples
from polycontact.report.view.live.thinning import MOST_FRAMES, chosen_samples
from polycontact.report.view.run_pairings import RunPairing, remake_pairings
from polycontact.report.view.run_patches import ContactFrames
from polycontact.report.view.run_scene import RECORDED, moving_bodies, run_frame_scene, thinning_note
from polycontact.report.view.viewer_scene import Scene, SceneFrame
from polycontact.simulation.recording.hdf5_source import Hdf5Source
from polycontact.simulation.recording.trajectory import Trajectory

SAMPLES_AT_ONCE = 256
"""Samples that are looked through at a time."""

MOST_BYTES = 256e6
"""Bytes of all frames of a page: where frames are large, it gets fewer."""

LEAST_FRAMES = 32
"""However large frames are."""

MOST_PATCHES = 100
"""Contacts of a frame whose patches are worked out, those with the greatest forces: some milliseconds each."""

BATCH_SECONDS = 0.5
"""Seconds after which a batch ends with the frames that are made: the page asks again."""


class RunFollower:
    """The run in the file ``path``, which exists and has its first sample."""

    def __init__(self, path: Path) -> None:
        self._source = Hdf5Source(path)
        description = self._source.description
        self._peaks = np.zeros(len(description.pairings))
        self._curves = run_curves(description, self._peaks)
        self._moves = moving_bodies(description)
        self._pairings: dict[int, RunPairing] = {}
        self._tried: set[int] = set()
        self._load = np.empty(0)
        self._scales = Scales(SHOWN)
        self._highest = np.zeros(len(self._curves))
        self._largest = 1.0
        self.notes: list[str] = []
        self.scene = self._first_scene()
        self._bodies = BodyFrames(self.scene)

    def _first_scene(self) -> Scene:
        if not self._source.n_samples:
            raise SimulationError(f"{self._source.label}: the run has no samples yet; wait a little")
        return run_frame_scene(Trajectory(FewSamples(self._source, np.zeros(1, dtype=np.int64))))

    def refresh(self) -> None:
        """See what was written since, and take note of loads and greatest values."""
        self._source.refresh()
        with Trajectory(FewSamples(self._source, np.zeros(1, dtype=np.int64))):
            while len(self._load) < self._source.n_samples:
                first = len(self._load)
                samples = np.arange(first, min(first + SAMPLES_AT_ONCE, self._source.n_samples))
                part = Trajectory(FewSamples(self._source, samples))
                self._load = np.concatenate((self._load, total_force(part)))
                known = {key: float(greatest(part, key).max(initial=0.0)) for key in (*RECORDED, AREA.key)}
                known[FORCE.key] = float(np.nan_to_num(part.contacts.forces).max(initial=0.0))
                self._scales.take((), {key: max(known[key], self._scales.known.get(key, 0.0)) for key in known})
                self._peaks = np.maximum(self._peaks, sampled_peaks(part.contacts))
                self._highest = np.maximum(self._highest, np.abs(curve_values(part, self._curves)).max(axis=1))

    @property
    def n_samples(self) -> int:
        """Samples that were found."""
        return len(self._load)

    @property
    def most(self) -> int:
        """Frames that a page may have."""
        return int(np.clip(MOST_BYTES / self._largest, LEAST_FRAMES, MOST_FRAMES))

    @property
    def chosen(self) -> NDArray[np.int64]:
        """Samples that are frames now."""
        return chosen_samples(self._load, self.most)

    def facts(self) -> dict[str, Any]:
        """Greatest values, units, curves and notes of the samples so far."""
        return {**self._scales.facts(), "curves": self._curve_facts(), "notes": self.notes}

    def _curve_facts(self) -> list[dict[str, Any]]:
        """Curves whose values frames have, and of many pairings the most loaded so far, whose forces frames have."""
        facts = curve_facts(self._curves, self._highest)
        if len(self._peaks) <= MOST_OF_A_KIND:
            return facts
        loaded = pairing_curves(self._source.description, self._peaks)
        told = curve_facts(tuple(loaded), np.sort(self._peaks)[::-1][: len(loaded)])
        return facts + [
            {**fact, "group": f"{curve.group} so far", "pairing": curve.pairing}
            for fact, curve in zip(told, loaded, strict=True)
        ]

    def batch(self, samples: list[int]) -> bytes:
        """Frames of some samples, in their order as many as a short time allows but one at least, compressed."""
        wanted, places = np.unique(np.array(samples, dtype=np.int64), return_index=True)
        trajectory = Trajectory(FewSamples(self._source, wanted))
        found: dict[int, SceneFrame] = {}
        begin = monotonic()
        with trajectory:
            self._remake(trajectory)
            maker = ContactFrames(trajectory, tuple(self._pairings.values()), self._moves, MOST_PATCHES)
            self._note_thinning(trajectory)
            for i in np.argsort(places).tolist():
                found[i] = maker.frame(i)
                if monotonic() - begin > BATCH_SECONDS:
                    break
            made = np.array(sorted(found), dtype=np.int64)
            frames = [found[i] for i in made.tolist()]
            store = Store()
            poses = self._bodies.poses(trajectory.array("positions")[made], trajectory.array("quaternions")[made])
            self._scales.take(frames, {})
            content = {
                "samples": wanted[made].tolist(),
                "width": len(self._curves),
                "rows": store.add(curve_values(trajectory, self._curves)[:, made].T, "f4"),
                **pack_frames(trajectory.time[made], poses, frames, self._bodies, store),
            }
        data = store.bytes(content)
        self._largest = max(self._largest, len(data) / max(len(frames), 1))
        return gzip.compress(data, 3, mtime=0)

    def _note_thinning(self, trajectory: Trajectory) -> None:
        """Say once that some patches are not shown."""
        counts = np.diff(trajectory.contacts.ends, prepend=0)
        note = thinning_note(MOST_PATCHES)
        if counts.max(initial=0) > MOST_PATCHES and note not in self.notes:
            self.notes.append(note)

    def _remake(self, trajectory: Trajectory) -> None:
        """Make those pairings again that touch for the first time."""
        new = [i for i in trajectory.contacts.touched.tolist() if i not in self._tried]
        if not new:
            return
        self._tried.update(new)
        made, notes = remake_pairings(self._source.description, np.array(new, dtype=np.int64))
        self._pairings |= {pair.number: pair for pair in made}
        self.notes += notes
