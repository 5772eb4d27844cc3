"""Shapes of a scenario with ``balanced = true``: their mesh has the volume of the body that it stands for."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

import polycontact as pc
from polycontact.scenario.loading import load_scenario, parse_scenario

SCENARIO = """
[scenario]
name = "balls"
[simulation]
end_time = 0.1
[[bodies]]
name = "first"
density = 1000
shape = { kind = "sphere", radius = 0.1, balanced = true }
[[bodies]]
name = "second"
density = 1000
position = [1, 0, 0]
shape = { kind = "sphere", radius = 0.1 }
[[bodies]]
name = "third"
density = 1000
position = [2, 0, 0]
shape = { kind = "sphere", radius = 0.1, balanced = true, feature_angle = 0.5235987755982988 }
"""
MASS = 1000.0 * 4.0 / 3.0 * math.pi * 0.1**3


def surfaces(system: pc.MultibodySystem) -> list[pc.Surface]:
    return [body.shapes[0].surface for body in system.bodies.values() if body.shapes]


def test_mass_and_surface() -> None:
    """The sphere of 1,280 triangles lacks 0.9 % of its mass, the balanced one 0.003 %; equal ones are shared."""
    system = parse_scenario(SCENARIO).build()
    first, second, third = surfaces(system)
    assert first.is_balanced
    assert not second.is_balanced
    assert first is third
    np.testing.assert_array_equal(first.vertices, pc.shapes.sphere(0.1).balanced().vertices)
    masses = [system.bodies[name].mass for name in ("first", "second")]
    assert masses[0] == pytest.approx(MASS, rel=1e-4)
    assert masses[1] < 0.992 * MASS


def test_mesh_file_with_a_feature_angle(tmp_path: Path) -> None:
    """A prism of 13 sides bends by 27.7°: sharp with a feature angle of 20°, and then nothing moves."""
    pc.save_surface(pc.shapes.cylinder(0.1, 0.2, segments=13), tmp_path / "prism.obj")
    shape = 'shape = { kind = "sphere", radius = 0.1, balanced = true }'
    text = SCENARIO.replace(
        shape, 'shape = { kind = "mesh", file = "prism.obj", balanced = true, feature_angle = 0.35 }'
    )
    (tmp_path / "prism.toml").write_text(text, encoding="utf-8")
    with pytest.warns(pc.SurfaceWarning, match="prism: balancing moved nothing"):
        found = surfaces(load_scenario(tmp_path / "prism.toml").build())[0]
    assert found.name == "prism"
    assert not found.is_balanced


def test_a_mesh_that_cannot_be_balanced_is_told_with_its_body(tmp_path: Path) -> None:
    ball = pc.shapes.sphere(0.1, 4)
    noise = np.random.default_rng(0).normal(size=(len(ball.vertices), 1))
    pc.save_surface(pc.Surface(ball.vertices * (1.0 + 5e-3 * noise), ball.triangles), tmp_path / "scan.ply")
    shape = 'shape = { kind = "sphere", radius = 0.1, balanced = true }'
    text = SCENARIO.replace(shape, 'shape = { kind = "mesh", file = "scan.ply", balanced = true }')
    (tmp_path / "scan.toml").write_text(text, encoding="utf-8")
    with pytest.raises(pc.ScenarioError, match=r'bodies\[0\] "first": scan: cannot be balanced: .* use it as it is'):
        load_scenario(tmp_path / "scan.toml").build()


@pytest.mark.parametrize(
    ("keys", "told"),
    [
        ("feature_angle = 0.5", "feature_angle means nothing without balanced = true; add that, or leave it out"),
        ("balanced = 1", 'bodies[0] "first": shape.balanced: 1; allowed is true or false'),
        ("balanced = true, feature_angle = 30", "shape.feature_angle: 30; allowed is a number greater than 0"),
    ],
)
def test_mistakes(keys: str, told: str) -> None:
    with pytest.raises(pc.ScenarioError) as caught:
        parse_scenario(SCENARIO.replace("balanced = true }", f"{keys} }}", 1))
    assert told in str(caught.value)
