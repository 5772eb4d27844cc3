"""Every law of the package by its kind in a scenario file: what it becomes, what is refused, and that it runs."""

from __future__ import annotations

from pathlib import Path

import pytest
from test_contact_kinds import described_pair, descriptions, problems

import polycontact as pc

LAYER = "[contact.law]\nstiffness = 1e6\n"


@pytest.mark.parametrize(
    ("keys", "expected"),
    [
        (
            "kind = 'layer'\nstiffness = 1e6\ndamping = 5\ndamping_in = 'compression'",
            pc.LayerLaw(stiffness=1e6, damping=5.0, damping_in="compression"),
        ),
        ("kind = 'spring_damper'\nstiffness = 1e6\ndamping = 5", pc.laws.SpringDamperLaw(stiffness=1e6, damping=5.0)),
        (
            "kind = 'restitution'\nstiffness = 1e6\nrestitution = 0.5\ncalibrated = false\nrest_speed = 0.1",
            pc.laws.RestitutionLaw(stiffness=1e6, restitution=0.5, calibrated=False, rest_speed=0.1),
        ),
        (
            "kind = 'half_space'\nyoungs_modulus = '210 GPa'\npoissons_ratio = 0.3\nrigid = 'F'\ndissipation = 0.1",
            pc.HalfSpaceLaw(youngs_modulus=210e9, poissons_ratio=0.3, rigid="F", dissipation=0.1),
        ),
        (
            "kind = 'hunt_crossley'\ncoefficient = 1e9\nexponent = 1.0\ndissipation = 0.2",
            pc.laws.HuntCrossley(coefficient=1e9, exponent=1.0, dissipation=0.2),
        ),
    ],
)
def test_normal_laws(keys: str, expected: object) -> None:
    assert described_pair(f"[contact.law]\n{keys}").law == expected


@pytest.mark.parametrize(
    ("keys", "expected"),
    [
        (
            "kind = 'spin_friction'\ncoefficient = 0.3\nspin_length = 0.01",
            pc.laws.SpinFriction(coefficient=0.3, spin_length=0.01),
        ),
        (
            "kind = 'stick_friction'\ncoefficient = 0.3\nstiffness = 1e7\ndamping = 1e4\nspin_radius = 0.01",
            pc.StickFriction(coefficient=0.3, stiffness=1e7, damping=1e4, spin_radius=0.01),
        ),
    ],
)
def test_frictions(keys: str, expected: object) -> None:
    assert described_pair(f"{LAYER}[contact.friction]\n{keys}").friction == expected


@pytest.mark.parametrize(
    ("keys", "told"),
    [
        ("law = { kind = 'restitution', stiffness = 1e6, restitution = 0 }", "contact.law.restitution: 0; allowed is"),
        ("law = { kind = 'restitution', stiffness = 1e6, restitution = 1.5 }", "greater than 0 and of at most 1"),
        ("law = { kind = 'restitution', stiffness = -1, restitution = 0.5 }", "contact.law.stiffness: -1"),
        ("law = { kind = 'restitution', stiffness = nan, restitution = 0.5 }", "contact.law.stiffness: nan"),
        ("law = { kind = 'half_space', youngs_modulus = 0, poissons_ratio = 0.3 }", "law.youngs_modulus: 0"),
        ("law = { kind = 'half_space', youngs_modulus = 1e9, poissons_ratio = 0.6 }", "law.poissons_ratio: 0.6"),
        ("law = { kind = 'half_space', youngs_modulus = 1e9 }", "contact.law.poissons_ratio: is missing"),
        ("law = { kind = 'hunt_crossley' }", "contact.law.coefficient: is missing"),
        ("law = { kind = 'stick_friction', coefficient = 0.3 }", 'contact.law.kind: "stick_friction"; allowed'),
        ("law = { stiffness = 1e6, damping_in = 'tension' }", 'contact.law.damping_in: "tension"; allowed is one of'),
        (
            "stiffness = 1e6\nfriction = { kind = 'spin_friction', coefficient = -1 }",
            "friction.coefficient: -1",
        ),
    ],
)
def test_mistakes_are_named(keys: str, told: str) -> None:
    found = "\n".join(problems(f"[contact]\n{keys}\n[[contact.pairs]]\nbodies = ['a', 'plate']\n"))
    assert told in found, found


def test_a_law_of_one_point_is_refused_for_meshes() -> None:
    hertz = "[contact.law]\nkind = 'hertz_point'\nmodulus = 1e9\nradius = 0.1\n"
    with pytest.raises(pc.ScenarioError, match="HertzPoint is a law of one point"):
        descriptions(f"{hertz}[[contact.pairs]]\nbodies = ['a', 'plate']\n")


def test_without_a_stiffness_the_restitution_law_asks_for_layers() -> None:
    found = "\n".join(problems("[contact.law]\nkind = 'restitution'\n[[contact.pairs]]\nbodies = ['a', 'plate']\n"))
    assert "stiffness" in found


def test_a_file_runs_and_its_run_file_knows_its_laws(tmp_path: Path) -> None:
    text = """
[scenario]
name = "stick"
[simulation]
end_time = 0.05
[[bodies]]
name = "box"
shape = { kind = "box", size = [0.1, 0.1, 0.1] }
density = 1000
position = [0, 0, 0.0499]
velocity = [0.1, 0, 0]
[[bodies]]
name = "floor"
shape = { kind = "plane", size = 1 }
fixed = true
[contact.law]
kind = "restitution"
stiffness = 1e6
restitution = 0.3
[contact.friction]
kind = "stick_friction"
coefficient = 0.5
damping = 1e3
[[contact.pairs]]
bodies = ["box", "floor"]
"""
    (tmp_path / "stick.toml").write_text(text, encoding="utf-8")
    scenario = pc.load_scenario(tmp_path / "stick.toml")
    system = scenario.build()
    pc.simulate(system, **scenario.settings, record=tmp_path / "run.h5")
    recorded = pc.Trajectory.open(tmp_path / "run.h5")
    (contact,) = system.contacts.values()
    (pairing,) = recorded.description.pairings
    assert pc.ContactDescription.from_plain(pairing.contact) == contact.description
    assert {each.law for each in recorded.state_at_end().remembered} == {0, 1}
