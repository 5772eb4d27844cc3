"""Friction of joints, bushings and couplers in scenario files: units, defaults, run files, and mistakes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import polycontact as pc
from polycontact.scenario.parsing import parse_scenario

MACHINE = """
gravity = [0, 0, 0]

[scenario]
name = "machine"

[simulation]
end_time = 0.2

[[bodies]]
name = "pinion"
mass = 1.0
centre = [0, 0, 0]
inertia = [0.01, 0.01, 0.01]

[[bodies]]
name = "wheel"
mass = 2.0
centre = [0, 0, 0]
inertia = [0.2, 0.2, 0.2]

[[bodies]]
name = "rack"
mass = 3.0
centre = [0, 0, 0]
inertia = [0.1, 0.1, 0.1]

[[bodies]]
name = "nut"
mass = 0.5
centre = [0, 0, 0]
inertia = [0.001, 0.001, 0.001]

[[bodies]]
name = "engine"
mass = 50.0
centre = [0, 0, 0]
inertia = [2, 2, 2]

[[joints]]
name = "pinion axle"
kind = "revolute"
child = "pinion"
speeds = ["300 rpm"]

[[joints]]
name = "wheel axle"
kind = "revolute"
child = "wheel"

[[joints]]
name = "rail"
kind = "prismatic"
child = "rack"

[[joints]]
name = "spindle"
kind = "cylindrical"
child = "nut"

[[couplers]]
kind = "gear"
name = "gears"
joint_a = "pinion axle"
joint_b = "wheel axle"
ratio = -4.0

[[couplers]]
kind = "rack_and_pinion"
name = "teeth"
pinion = "wheel axle"
rack = "rail"
radius = "80 mm"

[[couplers]]
kind = "screw"
name = "thread"
turning = "spindle"
lead = "5 mm"

[[couplers]]
kind = "coupler"
name = "sum"
terms = [{ joint = "spindle", factor = 1 }, { joint = "rail", factor = 2 }]

[[forces]]
kind = "joint_friction"
name = "bearing"
joint = "pinion axle"
dry = "2 N cm"
viscous = "0.001 N m s/rad"
velocity = "1 deg/s"

[[forces]]
kind = "joint_friction"
name = "brake"
joint = "rail"
dry = { kind = "table", times = [0, "50 ms"], values = [0, 30] }

[[forces]]
kind = "bushing"
name = "mount"
body_a = "world"
body_b = "engine"
orientation_a = { axis = [0, 0, 1], angle_degrees = 90 }
orientation_b = { axis = [0, 0, 1], angle_degrees = 90 }
stiffness = ["1 kN/mm", 2e6, 1e6, "10 N m/deg", 500, 500]
damping = ["1 N s/mm", 1e3, 1e3, 1, "2 N m s/rad", 1]
preload = ["50 N", 0, 0, "1 N m", 0, 0]
"""


def machine(*changes: tuple[str, str]) -> str:
    text = MACHINE
    for old, new in changes:
        assert old in text
        text = text.replace(old, new, 1)
    return text


def test_units_and_a_run(tmp_path: Path) -> None:
    scenario = parse_scenario(machine())
    system = scenario.build()
    bearing, brake, mount = (system.forces[name] for name in ("bearing", "brake", "mount"))
    assert (bearing.dry, bearing.viscous) == (0.02, 0.001)
    assert bearing.velocity == pytest.approx(np.radians(1.0))
    np.testing.assert_allclose(brake.dry.values, [0.0, 30.0])
    np.testing.assert_allclose(np.diag(mount.stiffness), [1e6, 2e6, 1e6, np.degrees(10.0), 500, 500])
    np.testing.assert_allclose(np.diag(mount.damping), [1e3, 1e3, 1e3, 1, 2, 1])
    np.testing.assert_allclose(mount.preload, [50, 0, 0, 1, 0, 0])
    assert (system.couplers["teeth"].radius, system.couplers["thread"].lead) == (0.08, 0.005)
    run = pc.simulate(system, **scenario.settings, record=tmp_path / "machine.h5", reactions=True)
    again = pc.Trajectory.open(tmp_path / "machine.h5")
    pinion, wheel, rail = (again.joint(name).coordinates[-1, 0] for name in ("pinion axle", "wheel axle", "rail"))
    assert pinion == pytest.approx(-4.0 * wheel, abs=1e-9)
    assert rail == pytest.approx(0.08 * wheel, abs=1e-9)
    for name, n in (("gears", 2), ("teeth", 2), ("thread", 2), ("sum", 2), ("bearing", 1), ("brake", 1), ("mount", 6)):
        assert again.force(name).shape == (len(again), n)
    records = {each.name: each for each in again.description.forces}
    assert records["teeth"].kind == "RackAndPinion"
    assert [records["teeth"].unit_of(i) for i in range(2)] == ["N", "N m"]
    assert records["thread"].numbers == ("effort spindle displacement", "effort spindle angle")
    assert records["mount"].unit_of(5) == "N m"
    assert abs(run.ledger["balance"]).max() < 1e-3 * run.ledger["kinetic"][0]  # default tolerances
    assert run.ledger["damping"][-1] > 0.0
    again.to_csv(tmp_path / "machine.csv")
    header = (tmp_path / "machine.csv").read_text(encoding="utf-8").splitlines()[0]
    assert "teeth effort rail [N]" in header
    assert "mount torque z [N m]" in header


def test_stiffness_matrix_with_units() -> None:
    """Units of a matrix by its blocks."""
    rows = [[0.0] * 6 for _ in range(6)]
    for i in range(6):
        rows[i][i] = 1e4
    lines = [[repr(value) for value in row] for row in rows]
    lines[0][0], lines[0][4], lines[4][0] = '"20 N/mm"', '"1 kN"', '"1000 N"'
    lines[5][5] = '"1 N m/deg"'
    text = "[" + ", ".join("[" + ", ".join(row) + "]" for row in lines) + "]"
    old = 'stiffness = ["1 kN/mm", 2e6, 1e6, "10 N m/deg", 500, 500]'
    mount = parse_scenario(machine((old, f"stiffness_matrix = {text}"))).build().forces["mount"]
    assert (mount.stiffness[0, 0], mount.stiffness[0, 4], mount.stiffness[4, 0]) == (2e4, 1e3, 1e3)
    assert mount.stiffness[5, 5] == pytest.approx(np.degrees(1.0))


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        (
            'joint_b = "wheel axle"',
            'joint_b = "weel axle"',
            ('couplers[0] "gears": joint_b', 'did you mean "wheel axle"'),
        ),
        ("ratio = -4.0", "ratio = 0", ('couplers[0] "gears": ratio', "couples nothing")),
        ("ratio = -4.0", "", ('couplers[0] "gears": ratio', "missing")),
        ('radius = "80 mm"', 'radius = "80 N"', ('couplers[1] "teeth": radius', "length")),
        ('kind = "screw"', 'kind = "scew"', ('couplers[2] "thread": kind', 'did you mean "screw"')),
        ('turning = "spindle"', 'turning = "rail"', ('couplers[2] "thread"', "no angle")),
        ('joint = "rail", factor', 'joint = "rall", factor', ('couplers[3] "sum": terms[1]', 'did you mean "rail"')),
        ('name = "sum"', 'name = "gears"', ("couplers[3]", "taken by couplers[0]")),
        ('dry = "2 N cm"', 'dry = "2 N"', ('forces[0] "bearing": dry', "torque")),
        ('dry = "2 N cm"', "dry = -2", ('forces[0] "bearing"', "dry is -2.0", "not negative")),
        ('velocity = "1 deg/s"', "velocity = 0", ('forces[0] "bearing": velocity', "greater than 0")),
        ('stiffness = ["1 kN/mm", 2e6, 1e6, "10 N m/deg", 500, 500]', "", ('forces[2] "mount"', "stiffness_matrix")),
        ('"10 N m/deg", 500, 500]', '"10 N/mm", 500, 500]', ('forces[2] "mount": stiffness[3]', "torsional stiffness")),
        ('"10 N m/deg", 500, 500]', "-1, 500, 500]", ('forces[2] "mount": stiffness[3]', "0")),
        ('body_b = "engine"', 'body_b = "engin"', ('forces[2] "mount": body_b', 'did you mean "engine"')),
    ],
)
def test_mistakes_are_told(old: str, new: str, words: tuple[str, ...]) -> None:
    with pytest.raises(pc.ScenarioError) as error:
        parse_scenario(machine((old, new))).build()
    for word in words:
        assert word in str(error.value)
