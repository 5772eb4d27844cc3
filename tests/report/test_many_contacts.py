"""Reports, pages and tables of runs with many pairings: those that touched are shown, of the others their number."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from report_runs import still_description, still_sample

from polycontact.report.document.contact_cards import contact_cards
from polycontact.report.document.contact_section import find_loads, load_table, ranking
from polycontact.report.document.named_runs import name_runs
from polycontact.report.view import run_scene as scenes
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
