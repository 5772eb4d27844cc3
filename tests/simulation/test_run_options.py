"""The options of a run, one by one: each appears wherever it can be given, and wherever a run tells of it."""

from __future__ import annotations

import inspect
import math
from pathlib import Path
from typing import Any

import pytest
from small_systems import pendulum

import polycontact as pc
from polycontact.cli import main
from polycontact.errors import ScenarioError, SimulationError
from polycontact.report.document.named_runs import ReportRun
from polycontact.report.document.system_section import describe_settings
from polycontact.scenario.loading import parse_scenario
from polycontact.scenario.schema.key_reference import key_sections
from polycontact.scenario.schema.scenario import export_schema
from polycontact.simulation.run_options import RunOption, RunOptions, run_option, run_options
from tools import run_signature

TEXT = """
gravity = GRAVITY
[scenario]
name = "ball"
[simulation]
KEYS
[[bodies]]
name = "ball"
shape = { kind = "sphere", radius = 0.05 }
density = 1000
position = [0, 0, 1]
[[bodies]]
name = "plate"
shape = { kind = "box", size = [0.2, 0.2, 0.1] }
fixed = true
[contact]
stiffness = 1e8
pairs = [{ bodies = ["ball", "plate"] }]
"""

VALUES: dict[str, Any] = {
    "end_time": 0.05,
    "start_time": 0.01,
    "start": "equilibrium",
    "integrator": "dopri5",
    "response": "impulses",
    "rtol": 1e-5,
    "atol": 2e-5,
    "velocity_atol": 3e-5,
    "max_step": 0.004,
    "first_step": 0.001,
    "output_step": 0.02,
    "output_times": [0.02, 0.03],
    "contact_events": True,
    "step_limit": False,
    "stop_when": [pc.simulation.BelowHeight("ball", 0.2)],
    "workers": 2,
    "elements": True,
    "maps": True,
    "reactions": True,
}
"""A value of each recorded option that is not its default."""


def text_with(keys: str = "", *, rests: bool = False) -> str:
    """A scenario with some keys in [simulation], the end time among them in any case; a ball that falls, or rests."""
    text = TEXT.replace("GRAVITY", "[0, 0, 0]" if rests else "[0, 0, -9.81]")
    return text.replace("KEYS", keys if "end_time" in keys else f"end_time = 0.1\n{keys}")


each_option = pytest.mark.parametrize("option", run_options(), ids=lambda option: option.name)


def test_the_source_of_simulate_is_what_the_options_say() -> None:
    source = run_signature.FILE.read_text(encoding="utf-8")
    assert run_signature.written(source) == source, "run python -m tools.run_signature"


def test_a_signature_without_a_place_is_refused() -> None:
    with pytest.raises(ValueError, match="no place for"):
        run_signature.written("def simulate() -> None: ...")


def test_every_recorded_option_has_a_value_here() -> None:
    assert list(VALUES) == [each.name for each in run_options() if each.ways.recorded]
    assert all(run_option(name).about.default != value for name, value in VALUES.items())


@each_option
def test_python_shows_every_option(option: RunOption) -> None:
    parameter = inspect.signature(pc.simulate).parameters[option.name]
    assert parameter.kind is parameter.KEYWORD_ONLY
    default = inspect.Parameter.empty if option.about.is_required else option.about.default
    assert parameter.default == default
    assert f"- ``{option.name}``" in str(pc.simulate.__doc__)
    assert option.about.meaning


@each_option
def test_scenario_files_have_the_keys(option: RunOption) -> None:
    keys = export_schema()["$defs"]["Simulation"]["properties"]
    assert (option.name in keys) == option.ways.key
    if not option.ways.key:
        assert complaint(f"{option.name} = 1").startswith(f"simulation.{option.name}: unknown key")
        return
    (row,) = [
        row
        for section in key_sections()
        if section.name == "simulation"
        for row in section.rows
        if row.key == f"`{option.name}`"
    ]
    assert row.meaning.startswith(option.about.meaning)
    assert row.unit == option.about.unit
    assert (row.left_out == "**required**") == option.about.is_required


@each_option
def test_the_command_line_has_the_flags(option: RunOption, capsys: pytest.CaptureFixture[str]) -> None:
    main(["run", "--help"])
    words = capsys.readouterr().out.split()
    assert (f"--{option.flag}" in words) == bool(option.flag)
    if option.is_switch and option.flag:
        assert (f"--no-{option.flag}" in words) == (option.about.default is not False)


@each_option
def test_run_files_and_reports_tell_what_was_asked(option: RunOption, tmp_path: Path) -> None:
    if not option.ways.recorded:
        assert option.name not in RunOptions(end_time=1.0).to_plain()
        return
    system = parse_scenario(text_with(rests=option.name == "start")).build()
    path = tmp_path / "run.h5"
    pc.simulate(system, record=path, **{"end_time": 0.1, option.name: VALUES[option.name]})
    trajectory = pc.Trajectory.open(path)
    expected = RunOptions(**{"end_time": 0.1, option.name: VALUES[option.name]}).to_plain()[option.name]
    assert trajectory.settings[option.name] == (list(expected) if isinstance(expected, tuple) else expected)
    assert option.about.title in describe_settings([ReportRun("run", trajectory)])


@each_option
def test_files_and_flags_mean_the_same_as_python(option: RunOption, tmp_path: Path) -> None:
    """A value in a scenario file, and on the command line, is in the run file what it is in Python."""
    value = VALUES.get(option.name)
    if value is None or not (option.ways.key and option.flag):
        return
    expected = RunOptions(**{"end_time": 0.1, option.name: value}).to_plain()[option.name]
    written = str(value).lower() if isinstance(value, bool) else repr(value)
    assert (
        RunOptions(**parse_scenario(text_with(f"{option.name} = {written}")).settings).to_plain()[option.name]
        == expected
    )
    (tmp_path / "ball.toml").write_text(text_with(rests=option.name == "start"), encoding="utf-8")
    words = [f"--{option.flag}", str(value)]
    if option.is_switch:
        words = [f"--{option.flag}" if value else f"--no-{option.flag}"]
    path = tmp_path / "run.h5"
    assert main(["run", str(tmp_path / "ball.toml"), "-o", str(path), *words]) == 0
    assert pc.Trajectory.open(path).settings[option.name] == expected


BAD: dict[str, tuple[Any, ...]] = {
    "end_time": (0, -1.0, math.inf),
    "start": ("rest", 3),
    "integrator": ("euler", 3),
    "response": ("rigid", 3),
    "rtol": (0.0, -1.0, math.nan, True),
    "atol": (0.0, math.inf),
    "velocity_atol": (-1.0, "fast"),
    "max_step": (0.0, "2 mm"),
    "first_step": (-1e-3,),
    "output_step": (0.0, 1e-12),
    "contact_events": ("start", 2),
    "step_limit": ("no", 3),
    "workers": (0, 1.5, True),
    "elements": ("all", 2),
    "maps": ("all", 2),
    "reactions": ("few", 2),
    "stop_when": (3,),
}
"""Values that an option does not take, in Python or in a file."""


def complaint(keys: str) -> str:
    """What a scenario with other keys in [simulation] is refused for."""
    with pytest.raises(ScenarioError) as caught:
        parse_scenario(text_with(keys))
    return caught.value.problems[0]


def test_every_key_has_bad_values_here() -> None:
    assert set(BAD) == {each.name for each in run_options() if each.ways.key}


@pytest.mark.parametrize(("name", "value"), [(name, value) for name, values in BAD.items() for value in values])
def test_bad_values_are_refused_by_name(name: str, value: Any, capsys: pytest.CaptureFixture[str]) -> None:
    option, system = run_option(name), pendulum()
    with pytest.raises(SimulationError, match=name if name != "integrator" else "there is no integrator"):
        pc.simulate(system, **{"end_time": 1.0, name: value})
    written = str(value).lower() if isinstance(value, bool) else repr(value)
    assert complaint(f"{name} = {written}").startswith(f"simulation.{name}")
    if not option.flag or option.is_switch:
        return
    assert main(["run", "ball_on_table", f"--{option.flag}={value}"]) == 2
    told = capsys.readouterr().err
    assert name in told or f"--{option.flag}" in told


def test_a_number_may_have_a_unit() -> None:
    options = RunOptions(end_time="20 ms", atol="1 µm", velocity_atol="1 mm/s", max_step="1 ms")  # type: ignore[arg-type]
    assert (options.end_time, options.atol, options.velocity_atol, options.max_step) == (0.02, 1e-6, 1e-3, 1e-3)
    with pytest.raises(SimulationError, match=r"atol is '1 kg'.*a length in m"):
        RunOptions(end_time=1.0, atol="1 kg")  # type: ignore[arg-type]


class _Stepper:
    """Never asked for a step."""


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"output_step": 0.1, "output_times": [0.5]}, "both output_times and output_step are given"),
        (
            {"stepper": _Stepper(), "jacobian": print},
            "jacobian is .* steppers of your own do not use; leave it out, or give it to your stepper",
        ),
        ({"stepper": _Stepper(), "response": "impulses"}, "stepper is .* impulses do not use"),
        ({"jacobian": print, "response": "multipliers"}, "jacobian is .* multipliers do not use"),
        (
            {"integrator": "dopri5", "jacobian": print},
            "jacobian is .* dopri5 does not use; leave it out, or take cvode-bdf, ida, lsoda",
        ),
    ],
)
def test_options_that_contradict_each_other_are_refused(options: dict[str, Any], told: str) -> None:
    with pytest.raises(SimulationError, match=told):
        pc.simulate(pendulum(), end_time=1.0, **options)


def test_a_continued_run_has_its_own_start(tmp_path: Path) -> None:
    """A run from -2 s to -1 s goes on to -0.5 s; another start than its end is refused."""
    path, system = tmp_path / "run.h5", pendulum()
    pc.simulate(system, start_time=-2.0, end_time=-1.0, record=path)
    with pytest.raises(SimulationError, match=r"start_time is 3.0 s, but .* -1.0 s; leave start_time out"):
        pc.simulate(system, start_time=3.0, end_time=4.0, continue_from=path)
    with pytest.raises(SimulationError, match=r"end_time -1.5 s is not after the start at -1.0 s"):
        pc.simulate(system, end_time=-1.5, continue_from=path)
    run = pc.simulate(system, end_time=-0.5, continue_from=path)
    assert (run.trajectory.time[0], run.trajectory.time[-1]) == (-2.0, -0.5)
