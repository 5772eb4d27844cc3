"""Reports, pages and tables of runs with many pairings: those that touched are shown, of the others their number."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from report_runs import still_description, still_sample

from polycontact.report.document.contact_cards import contact_cards
from polycontact.report.document.contact_section import contact_panel, find_loads, load_table, ranking
from polycontact.report.document.named_runs import name_runs
from polycontact.report.pairing_loads import most_loaded, peak_forces
from polycontact.report.view import run_scene as scenes
from polycontact.report.view.curves import MOST_OF_A_KIND
from polycontact.report.view.live import run_follower
from polycontact.report.view.live.run_follower import RunFollower
from polycontact.simulation.recording import run_writer
from polycontact.simulation.recording.hdf5_recorder import Hdf5Recorder
from polycontact.simulation.recording.memory_recorder import MemoryRecorder
from polycontact.simulation.recording.trajectory import Trajectory
from polycontact.simulation.recording.trajectory_table import MOST_PAIRINGS, chosen_columns

N_PAIRINGS = MOST_PAIRINGS + 200
TOUCHED = (3, 40, 700)


@pytest.fixture(scope="module")
def run() -> Trajectory:
    """Five samples; three pairings touch in the last two, with forces of 1, 2 and 3 N."""
    recorder = MemoryRecorder()
    recorder.begin(still_description(N_PAIRINGS))
    for i in range(5):
        sample = still_sample(0.1 * i, 2, N_PAIRINGS)
        for k, pairing in enumerate(TOUCHED if i >= 3 else ()):
            sample.wrenches[pairing, 2] = 1.0 + k
            sample.contact[pairing, :3] = 1e-4, 1e-3, 1e4
        recorder.add(replace(sample, positions=sample.positions + 0.1 * i))
    recorder.finish("finished", "", {})
    return Trajectory.from_memory(recorder)


def test_report_has_the_loads_of_what_touched(run: Trajectory) -> None:
    runs = name_runs([run], None)
    loads = find_loads(runs)
    assert [(load.name, load.force, load.depth) for load in loads] == [
        (f"pair {number}", 1.0 + k, 1e-3) for k, number in enumerate(TOUCHED)
    ]
    assert ranking(loads) == ("pair 700", "pair 40", "pair 3")
    table = load_table(runs, loads)
    assert f"No contact: {N_PAIRINGS - 3} other pairings." in table
    assert "pair 41" not in table


def test_loads_beyond_the_peaks_that_are_kept(run: Trajectory) -> None:
    """A run keeps the peaks of its most loaded contacts: the others show what their samples have."""
    run = Trajectory(run._source)
    run.__dict__["peaks"] = replace(run.peaks, contacts={"pair 3": run.peaks.contacts["pair 3"]})
    assert [load.force for load in find_loads(name_runs([run], None))] == [1.0, 2.0, 3.0]


def test_cards_name_some_of_very_many(run: Trajectory) -> None:
    page = contact_cards(run.description.pairings)
    assert f"{N_PAIRINGS} pairings, all of the same kind" in page
    assert f"… and {N_PAIRINGS - 1000} more" in page


def test_table_has_columns_of_what_touched_and_of_what_is_asked_for(run: Trajectory) -> None:
    titles = [title for title, _ in chosen_columns(run, None)]
    assert sum(title.startswith("pair ") for title in titles) == 3 * 12
    (_, chosen) = chosen_columns(run, "pair 8 force x")
    assert chosen[0] == "pair 8 force x [N]"
    np.testing.assert_array_equal(chosen[1], np.zeros(5))


def test_page_shows_patches_of_the_most_loaded(
    run: Trajectory, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    assert scenes.most_shown(run, np.arange(5)) is None
    monkeypatch.setattr(scenes, "MOST_PATCHES", 5)
    monkeypatch.setattr(scenes, "FEWEST_PATCHES", 1)
    scene = scenes.run_scene(run)
    assert [len(frame.contacts) for frame in scene.frames] == [0, 0, 0, 3, 3]
    assert {piece.pairing for frame in scene.frames for piece in frame.patches} <= {700}
    assert any("patches of the 1 most loaded contacts" in note for note in scene.notes)
    assert [i for i, name in enumerate(scene.pairings) if name] == list(TOUCHED)


def force_curves(curves: object) -> list[tuple[str, str]]:
    """Groups and labels of the curves of pairings."""
    told = [(each["group"], each["label"]) if isinstance(each, dict) else (each.group, each.label) for each in curves]  # type: ignore[attr-defined]
    return [each for each in told if each[0].startswith("Contact force")]


def test_page_plots_what_touched_of_very_many(run: Trajectory) -> None:
    group = f"Contact force: the 3 of {N_PAIRINGS} pairings that touched"
    scene = scenes.run_scene(run)
    assert force_curves(scene.curves) == [(group, f"force pair {i}") for i in (700, 40, 3)]
    number = [curve.label for curve in scene.curves].index("force pair 40")
    np.testing.assert_allclose(scene.history[1 + number, -2:], 2.0)


@pytest.mark.parametrize("n_pairings", [5, 20])
def test_page_plots_the_most_loaded_in_their_order(n_pairings: int) -> None:
    """Pairing i has its greatest force, (7 i) mod 20 + 1 N, at another sample than the others."""
    recorder = MemoryRecorder()
    recorder.begin(still_description(n_pairings))
    force = (7 * np.arange(n_pairings)) % 20 + 1.0
    for i in range(4):
        sample = still_sample(0.1 * i, 2, n_pairings)
        sample.wrenches[:, 2] = -np.where(np.arange(n_pairings) % 4 == i, force, 0.5)
        sample.contact[:, :3] = 1e-4, 1e-3, 1e4
        recorder.add(replace(sample, positions=sample.positions + 0.1 * i))
    recorder.finish("finished", "", {})
    trajectory = Trajectory.from_memory(recorder)
    np.testing.assert_array_equal(peak_forces(trajectory), force)
    expected = np.argsort(-force)[:MOST_OF_A_KIND]
    found = force_curves(scenes.run_scene(trajectory).curves)
    assert [label for _, label in found] == [f"force pair {i}" for i in expected]
    runs = name_runs([trajectory], None)
    panel = contact_panel(runs, find_loads(runs))
    assert panel is not None
    assert [panel.items[i] for i in panel.chosen] == [f"pair {i}" for i in np.argsort(-force)[:6]]
    note = f"Shown at first: the 6 most loaded of {n_pairings} pairings that touched." if n_pairings > 6 else ""
    assert panel.views[0].note == note
    group = "Contact force" + (f": the 12 most loaded of {n_pairings} pairings" if n_pairings > 12 else "")
    assert {each for each, _ in found} == {group}


def test_peaks_between_samples_count(run: Trajectory) -> None:
    """As the report has it: a run notes peaks also where no sample is."""
    run = Trajectory(run._source)
    peak = run.peaks.contacts["pair 3"]
    higher = peak._replace(force=peak.force._replace(value=9.0))
    run.__dict__["peaks"] = replace(run.peaks, contacts={**run.peaks.contacts, "pair 3": higher, "unknown": higher})
    assert most_loaded(peak_forces(run), 2) == [3, 700]


def test_forces_that_are_no_numbers_come_last() -> None:
    recorder = MemoryRecorder()
    recorder.begin(still_description(3))
    sample = still_sample(0.0, 2, 3)
    sample.wrenches[:, 2] = np.nan, 1.0, np.inf
    recorder.add(sample)
    recorder.finish("failed", "", {})
    assert most_loaded(peak_forces(Trajectory.from_memory(recorder)), 12) == [1, 0, 2]


def test_live_page_plots_the_most_loaded_so_far(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """And works out patches of the most loaded contacts of a frame only."""
    monkeypatch.setattr(run_writer, "FLUSH_SECONDS", 0.0)
    monkeypatch.setattr(run_follower, "MOST_PATCHES", 2)
    n_pairings = 20
    recorder = Hdf5Recorder(tmp_path / "run.h5")
    recorder.begin(still_description(n_pairings))
    recorder.add(still_sample(0.0, 2, n_pairings))
    follower = RunFollower(tmp_path / "run.h5")
    follower.refresh()
    width = len(follower.scene.curves)
    assert force_curves(follower.facts()["curves"]) == []
    for t, forces in ((0.1, {3: 1.0, 7: 2.0}), (0.2, {3: 5.0, 7: 2.0, 11: 1.0})):
        sample = still_sample(t, 2, n_pairings)
        for pairing, force in forces.items():
            sample.wrenches[pairing, 2] = force
            sample.contact[pairing, :3] = 1e-4, 1e-3, 1e4
        recorder.add(sample)
        follower.refresh()
        follower.batch(follower.chosen.tolist())
        ranked = sorted(forces, key=lambda pairing: -forces[pairing])
        told = follower.facts()["curves"]
        group = f"Contact force: the {len(forces)} of {n_pairings} pairings that touched so far"
        assert force_curves(told) == [(group, f"force pair {i}") for i in ranked]
        assert [each.get("pairing") for each in told] == [None] * width + ranked  # rows of frames are as before
        assert any("patches of the 2 most loaded" in note for note in follower.notes) == (len(forces) > 2)
    recorder.finish("finished", "", {})
