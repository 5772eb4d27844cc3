"""Options that nobody would use are refused by name, from one table; those with their default never are."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from small_systems import pendulum

import polycontact as pc
from polycontact.cli import main
from polycontact.errors import ScenarioError, SimulationError
from polycontact.identification.scenario_trials import trial_settings
from polycontact.scenario.loading import parse_scenario
from polycontact.simulation.run_options import (
    STEP_MAKERS,
    STEPPER,
    RunOption,
    RunOptions,
    run_option,
    run_options,
    unused,
    without_unused,
)

TEXT = """
[scenario]
name = "ball"
[simulation]
end_time = 0.01
KEYS
[[bodies]]
name = "ball"
shape = { kind = "sphere", radius = 0.05 }
density = 1000
position = [0, 0, 1]
"""


class _Stepper:
    """Never asked for a step."""

    name = "mine"


VALUES: dict[str, Any] = {
    "start": "equilibrium",
    "integrator": "lsoda",
    "stepper": _Stepper(),
    "rtol": 1e-5,
    "atol": 2e-5,
    "velocity_atol": 3e-5,
    "max_step": 0.004,
    "first_step": 0.001,
    "jacobian": print,
    "maps": True,
}
"""A value of each option that not everybody uses."""

partly_used = pytest.mark.parametrize(
    "option", [each for each in run_options() if each.name in VALUES], ids=lambda option: option.name
)
makers = pytest.mark.parametrize("maker", STEP_MAKERS)


def settings_of(maker: str, **given: Any) -> dict[str, Any]:
    """Options of a run with some step maker."""
    chosen: dict[str, Any] = (
        {"response": "compliant", "stepper": _Stepper()} if maker == STEPPER else {"response": maker}
    )
    return {"end_time": 0.01, **chosen, **given}


def test_every_option_that_not_all_use_has_a_value_here() -> None:
    assert {each.name for each in run_options() if each.ways.used_by != STEP_MAKERS} == set(VALUES)


@partly_used
@makers
def test_python_refuses_what_is_not_used(option: RunOption, maker: str) -> None:
    settings = settings_of(maker, **{option.name: VALUES[option.name]})
    if maker in option.ways.used_by:
        RunOptions(**settings)
        return
    with pytest.raises(SimulationError, match=f"^{option.name} is .* do not use; leave it out"):
        pc.simulate(pendulum(), **settings)


def test_all_that_is_not_used_is_told_at_once() -> None:
    with pytest.raises(SimulationError) as caught:
        pc.simulate(pendulum(), end_time=0.1, response="multipliers", integrator="dopri5", max_step=1e-5)
    told = str(caught.value)
    assert "integrator is 'dopri5', which multipliers do not use" in told
    assert "max_step is 1e-05 s, which multipliers do not use" in told
    assert "MultiplierResponse(step=…)" in told  # the remedy


@makers
def test_defaults_are_never_refused(maker: str) -> None:
    given = {each.name: each.about.default for each in run_options() if not each.about.is_required}
    chosen = settings_of(maker)
    RunOptions(**(given | chosen))
    assert unused(given | chosen) == {}


@pytest.mark.parametrize("integrator", ["dopri5", "cvode-adams"])
def test_a_jacobian_is_for_integrators_that_use_it(integrator: str) -> None:
    with pytest.raises(
        SimulationError, match=f"jacobian is .*, which {integrator} does not use.*cvode-bdf, ida, lsoda"
    ):
        RunOptions(end_time=1.0, integrator=integrator, jacobian=lambda t, y, out: None)


@pytest.mark.parametrize("name", [name for name in VALUES if name not in ("stepper", "jacobian", "maps")])
def test_files_refuse_what_is_not_used(name: str) -> None:
    keys = f"response = {{ kind = 'multipliers', step = 2e-3 }}\n{name} = {VALUES[name]!r}"
    with pytest.raises(ScenarioError, match=f"simulation.{name}: .*, which multipliers do not use; leave it out"):
        parse_scenario(TEXT.replace("KEYS", keys))
    if "impulses" in run_option(name).ways.used_by:
        parse_scenario(TEXT.replace("KEYS", f"response = 'impulses'\n{name} = {VALUES[name]!r}"))


def test_files_refuse_maps_of_rigid_contacts() -> None:
    for response in ("multipliers", "impulses"):
        with pytest.raises(ScenarioError, match=f"simulation.maps: .*, which {response} do not use; leave it out"):
            parse_scenario(TEXT.replace("KEYS", f"response = '{response}'\nmaps = true"))


def test_a_response_with_mistakes_hides_no_other(capsys: pytest.CaptureFixture[str]) -> None:
    keys = "response = { kind = 'multipliers', stepp = 2e-3 }\nrtol = 1e-6"
    with pytest.raises(ScenarioError) as caught:
        parse_scenario(TEXT.replace("KEYS", keys))
    assert [each.split(":")[0] for each in caught.value.problems] == ["simulation.response.stepp", "simulation.rtol"]


def test_flags_that_are_not_used_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "ball.toml"
    path.write_text(TEXT.replace("KEYS", "rtol = 1e-6"), encoding="utf-8")
    assert main(["run", str(path), "--response", "multipliers", "--max-step", "1e-3"]) == 2
    assert "max_step is 0.001 s, which multipliers do not use; leave it out" in capsys.readouterr().err
    assert main(["run", str(path), "--response", "multipliers", "--integrator", "all"]) == 2
    assert "integrator is 'all', which multipliers do not use" in capsys.readouterr().err


def test_another_response_leaves_out_what_the_file_sets_for_its_own(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "ball.toml"
    path.write_text(TEXT.replace("KEYS", "rtol = 1e-6\noutput_step = 2e-3"), encoding="utf-8")
    output = tmp_path / "run.h5"
    assert main(["run", str(path), "-o", str(output), "--response", "multipliers"]) == 0
    assert "rtol is 1e-06, which multipliers do not use: left out" in capsys.readouterr().err
    settings = pc.Trajectory.open(output).settings
    assert (settings["rtol"], settings["output_step"]) == (1e-4, 2e-3)
    changed = pc.load_scenario(path).with_values({"simulation.response": "multipliers"})
    assert changed.settings["output_step"] == 2e-3
    assert "rtol" not in changed.settings
    with pytest.raises(ScenarioError, match=r"simulation.atol: 1e-06 m or rad, which multipliers do not use"):
        pc.load_scenario(path).with_values({"simulation.response": "multipliers", "simulation.atol": 1e-6})


def test_settings_without_what_is_not_used() -> None:
    given = {"end_time": 1.0, "response": "multipliers", "rtol": 1e-4, "atol": 1e-4, "workers": 2}
    assert without_unused(given) == {"end_time": 1.0, "response": "multipliers", "rtol": 1e-4, "workers": 2}
    assert without_unused(given | {"response": "impulses"}) == given | {"response": "impulses"}


@partly_used
def test_the_meaning_tells_who_uses_an_option(option: RunOption) -> None:
    assert "used by" in option.meaning
    assert f"- ``{option.name}``" in str(pc.simulate.__doc__)
    assert "used by" in str(pc.simulate.__doc__).split(f"- ``{option.name}``")[1].split("- ``")[0]


def test_trials_of_an_identification_ask_for_what_the_response_uses() -> None:
    scenario = parse_scenario(TEXT.replace("KEYS", ""))
    assert trial_settings(scenario)["rtol"] < 1e-4
    assert "rtol" not in trial_settings(scenario.with_values({"simulation.response": "multipliers"}))
