"""Reactions, drives and accelerations in recorded runs: in memory, in files, in tables, and in files without them."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import numpy as np
import pytest
from recorded_runs import make_third_format

import polycontact as pc
from polycontact.simulation.recording.description_file import to_json, write_text

G = 9.81
SPEED, RADIUS, MASS = 7.0, 0.4, 1.5


def machine() -> pc.MultibodySystem:
    """A weight on a turning arm, a pendulum on a spring, and a ball on the floor."""
    system = pc.MultibodySystem("machine", gravity=(0.0, 0.0, -G))
    system.add_body("arm", mass=MASS, centre=(RADIUS, 0.0, 0.0), inertia=(0.01, 0.01, 0.01))
    system.add_joint("shaft", "revolute", "world", "arm", axis=(0, 1, 0), motion=pc.multibody.ConstantVelocity(SPEED))
    system.add_body("bob", mass=0.5, inertia=(0.01, 0.01, 0.01), position=(1.0, 0.0, 0.0))
    system.add_force(
        pc.multibody.SpringDamper("cord", "world", (1, 0, 1), "bob", (0, 0, 0), stiffness=100.0, length=0.8)
    )
    system.add_body("rod", mass=0.2, inertia=(0.01, 0.01, 0.01))
    system.add_joint("slide", "prismatic", "arm", "rod", axis=(1, 0, 0))
    system.add_force(
        pc.multibody.Motor("push", "slide", pc.multibody.ConstantVelocity(0.1), stiffness=500.0, damping=20.0)
    )
    system.add_body("ball", surface=pc.shapes.sphere(radius=0.1, subdivisions=2), mass=1.0, position=(3, 0, 0.1))
    system.add_body("floor", surface=pc.shapes.plane((1.0, 1.0)), fixed=True, position=(3.0, 0.0, 0.0))
    system.add_contact("ball", "floor", law=pc.LayerLaw(stiffness=1e8, damping=0.3), name="landing")
    return system


RUN = {"end_time": 0.2, "output_step": 0.02, "rtol": 1e-7, "atol": 1e-7}


def test_values_by_name(tmp_path: Path) -> None:
    in_memory = pc.simulate(machine(), **RUN).trajectory
    in_file = pc.simulate(machine(), record=tmp_path / "run.h5", **RUN).trajectory
    assert in_memory.has_reactions
    assert in_file.has_reactions
    for name in ("accelerations", "angular_accelerations", "joint_accelerations", "reactions", "drives"):
        np.testing.assert_array_equal(in_memory.array(name), in_file.array(name))
    run = pc.Trajectory.open(tmp_path / "run.h5", eager=True)
    shaft, cord = run.reaction("shaft"), run.force("cord")
    turned = SPEED * run.time
    outward = np.column_stack([np.cos(turned), np.zeros_like(turned), -np.sin(turned)])
    push = run.reaction("slide")
    arm = shaft.force + push.force * -1.0 + np.array([0.0, 0.0, -MASS * G])  # what else acts on the arm
    np.testing.assert_allclose(arm, -MASS * SPEED**2 * RADIUS * outward, atol=1e-9)
    np.testing.assert_allclose(run.body("arm").angular_acceleration, 0.0, atol=1e-12)
    np.testing.assert_allclose(push.own_force[:, 2], run.force("push")[:, 0], atol=1e-9)
    np.testing.assert_allclose(run.drive("slide")[:, 0], run.force("push")[:, 0])
    np.testing.assert_allclose(shaft.own_torque[:, 2], run.drive("shaft")[:, 0], atol=1e-9)
    np.testing.assert_allclose(run.drive("bob"), 0.0)
    pull = np.array([1.0, 0.0, 1.0]) - run.body("bob").position
    length = np.linalg.norm(pull, axis=1)
    np.testing.assert_allclose(cord[:, 0], 100.0 * (length - 0.8), rtol=1e-12)
    expected = pull / length[:, None] * cord / 0.5 + np.array([0.0, 0.0, -G])
    np.testing.assert_allclose(run.body("bob").acceleration, expected, atol=1e-9)
    np.testing.assert_allclose(run.joint("bob").accelerations[:, :3], expected, atol=1e-9)
    np.testing.assert_allclose(push.point, run.body("rod").position, atol=1e-14)
    landing = run.pairing("landing")
    assert landing.in_contact.any()
    centre = landing.centre_of_pressure
    assert (np.isfinite(centre).all(axis=1) == landing.in_contact).all()
    np.testing.assert_allclose(centre[landing.in_contact, 0], 3.0, atol=1e-2)  # a facet of the ball at most
    assert set(run.reacting) == {"shaft", "slide", "floor"}


def test_loops_of_a_run() -> None:
    system = pc.MultibodySystem("rod", gravity=(0.0, 0.0, -G))
    system.add_body("weight", mass=2.0, inertia=(0.01, 0.01, 0.01), position=(0.0, 0.0, -0.5))
    system.add_loop("rod", "distance", "world", "weight", length=0.5)
    run = pc.simulate(system, end_time=0.1, output_step=0.05).trajectory
    rod = run.reaction("rod")
    # A rod gives way by the square of what is not known of its direction: 1e-3, the tolerance over its length.
    np.testing.assert_allclose(rod.force, np.tile([0.0, 0.0, 2.0 * G], (len(run), 1)), atol=2e-6 * 2.0 * G)
    np.testing.assert_allclose(rod.point, run.body("weight").position, atol=1e-14)
    with pytest.raises(pc.SimulationError, match="no joint or loop 'rode'; did you mean 'rod'"):
        run.reaction("rode")
    with pytest.raises(pc.SimulationError, match="no built-in force element 'x'"):
        run.force("x")


def test_tables(tmp_path: Path) -> None:
    run = pc.simulate(machine(), **RUN).trajectory
    run.to_csv(tmp_path / "table.csv")
    with (tmp_path / "table.csv").open(encoding="utf-8") as stream:
        titles = next(csv.reader(stream))
    for title in (
        "shaft reaction force x [N]",
        "slide reaction torque z [N m]",
        "shaft drive of angular_speed [N m]",
        "slide drive of speed [N]",
        "slide acceleration of speed [m/s²]",
        "cord tension [N]",
        "push effort [N]",
        "arm acceleration z [m/s²]",
        "landing centre of pressure x [m]",
    ):
        assert title in titles
    assert "bob reaction force x [N]" not in titles  # a free body
    assert len(set(titles)) == len(titles)
    frame = run.to_pandas()
    np.testing.assert_array_equal(frame["cord tension [N]"], run.force("cord")[:, 0])


def test_runs_without_reactions(tmp_path: Path) -> None:
    run = pc.simulate(machine(), record=tmp_path / "run.h5", reactions=False, **RUN).trajectory
    assert not run.has_reactions
    with pytest.raises(pc.SimulationError, match="reactions=True"):
        _ = run.reaction("shaft").force
    with pytest.raises(pc.SimulationError, match="reactions=True"):
        _ = run.body("arm").acceleration
    run.to_csv(tmp_path / "table.csv")
    # It goes on as it began, whatever is the default.
    longer = pc.simulate(machine(), continue_from=tmp_path / "run.h5", **(RUN | {"end_time": 0.3})).trajectory
    assert not longer.has_reactions
    assert len(longer) == 16
    other = pc.simulate(machine(), record=tmp_path / "other.h5", **RUN).trajectory
    assert other.has_reactions
    with pytest.raises(pc.SimulationError, match="for the whole run or not at all"):
        pc.simulate(machine(), continue_from=tmp_path / "other.h5", reactions=False, **(RUN | {"end_time": 0.3}))
    with pytest.raises(pc.SimulationError, match="reactions is 'yes'"):
        pc.simulate(machine(), reactions="yes", **RUN)  # type: ignore[arg-type]


def test_many_bodies_record_no_reactions_unless_asked() -> None:
    system = pc.MultibodySystem("many")
    for i in range(400):
        system.add_body(f"b{i}", mass=1.0, inertia=(1.0, 1.0, 1.0), position=(float(i), 0.0, 0.0))
    options = {"end_time": 1e-3, "output_step": 1e-3, "integrator": "dopri5"}
    assert not pc.simulate(system, **options).trajectory.has_reactions
    assert pc.simulate(system, reactions=True, **options).trajectory.has_reactions


def test_key_of_scenario_files(tmp_path: Path) -> None:
    text = pc.load_scenario("ball_on_table").source
    assert "reactions" not in pc.load_scenario("ball_on_table").settings
    path = tmp_path / "quiet.toml"
    path.write_text(text.replace("[simulation]", "[simulation]\nreactions = false"), encoding="utf-8")
    scenario = pc.load_scenario(path)
    assert scenario.settings["reactions"] is False
    run = pc.simulate(scenario.build(), **(scenario.settings | {"end_time": 0.02}))
    assert not run.trajectory.has_reactions
    path.write_text(text.replace("[simulation]", "[simulation]\nreactions = 3"), encoding="utf-8")
    with pytest.raises(pc.ScenarioError, match="reactions"):
        pc.load_scenario(path)


def test_files_without_the_new_entries(tmp_path: Path) -> None:
    """As earlier versions wrote them: no reactions, loops, force elements or peaks; they open and go on."""
    h5py = pytest.importorskip("h5py")
    path = tmp_path / "old.h5"
    pc.simulate(machine(), record=path, reactions=False, **RUN)
    make_third_format(path)
    with h5py.File(path, "r+") as file:
        content = json.loads(bytes(file["description"][()]).decode("utf-8"))
        for name in ("loops", "forces", "reactions"):
            del content[name]
        for joint in content["joints"]:
            for name in ("rotation", "point", "driven"):
                del joint[name]
        del file["description"]
        write_text(file, "description", to_json(content))
        outcome = json.loads(bytes(file["outcome"][: file["committed"][3]]).decode("utf-8"))
        del outcome["statistics"]["peaks"]
        data = np.frombuffer(json.dumps(outcome).encode("utf-8"), "u1")
        file["outcome"][: len(data)] = data
        committed = file["committed"][()]
        committed[3] = len(data)
        file["committed"][...] = committed
        for name in ("joints", "loops", "element forces"):
            del file["names"][name]
    run = pc.Trajectory.open(path, eager=True)
    assert not run.has_reactions
    assert run.peaks.from_samples
    assert run.peaks.contacts["landing"].force.value > 0.0
    longer = pc.simulate(machine(), continue_from=path, **(RUN | {"end_time": 0.3})).trajectory
    assert not longer.has_reactions
    assert len(longer) == 16
    assert longer.peaks.from_samples  # of a part of it
