"""Reports stay small: fewer frames in the playback, and the page tells."""

from __future__ import annotations

import pytest

import polycontact as pc
from polycontact.errors import SimulationError
from polycontact.report.document.report_page import make_report


@pytest.fixture(scope="module")
def run() -> pc.Run:
    """A ball that rolls on a plate: its patches are most of a page."""
    system = pc.MultibodySystem("ball")
    system.add_body("plate", surface=pc.shapes.box((0.4, 0.2, 0.02)), fixed=True, position=(0, 0, -0.01))
    system.add_body("ball", surface=pc.shapes.sphere(0.05), density=1000.0, position=(0, 0, 0.049))
    system.add_contact("ball", "plate", law=pc.LayerLaw(stiffness=1e7, damping=1e5))
    return pc.simulate(system, end_time=0.2, output_step=0.001)


@pytest.mark.slow
def test_a_playback_has_as_many_frames_as_fit(run: pc.Run) -> None:
    trajectory = run.trajectory
    sizes = {
        shown: len(make_report([trajectory], pictures=False, with_playback=shown, size_limit=None))
        for shown in (False, True)
    }
    limit = sizes[False] + 0.6 * (sizes[True] - sizes[False])
    page = make_report([trajectory], pictures=False, size_limit=1e-6 * limit)
    assert sizes[False] < len(page) < 1.01 * limit  # heading and remark of the playback
    assert "frames, so that the page does not grow too large" in page
    page = make_report([trajectory], pictures=False, size_limit=1e-6 * sizes[False])
    assert "No playback: it would have" in page
    assert "does not grow" not in make_report([trajectory], pictures=False)


def test_a_limit_is_positive(run: pc.Run) -> None:
    with pytest.raises(SimulationError, match="size_limit is -1 MB; give a positive number"):
        make_report([run.trajectory], size_limit=-1.0)
