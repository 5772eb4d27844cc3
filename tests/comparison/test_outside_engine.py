"""MuJoCo beside ours in the figures of Schmucker, Rusin and Konyev: its models are ours, and what they show."""

from __future__ import annotations

import numpy as np
import pytest

import polycontact as pc
from polycontact.comparison.responses.figure_sheet import FigureSheet
from polycontact.robots.manipulator_model import STIFFNESSES, manipulator
from proof.figures import manipulator_in_mujoco, mujoco_models
from proof.figures.source_figures import repeat_figure

mujoco = pytest.importorskip("mujoco", reason="MuJoCo is not installed")


def test_the_arm_has_our_masses_and_drives() -> None:
    robot = manipulator("normal")
    model = manipulator_in_mujoco._model(mujoco, robot, "")
    system = robot.robot.system()
    for joint in robot.robot.joints:
        assert model.body(joint.child).mass[0] == pytest.approx(system.bodies[joint.child].mass)
    # M(q) q̈ = torques, gravity: the acceleration from the start with no signal is that of our tree
    data = mujoco.MjData(model)
    data.qpos[:] = [robot.coordinates[joint.name][0] for joint in robot.robot.joints]
    model.actuator_biasprm[:] = 0.0
    mujoco.mj_forward(model, data)
    own = robot.robot.system(robot.coordinates).compile()
    rates = np.empty_like(own.start)
    own.rates(0.0, own.start, rates)
    np.testing.assert_allclose(rates[len(data.qacc) : 2 * len(data.qacc)], data.qacc, rtol=1e-8, atol=1e-12)


def test_a_ball_on_a_soft_contact_sinks_and_rebounds_as_asked() -> None:
    """The formula of `soft_contact`: depth m g / S at rest, and the restitution of a rebound without weight."""
    stiffness, restitution, mass = 2e4, 0.8, 3.0
    contact = mujoco_models.soft_contact(stiffness, restitution, 1.0 / mass)
    for gravity in (-9.81, 0.0):
        model = mujoco.MjModel.from_xml_string(
            f'<mujoco><option timestep="1e-4" gravity="0 0 {gravity}"/><worldbody>'
            f'<geom name="floor" type="plane" size="1 1 1"/><body pos="0 0 0.1"><freejoint/>'
            f'<geom name="ball" type="sphere" size="0.1" mass="{mass}"/></body></worldbody><contact>'
            f'<pair geom1="ball" geom2="floor" condim="1" {contact}/></contact></mujoco>'
        )
        data = mujoco.MjData(model)
        if gravity == 0.0:
            data.qvel[2] = -0.1
        for _ in range(30_000 if gravity else 1_000):
            mujoco.mj_step(model, data)
        if gravity:
            assert data.qpos[2] == pytest.approx(0.1 - mass * 9.81 / stiffness, abs=1e-6)
        else:  # half a period is 38 ms, 400 steps: steps of first order lose less than a per cent of the speed
            assert data.qvel[2] == pytest.approx(0.1 * restitution, rel=0.02)


@pytest.mark.slow
def test_the_tool_presses_as_in_mujoco() -> None:
    """Within 1 %: on the stiffest plate the law's springs of friction hold a little of the press, below 0.6 %."""
    from proof.figures.manipulator_figure import press_of

    found = repeat_figure("manipulator_normal", responses=["compliant"])
    for each, stiffness in zip(found.runs, STIFFNESSES, strict=True):
        outside, own = manipulator_in_mujoco.arm_in_mujoco("normal", stiffness), press_of(each)
        assert outside.held == pytest.approx(own.held, rel=0.01)
        assert outside.held_height == pytest.approx(own.held_height, abs=2e-5)
        assert outside.held == pytest.approx(-stiffness * outside.held_height, rel=1e-3)  # its contact is that spring
    assert any(each.verdict == "agrees" and "MuJoCo" in each.text for each in found.findings)
    assert found.study is not None
    assert found.study.figure is not None
    assert "MuJoCo, 500 N/m" in found.study.figure.draw(FigureSheet(found.runs))


def test_sliding_presses_harder_in_mujoco_by_its_damper(monkeypatch: pytest.MonkeyPatch) -> None:
    """With an undamped contact the tool presses as its spring says; with damping it presses more, and rubs with μ F."""
    stiffness = 1e3
    damped = manipulator_in_mujoco.arm_in_mujoco("free", stiffness)
    monkeypatch.setattr(manipulator_in_mujoco, "RESTITUTION", 0.9999)
    elastic = manipulator_in_mujoco.arm_in_mujoco.__wrapped__("free", stiffness)
    assert elastic.held == pytest.approx(-stiffness * elastic.held_height, rel=5e-3)
    assert damped.held > -1.04 * stiffness * damped.held_height
    assert damped.rubbed == pytest.approx(0.3, rel=1e-3)


def test_a_solver_stopped_early_shares_the_weight_wrongly() -> None:
    from proof.figures.hexapod_in_mujoco import standing_in_mujoco

    weight = 9.81 * pc.robots.hexapod().robot.mass
    whole, early = standing_in_mujoco(None).shares, standing_in_mujoco(35).shares
    assert list(whole.values()) == pytest.approx([weight / 6.0] * 6, rel=1e-3)  # six like legs
    assert sum(early.values()) == pytest.approx(weight, rel=0.01)  # it stands
    assert max(early.values()) > 1.2 * weight / 6.0
    assert min(early.values()) < 0.8 * weight / 6.0
