"""Refining a scenario with results in closed form, a ball that hits a plate; what can be refined; mistakes."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest
from scipy.integrate import quad
from scipy.optimize import brentq

import polycontact as pc
from polycontact.cli import main
from polycontact.convergence.aspects import find_aspects
from polycontact.convergence.converge import _asked
from polycontact.errors import StudyError
from polycontact.scenario.parsing import parse_scenario

R, C, V, M = 0.05, 1e8, 1.0, 0.5

IMPACT = f"""
gravity = [0.0, 0.0, 0.0]
[scenario]
name = "impact"
[simulation]
end_time = 0.012
[[bodies]]
name = "ball"
shape = {{ kind = "sphere", radius = {R} }}
mass = {M}
position = [0.0, 0.0, {R}]
velocity = [0.0, 0.0, -{V}]
[[bodies]]
name = "plate"
shape = {{ kind = "box", size = [0.4, 0.4, 0.1] }}
fixed = true
position = [0.0, 0.0, -0.05]
[contact]
stiffness = {C}
[[contact.pairs]]
bodies = ["ball", "plate"]
"""

NAMES = ("peak force of ball-plate", "peak depth of ball-plate", "contact time of ball-plate")


def by_hand() -> tuple[float, float, float]:
    """Greatest force, greatest depth and duration of the impact: c times the displaced volume, m u'' = -F(u)."""

    def energy(u: float) -> float:
        return C * math.pi * (R * u**3 / 3.0 - u**4 / 12.0)

    deepest = brentq(lambda u: energy(u) - 0.5 * M * V**2, 1e-6, R)
    half, _ = quad(lambda s: 2.0 * deepest * s / math.sqrt(V**2 - 2.0 * energy(deepest * (1.0 - s * s)) / M), 0.0, 1.0)
    return C * math.pi * deepest**2 * (R - deepest / 3.0), deepest, 2.0 * half


@pytest.mark.slow
def test_what_is_known_lies_within_the_uncertainty(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "impact.toml").write_text(IMPACT)
    scenario = pc.load_scenario(tmp_path / "impact.toml")
    record = tmp_path / "impact.runs"
    found = pc.converge(scenario, NAMES, workers=0, record=record)
    for name, exact in zip(NAMES, by_hand(), strict=True):
        each = found[name]
        assert abs(each.estimate - exact) <= each.uncertainty, name
        assert each.uncertainty < 0.12 * exact
    force, depth, time = (found[name] for name in NAMES)
    assert force.verdict == depth.verdict == "believable"
    assert depth.changes["mesh"].limit.order == pytest.approx(2.0, abs=0.1)  # facets are off by the square of edges
    assert (depth.matters_most, found.runs) == ("mesh", 9)
    assert not time.changes["tolerances"].limit.is_sound or time.verdict == "open"  # it is known to a step only
    assert "base" in force.changes
    assert force.base_change > 0.0

    again = pc.converge(scenario, NAMES, workers=0, record=record)
    assert (again.recorded, again[NAMES[0]].estimate) == (9, force.estimate)

    page = tmp_path / "page.html"
    command = ["converge", str(tmp_path / "impact.toml"), "--workers", "0", "--record", str(record), "--json"]
    asked = [word for name in NAMES for word in ("--result", name)]
    assert main([*command, *asked, "-o", str(page)]) == (0 if found.ok else 1)
    told = json.loads(capsys.readouterr().out)
    assert told["results"][0]["estimate"] == force.estimate
    assert told["results"][1]["aspects"]["mesh"]["course"] == "converging"
    text = page.read_text()
    assert "to be believed" in text
    assert text.count("<svg") >= 3
    assert "http" not in text.replace("http://www.w3.org", "")
    assert len(text) < 100_000


def test_what_can_be_refined_follows_from_the_scenario() -> None:
    scenario = parse_scenario(IMPACT)
    found = find_aspects(scenario, _asked(scenario, None), ("mesh", "tolerances", "integration", "base"), 3)
    mesh = found.named("mesh")
    assert mesh is not None
    assert [each.values for each in mesh.levels] == [
        {},
        {"bodies.ball.shape.subdivisions": 4, "bodies.plate.shape.divisions": 2},
        {"bodies.ball.shape.subdivisions": 5, "bodies.plate.shape.divisions": 4},
    ]
    tolerances = found.named("tolerances")
    assert tolerances is not None
    assert tolerances.levels[2].values == {"simulation.rtol": 1e-6, "simulation.atol": 1e-6}
    integration = found.named("integration")
    assert integration is not None
    assert [next(iter(each.values.values()), None) for each in integration.levels] == [None, 1.25e-3, 3.125e-4]
    base = found.named("base")
    assert base is not None
    assert [each.label for each in base.levels] == ["given: E", "F", "both"]


def test_shapes_are_refined_by_their_own_parameters() -> None:
    shape = '{ kind = "sphere", radius = 0.05 }'
    for given, finer in {
        '{ kind = "cylinder", radius = 0.05, length = 0.1, segments = 24, rings = 3 }': {"segments": 48, "rings": 6},
        '{ kind = "torus", major_radius = 0.05, minor_radius = 0.02 }': {"segments": 96, "tube_segments": 48},
        '{ kind = "plate_with_hole", size = 0.12, thickness = 0.01, hole_radius = 0.02 }': {
            "segments": 96,
            "spacing": 0.005,
        },
        '{ kind = "bubble_with", n_triangles = 1000 }': {"n_triangles": 4000},
        '{ kind = "cosine_surface", amplitude = 0.01, wavelength = 0.5, size = [1, 0.5] }': {"divisions": [72, 36]},
    }.items():
        scenario = parse_scenario(
            IMPACT.replace(shape, given).replace("mass = 0.5", "mass = 0.5\ninertia = [1.0, 1.0, 1.0]")
        )
        found = find_aspects(scenario, _asked(scenario, None), ("mesh",), 2).named("mesh")
        assert found is not None
        told = {k.rpartition(".")[2]: v for k, v in found.levels[1].values.items() if k.startswith("bodies.ball")}
        assert told == finer
        scenario.with_values(found.levels[1].values).build()


def test_multipliers_are_refined_by_their_step() -> None:
    text = IMPACT.replace("end_time = 0.012", 'end_time = 0.012\nresponse = { kind = "multipliers", step = 2e-4 }')
    scenario = parse_scenario(text)
    found = find_aspects(scenario, _asked(scenario, None), ("tolerances",), 2).found
    assert found[0].levels[1].values == {"simulation.response": {"kind": "multipliers", "step": 1e-4}}
    scenario.with_values(found[0].levels[1].values)


def test_exact_shapes_have_no_mesh_to_refine() -> None:
    text = IMPACT.replace(f"radius = {R} }}", f'radius = {R}, geometry = "convex" }}')
    text = text.replace("0.1] }", '0.1], geometry = "convex" }').replace(
        f"stiffness = {C}", 'law = { kind = "spring_damper", stiffness = 1e5 }'
    )
    scenario = parse_scenario(text)
    with pytest.raises(StudyError, match='nothing of "mesh", "integration", "base" can be refined here'):
        find_aspects(scenario, _asked(scenario, None), ("mesh", "integration", "base"), 3)
    found = find_aspects(scenario, _asked(scenario, None), ("mesh", "tolerances"), 3)
    assert [each.name for each in found.found] == ["tolerances"]


def test_a_result_that_is_nothing_is_told() -> None:
    values = {"simulation.end_time": 1e-4, "bodies.ball.position[2]": 0.06}
    found = pc.converge(parse_scenario(IMPACT), NAMES[:1], vary=["tolerances"], values=values, workers=0)
    assert "0 on all levels, so that there is nothing to tell" in found[NAMES[0]].told()


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"levels": 1}, "levels is 1; give a whole number from 2 to 5"),
        ({"within": 5}, "within is 5; give a relative error between 0 and 1"),
        ({"vary": ["masses"]}, "'masses' cannot be refined; give some of mesh, tolerances"),
        ({"vary": []}, "nothing is to be refined"),
        ({"results": ["peak force of ball-plat"]}, "did you mean"),
        ({"values": {"simulation.end_time": -1.0}}, "end_time"),
    ],
)
def test_mistakes_are_told_before_the_first_run(options: dict[str, object], told: str) -> None:
    with pytest.raises(pc.PolycontactError, match=told):
        pc.converge(parse_scenario(IMPACT), **options)  # type: ignore[arg-type]


def test_a_scenario_without_contacts_needs_named_results() -> None:
    with pytest.raises(StudyError, match=r"has no contacts; name results, such as 'final position"):
        pc.converge(parse_scenario(IMPACT.partition("[contact]")[0]))


def test_a_run_that_fails_as_given_is_told() -> None:
    def fails(run: pc.Run) -> float:
        raise RuntimeError("no such thing")

    with pytest.raises(StudyError, match=r"the run as given fails.*no such thing"):
        pc.converge(
            parse_scenario(IMPACT), {"mine": fails}, workers=0, vary=["base"], values={"simulation.end_time": 1e-4}
        )


def test_the_command_tells_mistakes(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["converge", "no_such", "--json"]) == 2
    assert "no_such" in json.loads(capsys.readouterr().out)["error"]
    assert main(["converge", "bubbles", "-o", "page.pdf"]) == 2
    assert "page.pdf" in capsys.readouterr().err
