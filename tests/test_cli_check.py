"""`polycontact check` of scenarios: what stands in the table of bodies, and what a key means where it is left out."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import polycontact as pc
from polycontact.cli import main
from polycontact.scenario.schema.joint_keys import Joint

BODIES = """
[scenario]
name = "posts"

[simulation]
end_time = 0.1

[[bodies]]
name = "post"
fixed = true
position = [0.0, 0.0, 1.0]

[[bodies]]
name = "anvil"
mass = 5.0
inertia = [0.1, 0.1, 0.1]
fixed = true

[[bodies]]
name = "arm"
mass = 1.0
inertia = [0.1, 0.1, 0.1]

[[bodies]]
name = "ball"
mass = 1.0
inertia = [0.1, 0.1, 0.1]

[[joints]]
name = "hinge"
kind = "revolute"
parent = "post"
child = "arm"
axis = [0.0, 1.0, 0.0]
"""


def test_fixed_bodies_are_called_fixed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "posts.toml"
    file.write_text(BODIES, encoding="utf-8")
    assert main(["check", str(file), "--json"]) == 0
    joints = {each["name"]: each["joint"] for each in json.loads(capsys.readouterr().out)["bodies"]}
    assert joints == {"post": "fixed", "anvil": "fixed", "arm": "revolute", "ball": "free"}
    assert main(["check", str(file)]) == 0
    told = capsys.readouterr().out
    assert told.count("fixed") == 2


def test_what_the_joints_frame_in_the_child_is_where_it_is_left_out(tmp_path: Path) -> None:
    """As in the parent, so that the bodies' axes are parallel at zero: what the key's description says."""
    assert "if left out as in the parent's" in str(Joint.model_fields["child_orientation"].description)
    started = []
    for more in ("", "child_orientation = { axis = [0, 0, 1], angle_degrees = 0 }\n"):
        file = tmp_path / "posts.toml"
        file.write_text(BODIES + more, encoding="utf-8")
        compiled = pc.load_scenario(file).build().compile()
        found = compiled.evaluate(0.0, compiled.start_state(0.0))
        started.append(found.bodies.rotation[compiled.setup.number["arm"]])
    np.testing.assert_allclose(started[0], np.eye(3), atol=1e-15)
    # With identity the joint's z axis is the child's own, and it lies along the y axis of the parent.
    np.testing.assert_allclose(started[1] @ (0.0, 0.0, 1.0), (0.0, 1.0, 0.0), atol=1e-15)


@pytest.mark.parametrize(
    ("formula", "said"),
    [
        ("sin(1e12*t)", "joint 'hinge': the formula 'sin(1e12*t)' swings with 1e+12 rad/s"),
        ("sqrt(t**2)", "body 'arm': its coordinates or speeds are not finite at t = 0 s; look for a division"),
    ],
)
def test_motions_that_cannot_be_run_are_told(
    formula: str, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "posts.toml"
    file.write_text(BODIES + f'motion = {{ kind = "expression", formula = "{formula}" }}\n', encoding="utf-8")
    assert main(["check", str(file)]) == 2
    assert said in capsys.readouterr().err
