"""`python3 dev.py bench`: structure, bit-identity and counters, with and without peers; never how fast."""

from __future__ import annotations

import io
import json
import sys
from typing import Any

import numpy as np
import pytest
from rich.console import Console

import polycontact as pc
from polycontact.comparison.clock import Clock
from proof.bench import benchmark_run, contest, peers, pose_families
from proof.bench.accuracy import PLATE, STIFFNESS, AccuracyResult, AccuracyRow, round_bodies
from proof.bench.accuracy_table import print_accuracy
from proof.bench.overheads import CallCosts, ImportCosts, LargeSurface
from proof.bench.overlap_peers import PEERS, DrakeHydroelastic, ManifoldOverlap
from proof.bench.pose_families import Family
from proof.bench.simulations import nut_on_bolt, pedestrian
from proof.bench.targets import judge
from proof.commands import main

TINY = benchmark_run.Settings(
    triangles=(200,), cold=(3, 3), coherent=20, compared=3, samples=1, threads=3, large=500, runs=1, run_time=0.02
)
FEWEST_PATCHES = {Family.NEAR: 0, Family.SLIGHT: 2, Family.MULTIPATCH: 8}
"""In the poses of a family; one in all others."""


@pytest.fixture
def tiny(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(benchmark_run, "QUICK", TINY)


@pytest.fixture
def no_peers(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("coal", "fcl", "mujoco"):
        monkeypatch.setitem(sys.modules, name, None)


@pytest.fixture
def no_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is measured in processes of its own is taken as known: no peer has a part in it."""
    monkeypatch.setattr(benchmark_run, "measure_import", lambda samples: ImportCosts(0.1, 0.6))
    monkeypatch.setattr(benchmark_run, "measure_large_surface", lambda n: LargeSurface(n, 0.1, 0.1, 0.1, 1.0, 100.0))


def read(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    assert main(["bench", "--quick", *arguments, "--json"]) == 0
    captured = capsys.readouterr()
    assert "slight, coherent" in captured.err
    record: dict[str, Any] = json.loads(captured.out)
    return record


@pytest.mark.slow
@pytest.mark.usefixtures("tiny")
def test_json_has_every_case_and_target(capsys: pytest.CaptureFixture[str]) -> None:
    record = read(capsys, "--triangles", "200", "--triangles", "950")
    modes = {(case["size"], case["family"], case["mode"]) for case in record["cases"]}
    expected = {(n, family.value, "cold") for n in (200, 950) for family in Family}
    assert modes == expected | {(n, "slight", "coherent") for n in (200, 950)}
    for case in record["cases"]:
        assert case["identical"] == case["compared"] >= 3
        counters = case["counters"]
        assert counters["bv_checks"] >= 1
        touches = case["family"] != "near"
        assert (counters["lines"] > 0) == touches
        assert (counters["elements"] > 0) == touches
        if case["mode"] == "coherent":
            assert counters["tree_searches"] < 1.0
        elif not case["family"].startswith("wall"):  # its large triangles let a list of candidates last long
            assert counters["tree_searches"] == 1.0
    names = [target["name"] for target in record["targets"]]
    assert "slight, coherent, 950 triangles" in names
    assert "near, cold, 200 triangles" in names
    assert len(names) == 12
    assert [cost["name"].partition(",")[0] for cost in record["simulations"]] == [
        "bubbles",
        *["pedestrian"] * 3,
        *["nut on bolt"] * 2,
    ]
    assert len(record["threads"]) == 8
    installed = {name for name, version in record["peers"].items() if version}
    for cost in record["threads"]:
        assert cost["elements"] > 1000
        assert (cost["tree_searches"] > 0.5) == (cost["step"] > 0.01)
        compared = cost["depth"] == "distance" and cost["step"] > 0.01
        assert set(cost["peers"]) == (installed if compared else set())
    assert all(cost["evaluations"] >= cost["steps"] > 0 for cost in record["simulations"])
    assert record["culling"]["triangle_checks"] < record["culling"]["pairs"] / 10_000
    assert record["culling"]["lines"] > 10
    assert [phase["friction_velocity"] for phase in record["rest"]] == [0.1, 0.01, 0.001, 0.01]
    assert record["rest"][-1]["integrator"] == "dopri5"
    assert "no force" in record["note"]
    assert record["large_surface"]["triangles"] > 300
    assert {target["met"] for target in record["targets"]} <= {True, False, None}


@pytest.mark.slow
@pytest.mark.usefixtures("tiny", "no_peers", "no_processes")
def test_peers_are_optional(capsys: pytest.CaptureFixture[str]) -> None:
    record = read(capsys)
    assert record["simulations"][0]["peer"] is None
    assert record["peers"] == {"coal": None, "python-fcl": None}
    assert all(case["peers"] == {} and case["identical"] == case["compared"] for case in record["cases"])
    ratios = [target for target in record["targets"] if target["unit"] == "× coal"]
    assert ratios
    assert all(target["value"] is None and target["met"] is None for target in ratios)
    assert main(["bench", "--quick", "--part", "contact"]) == 0
    out = capsys.readouterr().out
    assert "coal is not installed and was left out" in out
    assert "not measured" in out


def test_too_few_triangles_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "--quick", "--triangles", "50"]) == 2
    assert "50 triangles" in capsys.readouterr().err


@pytest.mark.parametrize("family", list(Family))
def test_poses_are_what_they_are_called(family: Family) -> None:
    e, f = pose_families.surfaces_for(family, 2000)
    pairing = contest.make_pairing(e, f)
    for pose in pose_families.cold_poses(family, e, 4, contest.SEED):
        result = pairing.evaluate(contest.kinematics_of(pose))
        assert len(result.patches) >= FEWEST_PATCHES.get(family, 1)
        assert result.in_contact == (family is not Family.NEAR)


def test_near_boxes_overlap() -> None:
    e, f = pose_families.surfaces_for(Family.NEAR, 950)
    for pose in pose_families.cold_poses(Family.NEAR, e, 20, contest.SEED):
        moved = f.transformed(pose.rotation, pose.position)
        assert (moved.bounds[0] < e.bounds[1]).all()
        assert (moved.bounds[1] > e.bounds[0]).all()


def test_poses_come_from_the_seed() -> None:
    e, _ = pose_families.surfaces_for(Family.SLIGHT, 950)
    first, again, other = (pose_families.cold_poses(Family.SLIGHT, e, 3, seed) for seed in (1, 1, 2))
    assert all(np.array_equal(a.position, b.position) for a, b in zip(first, again, strict=True))
    assert not np.array_equal(first[0].position, other[0].position)
    assert not np.array_equal(first[0].position, first[1].position)


def test_coherent_poses_sink_from_two_to_four_per_cent_and_turn_by_twenty_degrees() -> None:
    e, _ = pose_families.surfaces_for(Family.SLIGHT, 950)
    path = pose_families.coherent_poses(e, contest.SEED)
    assert len(path) == 1000
    turn = path[0].rotation.T @ path[-1].rotation
    assert np.degrees(np.arccos((np.trace(turn) - 1.0) / 2.0)) == pytest.approx(20.0)
    distances = [float(np.hypot(pose.position[0], pose.position[2])) for pose in (path[0], path[-1])]
    assert distances[0] - distances[1] == pytest.approx(0.008)


def test_coherent_wrenches_are_those_of_fresh_pairings() -> None:
    case = contest.run_case(Family.SLIGHT, 950, 100, Clock(), coherent=True, n_compared=100)
    assert (case.compared, case.identical) == (100, 100)
    assert case.counters.tree_searches < 0.5


def test_peers_find_as_many_contacts_as_we_find_lines() -> None:
    pytest.importorskip("coal")
    e, f = pose_families.surfaces_for(Family.SLIGHT, 950)
    pairing = contest.make_pairing(e, f)
    rivals = peers.load_peers(e, f)
    for pose in pose_families.cold_poses(Family.SLIGHT, e, 3, contest.SEED):
        lines = pairing.evaluate(contest.kinematics_of(pose)).statistics.lines
        assert rivals["coal"].prepare(pose)() == pytest.approx(lines, abs=2)  # its predicates are not exact


def test_million_triangles_are_judged_only_if_measured() -> None:
    calls, imports = CallCosts(30.0, 50.0, 20.0, 2.0), ImportCosts(0.1, 0.6)
    small = judge({}, calls, imports, LargeSurface(20_000, 0.1, 0.1, 0.1, 1.0, 100.0))
    large = judge({}, calls, imports, LargeSurface(1_000_000, 5.0, 5.0, 5.0, 16.0, 3000.0))
    assert [target.met for target in small] == [True, True, True, None, None]
    assert [target.met for target in large] == [True, True, True, True, False]


def test_pedestrian_gets_another_friction_velocity() -> None:
    """In all pairings, and nothing else changes."""
    scenario = pedestrian(0.1)
    frictions = [contact.description.friction for contact in scenario.build().contacts.values()]
    assert len(frictions) == 27
    assert {(friction.coefficient, friction.velocity) for friction in frictions} == {(0.4, 0.1)}
    assert scenario.model != pedestrian(0.01).model
    assert pedestrian(0.01).model == pc.load_scenario("pedestrian").model


@pytest.mark.parametrize("depth", ["distance", "base_normal"])
def test_nut_gets_its_depth(depth: str) -> None:
    (contact,) = nut_on_bolt(depth).build().contacts.values()
    assert contact.description.method.depth == depth


def test_accuracy_beside_the_exact_overlap(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("manifold3d")
    monkeypatch.setitem(sys.modules, "pydrake", None)
    assert main(["bench", "--accuracy", "--quick", "--json"]) == 0
    record = json.loads(capsys.readouterr().out)
    assert len(record["rows"]) == 8
    for row in record["rows"]:
        errors = row["errors"]
        # On a plane the force is c times the overlap of the meshes; edges of the plate are far away.
        assert errors["polycontact"] == pytest.approx(errors["manifold3d overlap"], abs=1e-6)
        assert abs(errors["polycontact, balanced"]) < 0.3 * abs(errors["polycontact"])
    assert any("pydrake is not installed" in line for line in record["missing"])


def test_drake_finds_the_overlap_on_a_plane() -> None:
    """Its pressure is linear in the depth below the plane: c times the exact overlap, as manifold3d has it."""
    for package in ("pydrake", "manifold3d"):
        pytest.importorskip(package)
    body = round_bodies()[1]
    mesh = body.build(2)
    theirs, overlap = (
        peer.forces(mesh, PLATE, STIFFNESS, body.turns, body.heights)
        for peer in (DrakeHydroelastic(), ManifoldOverlap())
    )
    assert theirs == pytest.approx(overlap, rel=1e-9)  # 5e-14 with Drake 1.51


def test_accuracy_table_fits_a_terminal() -> None:
    """Names of all peers can be read in 80 columns."""
    names = ("polycontact", "polycontact, balanced", *(peer.name for peer in PEERS))
    row = AccuracyRow("ellipsoid 1 : 1.5 : 2", 320, dict.fromkeys(names, -0.998))
    written = io.StringIO()
    print_accuracy(Console(file=written, width=80), AccuracyResult((row,), ()))
    assert "…" not in written.getvalue()
    assert "hydroelastic" in written.getvalue()


def test_accuracy_without_peers(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("manifold3d", "pydrake"):
        monkeypatch.setitem(sys.modules, name, None)
    assert main(["bench", "--accuracy", "--quick"]) == 0
    out = capsys.readouterr().out
    assert "pip install manifold3d" in out
    assert "pip install drake" in out
    assert "lying torus" in out


def test_accuracy_has_its_own_meshes(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "--accuracy", "--triangles", "950"]) == 2
    assert "leave out --triangles and --part" in capsys.readouterr().err
