"""The contact of a recorded run, evaluated anew: its patches carry what was recorded."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import polycontact as pc


def test_resultants_of_patches(tmp_path: Path) -> None:
    """A dumbbell on a plane touches in two patches, which carry the recorded force together."""
    ball, far = pc.shapes.sphere(radius=0.1, subdivisions=2), np.array([0.3, 0.0, 0.0])
    vertices = np.concatenate([ball.vertices - far, ball.vertices + far])
    triangles = np.concatenate([ball.triangles, ball.triangles + len(ball.vertices)])
    system = pc.MultibodySystem("dumbbell")
    dumbbell = pc.Surface(vertices, triangles, name="dumbbell")
    system.add_body("weights", surface=dumbbell, mass=2.0, position=(0.0, 0.0, 0.0995))
    system.add_body("floor", surface=pc.shapes.plane((2.0, 2.0)), fixed=True)
    system.add_contact("weights", "floor", name="rest", law=pc.LayerLaw(stiffness=1e8, damping=1e5))
    whole = pc.simulate(system, end_time=0.02, output_step=0.005, record=tmp_path / "run.h5")
    run = whole.trajectory
    assert np.array_equal(pc.contact_at(whole, 0, 0.01).force, pc.contact_at(run, "rest", 0.01).force)
    for time, force in zip(run.time, run.pairing("rest").force, strict=True):
        result = pc.contact_at(run, "rest", time)
        np.testing.assert_allclose(result.force, force, rtol=1e-6, atol=1e-6)  # poses as quaternions
        assert len(result.patches) == 2
        np.testing.assert_allclose(sum(patch.force for patch in result.patches), force, rtol=1e-6, atol=1e-6)
    with pytest.raises(pc.SimulationError, match="no pairing 'rust'"):
        pc.contact_at(run, "rust", 0.0)
    with pytest.raises(pc.SimulationError, match="not within the run"):
        pc.contact_at(run, "rest", 9.0)
