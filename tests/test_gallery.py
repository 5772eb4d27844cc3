"""Programs of the gallery run and do what they show; the command and the stored pictures fit the entries."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest

import polycontact as pc
from proof.commands import main
from proof.gallery.entries import ENTRIES, PROGRAMS, Entry

PICTURES = Path(__file__).resolve().parents[1] / "docs" / "pictures" / "gallery"


def run_of(name: str) -> pc.Run:
    """The run of a program, which ends as it should."""
    system, settings = Entry(name).model()
    run = pc.simulate(system, **settings)
    assert run.status == "finished"
    return run


def test_every_program_is_shown() -> None:
    names = [entry.name for entry in ENTRIES]
    assert len(names) >= 24
    assert len(set(names)) == len(names)
    assert {path.stem for path in PROGRAMS.glob("*.py")} <= set(names)
    figures = json.loads((PICTURES / "figures.json").read_text(encoding="utf-8"))
    for entry in ENTRIES:
        assert entry.title.endswith((".", ")"))
        assert (PICTURES / f"{entry.name}.jpg").is_file()
        assert figures[entry.name]["evaluations"] > 0


@pytest.mark.slow
def test_latch_holds_what_snapped_in() -> None:
    """Pulled with 20 N for 0.3 s, the striker stays behind the nose, which begins 41 mm from the pin."""
    slide = run_of("latch").trajectory.joint("slide").coordinates[:, 0]
    assert slide[-1] == pytest.approx(-0.0283, abs=1e-3)
    assert np.ptp(slide[-25:]) < 1e-5


@pytest.mark.slow
def test_ratchet_never_turns_back_by_a_tooth() -> None:
    turned = -run_of("ratchet").trajectory.joint("axle").coordinates[:, 0]
    assert turned[-1] > math.pi
    assert (np.maximum.accumulate(turned) - turned).max() < 2.0 * math.pi / 16


@pytest.mark.slow
def test_geneva_wheel_makes_a_quarter_turn_and_rests() -> None:
    """But for the clearance of the pin, 0.1 mm in a slot that ends 13 mm from the axle, before and after."""
    wheel = run_of("geneva_drive").trajectory.joint("axle").coordinates[:, 0]
    assert abs(wheel[-1]) == pytest.approx(0.5 * math.pi, abs=4.0 * 1e-4 / 0.013 + 0.02)
    assert np.ptp(wheel[-60:]) < 1e-3


@pytest.mark.slow
def test_follower_follows_the_cam() -> None:
    """0.5 · 8 mm (1 − cos φ), but for 0.05 mm that the contact gives under 400 N."""
    joints = run_of("cam_and_roller").trajectory
    angle, lift = joints.joint("shaft").coordinates[:, 0], joints.joint("guide").coordinates[:, 0]
    assert np.abs(lift - 4e-3 * (1.0 - np.cos(angle))).max() < 5e-4


@pytest.mark.slow
def test_bumper_sends_the_car_back() -> None:
    run = run_of("bumper")
    speed = run.trajectory.joint("track").speeds[-1, 0]
    lost = run.ledger["contact_damping"][-1]
    assert 0.0 < speed < 1.0
    assert 250.0 * (1.0 - speed**2) == pytest.approx(lost, abs=2.5)  # 1 % of the 250 J at the start


@pytest.mark.slow
def test_wheel_carries_its_load_before_and_after_the_kerb() -> None:
    """In the mean 58 kg over the run of 0.8 s, but for the momentum that is left at its end."""
    run = run_of("wheel_over_kerb")
    height = run.trajectory.body("wheel").position[:, 2]
    assert height.max() > 0.2 + 0.012  # of 20 mm, less what the tyre gives
    force = run.trajectory.pairing("wheel–road").force[:, 2]
    assert abs(np.trapezoid(force, run.trajectory.time)) == pytest.approx(57.0 * 9.81 * 0.8, rel=0.1)


@pytest.mark.slow
def test_housing_bounces_and_gains_nothing() -> None:
    run = run_of("drop_test")
    energy = run.trajectory.energies
    total = energy["kinetic"] + energy["gravity"] + energy["elastic"]
    assert total[-1] < total[0]
    assert run.peaks.contacts["housing–floor"].force.value > 100.0 * 0.6 * 9.81


@pytest.mark.slow
def test_balls_rest_in_the_box() -> None:
    run = run_of("granular_pile")
    for k in range(40):
        ball = run.trajectory.body(f"ball {k}")
        assert np.all(np.abs(ball.position[-1, :2]) < 0.07)
        assert np.linalg.norm(ball.velocity[-1]) < 0.2


@pytest.mark.slow
def test_links_hang_in_each_other() -> None:
    """Neighbours stay as far apart as their tubes let them, 2 (30 − 6) mm."""
    trajectory = run_of("chain").trajectory
    places = np.array([trajectory.body(f"link {k}").position[-1] for k in range(10)])
    assert np.linalg.norm(np.diff(places, axis=0), axis=1).max() < 0.0485


@pytest.mark.slow
def test_balls_roll_between_the_grooves() -> None:
    """Balls that carry nothing lie anywhere in the clearance; a quarter of a ball is more than that."""
    trajectory = run_of("ball_bearing").trajectory
    for k in range(8):
        assert np.linalg.norm(trajectory.body(f"ball {k}").position[-1, :2]) == pytest.approx(0.03, abs=3e-3)


@pytest.mark.slow
def test_command_makes_pictures_and_pages(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["gallery", str(tmp_path), "bumper", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["ok"]
    index = (tmp_path / "index.html").read_text(encoding="utf-8")
    assert 'href="bumper.html"' in index
    assert "def build()" in index
    assert (tmp_path / "bumper.jpg").stat().st_size > 2000


def test_unknown_entry_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["gallery", str(tmp_path), "bumpers"]) == 2
    assert "no entry 'bumpers'" in " ".join(capsys.readouterr().err.split())
