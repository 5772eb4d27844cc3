"""Identification against scipy and closed forms, on runs whose parameters are known, and what it tells of itself."""

from __future__ import annotations

import json
import os
import signal
import warnings
from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import curve_fit

import polycontact as pc
from polycontact.errors import IdentificationError, IdentificationWarning
from polycontact.identification.scenario_trials import TrialFailedError
from proof.properties.known_parameters import CASES, measure_coverage

TIME = np.linspace(0.0, 5.0, 100)
DECAY = (pc.identification.FitParameter("a", 0.1, 10.0), pc.identification.FitParameter("k", 1e-2, 1e2, "log"))


def decay(values: dict[str, float]) -> list[np.ndarray]:
    return [values["a"] * np.exp(-values["k"] * TIME)]


def noisy(noise: float, seed: int = 1) -> np.ndarray:
    return decay({"a": 2.0, "k": 0.7})[0] + np.random.default_rng(seed).normal(0.0, noise, len(TIME))


@pytest.mark.parametrize("deviation", [None, 0.05])
def test_same_as_curve_fit(deviation: float | None) -> None:
    values = noisy(0.05)
    found = pc.identify(
        decay, DECAY, pc.identification.MeasuredCurve(TIME, values, "x", "m", standard_deviation=deviation)
    )
    given = {} if deviation is None else {"sigma": np.full(100, deviation), "absolute_sigma": True}
    best, covariance = curve_fit(lambda t, a, k: a * np.exp(-k * t), TIME, values, [1.0, 1.0], **given)
    assert found.status == "converged"
    assert list(found.values.values()) == pytest.approx(best, rel=1e-5)
    # both take differences: 1e-8 relative steps there, 1e-4 central ones here
    assert found.covariance == pytest.approx(covariance, rel=1e-4)
    quantile = 1.959964 if deviation else 1.984467  # normal, and Student's t with 98 degrees of freedom
    a, k = found.estimates
    assert (a.high - a.low) / (2.0 * a.standard_error) == pytest.approx(quantile, rel=1e-5)
    assert np.log(k.high / k.low) / (2.0 * k.standard_error / k.value) == pytest.approx(quantile, rel=1e-5)


def test_certified_values_of_a_measurement() -> None:
    """Misra1a of NIST's Statistical Reference Datasets: volumes over pressures, measured by D. Misra in 1978."""
    pressure = [77.6, 114.9, 141.1, 190.8, 239.9, 289.0, 332.8, 378.4, 434.8, 477.3, 536.8, 593.1, 689.1, 760.0]
    volume = [10.07, 14.73, 17.94, 23.93, 29.61, 35.18, 40.02, 44.82, 50.76, 55.05, 61.01, 66.40, 75.47, 81.78]
    x = np.array(pressure)
    sought = [
        pc.identification.FitParameter("b1", 50.0, 1000.0),
        pc.identification.FitParameter("b2", 1e-5, 1e-2, "log"),
    ]
    found = pc.identify(
        lambda v: [v["b1"] * (1.0 - np.exp(-v["b2"] * x))],
        sought,
        pc.identification.MeasuredCurve(pressure, volume, "volume", "1"),
    )
    b1, b2 = found.estimates
    # certified to 11 digits; a gain in cost below 1e-6 leaves the estimate within some 1e-3 standard errors
    assert abs(b1.value - 2.3894212918e02) < 4e-3 * 2.7070075241
    assert abs(b2.value - 5.5015643181e-04) < 4e-3 * 7.2668688436e-06
    assert b1.standard_error == pytest.approx(2.7070075241, rel=1e-4)
    assert b2.standard_error == pytest.approx(7.2668688436e-06, rel=1e-4)
    assert np.sum(found.curves[0].residuals ** 2) == pytest.approx(1.2455138894e-01, rel=1e-6)


def test_a_straight_line_has_the_textbook_errors() -> None:
    """Slope and its standard error s / √Σ(t - mean)² of a line through noisy points."""
    values = 0.5 + 0.3 * TIME + np.random.default_rng(3).normal(0.0, 0.1, 100)
    line = [pc.identification.FitParameter("c", -5.0, 5.0), pc.identification.FitParameter("m", -5.0, 5.0)]
    found = pc.identify(
        lambda v: [v["c"] + v["m"] * TIME], line, pc.identification.MeasuredCurve(TIME, values, "x", "m")
    )
    slope = np.polyfit(TIME, values, 1)[0]
    rest = values - np.polyval(np.polyfit(TIME, values, 1), TIME)
    error = np.sqrt(rest @ rest / 98.0 / np.sum((TIME - TIME.mean()) ** 2))
    assert found["m"].value == pytest.approx(slope, rel=1e-6)
    assert found["m"].standard_error == pytest.approx(error, rel=1e-6)


def test_the_start_design_finds_the_right_one_of_many_minima() -> None:
    """A frequency has a local minimum at every period; only a search over the range finds the true one."""
    values = np.sin(7.3 * TIME) + np.random.default_rng(1).normal(0.0, 0.1, 100)
    curve = pc.identification.MeasuredCurve(TIME, values, "x", "m")
    wave = [pc.identification.FitParameter("w", 1.0, 20.0, start=2.0)]

    def model(v: dict[str, float]) -> list[np.ndarray]:
        return [np.sin(v["w"] * TIME)]

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", IdentificationWarning)
        alone = pc.identify(model, wave, curve, starts=0)
    assert abs(alone["w"].value - 7.3) > 1.0
    assert pc.identify(model, wave, curve, starts=64)["w"].value == pytest.approx(7.3, abs=0.05)


def test_two_curves_are_weighed_by_their_scatter() -> None:
    """The same parameter in a precise and in a rough curve: the weighted mean, its error that of both together."""
    rng = np.random.default_rng(5)
    precise, rough = 2.0 + rng.normal(0.0, 0.01, 400), 2.0 + rng.normal(0.0, 1.0, 400)
    times = np.arange(1.0, 401.0)
    curves = [
        pc.identification.MeasuredCurve(times, precise, "x", "m"),
        pc.identification.MeasuredCurve(times, 1e3 * rough, "y", "mm"),
    ]
    found = pc.identify(lambda v: [np.full(400, v["a"])] * 2, [pc.identification.FitParameter("a", 0.0, 5.0)], curves)
    spread = np.array([precise.std(), rough.std()])
    weights = spread**-2 / np.sum(spread**-2)
    assert found["a"].value == pytest.approx(weights @ [precise.mean(), rough.mean()], abs=1e-4)
    assert found["a"].standard_error == pytest.approx(1.0 / np.sqrt(400.0 * np.sum(spread**-2)), rel=0.02)
    assert [each.standard_deviation for each in found.curves] == pytest.approx(spread, rel=0.02)


def test_a_parameter_without_effect_is_told() -> None:
    idle = [*DECAY, pc.identification.FitParameter("idle", 0.0, 1.0)]
    with pytest.warns(IdentificationWarning, match="do not determine idle"):
        found = pc.identify(decay, idle, pc.identification.MeasuredCurve(TIME, noisy(0.05), "x", "m"))
    assert not found["idle"].determined
    assert "not determined" in found["idle"].text()
    assert found["a"].determined
    assert not found.ok
    assert found["a"].standard_error == pytest.approx(0.0158, rel=0.01)  # as without it
    assert json.loads(json.dumps(found.to_dict(), allow_nan=False))["estimates"][2]["determined"] is False


def test_two_parameters_of_which_only_the_product_counts_are_told() -> None:
    pair = [
        pc.identification.FitParameter("a", 0.1, 10.0, "log"),
        pc.identification.FitParameter("b", 0.1, 10.0, "log"),
    ]
    curve = pc.identification.MeasuredCurve(TIME, noisy(0.05), "x", "m")
    with pytest.warns(IdentificationWarning, match="do not determine a and b apart"):
        found = pc.identify(lambda v: [v["a"] * v["b"] * np.exp(-0.7 * TIME)], pair, curve)
    assert found["a"].value * found["b"].value == pytest.approx(2.0, rel=0.05)


def test_an_estimate_at_its_bound_is_told() -> None:
    narrow = [pc.identification.FitParameter("a", 0.1, 1.5), DECAY[1]]
    with pytest.warns(IdentificationWarning, match="a lies at its upper bound"):
        found = pc.identify(decay, narrow, pc.identification.MeasuredCurve(TIME, noisy(0.05), "x", "m"))
    assert found["a"].at_bound == "upper"


def test_a_model_that_misses_something_is_told() -> None:
    values = noisy(0.01) + 0.2 * np.sin(3.0 * TIME)
    found = pc.identify(decay, DECAY, pc.identification.MeasuredCurve(TIME, values, "x", "m", standard_deviation=0.01))
    assert any("times what the standard deviations say" in note for note in found.notes)
    assert any("neighbouring residuals have a correlation" in note for note in found.notes)


def test_noise_alone_is_not_told() -> None:
    found = pc.identify(
        decay, DECAY, pc.identification.MeasuredCurve(TIME, noisy(0.05), "x", "m", standard_deviation=0.05)
    )
    assert found.notes == ()


def test_failed_runs_are_counted_and_avoided() -> None:
    def fails_at_large_k(values: dict[str, float]) -> list[np.ndarray]:
        if values["k"] > 1.0:
            raise TrialFailedError("too stiff")
        return decay(values)

    found = pc.identify(fails_at_large_k, DECAY, pc.identification.MeasuredCurve(TIME, noisy(0.05), "x", "m"))
    assert found["k"].value == pytest.approx(0.7, abs=0.05)
    assert found.failed > 0
    assert any("runs failed, the first: too stiff" in note for note in found.notes)
    stiff = [DECAY[0], pc.identification.FitParameter("k", 2.0, 1e2, "log")]
    with pytest.raises(IdentificationError, match="all 17 runs of the start design failed; the first: too stiff"):
        pc.identify(fails_at_large_k, stiff, pc.identification.MeasuredCurve(TIME, noisy(0.05), "x", "m"))


def test_too_few_runs_return_the_best_so_far() -> None:
    curve = pc.identification.MeasuredCurve(TIME, noisy(0.05), "x", "m")
    found = pc.identify(decay, DECAY, curve, max_runs=22)
    assert found.status == "stopped"
    assert "max_runs" in found.message
    assert np.isfinite(found["a"].standard_error)


def test_an_interrupt_returns_the_best_so_far() -> None:
    calls = []

    def interrupted(values: dict[str, float]) -> list[np.ndarray]:
        calls.append(values)
        if len(calls) == 25:
            os.kill(os.getpid(), signal.SIGINT)
        return decay(values)

    found = pc.identify(interrupted, DECAY, pc.identification.MeasuredCurve(TIME, noisy(0.05), "x", "m"))
    assert (found.status, len(calls)) == ("stopped", 25)
    assert np.isnan(found["a"].standard_error)
    assert "no interval" in repr(found)
    assert json.loads(json.dumps(found.to_dict(), allow_nan=False))["estimates"][0]["low"] is None


def test_progress_tells_phases_and_time_left() -> None:
    told: list[pc.identification.IdentifyProgress] = []
    pc.identify(decay, DECAY, pc.identification.MeasuredCurve(TIME, noisy(0.05), "x", "m"), progress=told.append)
    assert [each.runs for each in told] == list(range(1, len(told) + 1))
    assert list(dict.fromkeys(each.phase for each in told)) == ["start", "search", "intervals"]
    assert all(each.expected >= each.runs and each.seconds_left is not None for each in told)


def test_known_parameters_are_found() -> None:
    """One repetition: within three standard errors, which are a few per cent."""
    found = measure_coverage(CASES[0], 1, seed=11)
    assert all(abs(bias) < 3.0 for bias in found.biases.values())
    assert all(0.0 < each.standard_error < 0.1 * each.value for each in found.found.estimates)
    assert found.found.ok


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_known_parameters_lie_in_their_intervals(case: object) -> None:
    """Three repetitions with fixed seeds; tools/identification_coverage.py makes a hundred."""
    found = measure_coverage(case, 3, seed=11)  # type: ignore[arg-type]
    # of three 95 % intervals two or more hold the truth with a probability of 99.3 %
    assert all(inside >= 2 for inside in found.inside.values())
    assert found.found.ok


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_intervals_hold_the_truth_in_90_of_100(case: object) -> None:
    found = measure_coverage(case, 100)  # type: ignore[arg-type]
    assert all(inside >= 90 for inside in found.inside.values())


@pytest.mark.slow
def test_processes_give_the_same_bits() -> None:
    case = CASES[2]
    scenario = case.scenario()
    times = np.linspace(0.005, 0.1, 20)
    values = 1.0 * times - 0.5 * 0.25 * 9.81 * times**2  # slid with a coefficient of 0.25
    curve = pc.identification.MeasuredCurve(times, values, case.quantity, "m", standard_deviation=1e-4)
    alone, together = (
        pc.identify(scenario, case.parameters, curve, starts=2, refined=1, workers=workers) for workers in (1, 2)
    )
    assert alone.values == together.values
    assert np.array_equal(alone.covariance, together.covariance)
    # friction of the law falls below μ at the sliding velocity of the start by v_ε / v; the closed form has none of it
    assert alone["contact.friction.coefficient"].value == pytest.approx(0.25, abs=2e-3)
    assert alone.scenario is not None
    assert alone.scenario.model.contact is not None
    run = pc.simulate(alone.scenario.build(), **alone.scenario.settings)
    assert run.status == "finished"


def test_results_are_readable_and_written(tmp_path: Path) -> None:
    curve = pc.identification.MeasuredCurve(TIME, noisy(0.05), "x", "m", label="dropped <once>")
    found = pc.identify(decay, DECAY, curve)
    assert "k  0.71067, 95 % 0.69475 to 0.72695" in repr(found)
    assert "0.71067" in found._repr_html_()
    found.to_json(tmp_path / "fit.json")
    record = json.loads((tmp_path / "fit.json").read_text(encoding="utf-8"))
    assert record["estimates"][1]["value"] == found["k"].value
    assert len(record["curves"][0]["fitted"]) == 100
    assert "time" not in found.to_dict(curves=False)["curves"][0]
    found.save_page(tmp_path / "fit.html")
    page = (tmp_path / "fit.html").read_text(encoding="utf-8")
    assert "<once>" not in page  # escaped in text, and in the data
    assert "dropped &lt;once&gt;" in page
    figure = found.plot(tmp_path / "plot.html")
    assert [trace.name for trace in figure.data][:2] == ["dropped <once>, measured", "dropped <once>, fitted"]
    with pytest.raises(IdentificationError, match="no parameter 'b'"):
        found["b"]
    with pytest.raises(IdentificationError, match="cannot be written"):
        found.save_page(tmp_path / "no" / "fit.html")


@pytest.mark.parametrize(
    ("parameters", "options", "words"),
    [
        ([], {}, "no parameter"),
        ([DECAY[0], DECAY[0]], {}, "a is given twice"),
        ([pc.identification.FitParameter("a", 2.0, 1.0)], {}, "lower 2 is not below upper 1"),
        ([pc.identification.FitParameter("a", 0.0, 1.0, "log")], {}, "positive bound"),
        ([pc.identification.FitParameter("a", 0.0, 1.0, start=2.0)], {}, "start 2 is not between"),
        ([pc.identification.FitParameter("a", float("nan"), 1.0)], {}, "lower nan"),
        ([pc.identification.FitParameter("a", "1 mm", 1.0)], {}, "without a unit"),
        (DECAY, {"workers": 0}, "workers 0"),
        (DECAY, {"starts": -1}, "starts -1"),
        (DECAY, {"max_runs": True}, "max_runs True"),
        (DECAY, {"max_runs": 16}, "the start design alone has 17 runs"),
        (DECAY, {"progress": True}, "progress True"),
        (DECAY, {"workers": 2}, "cannot be sent to other processes"),
    ],
)
def test_bad_input(parameters: list[pc.identification.FitParameter], options: dict[str, int], words: str) -> None:
    curve = pc.identification.MeasuredCurve(TIME, noisy(0.05), "x", "m")
    with pytest.raises(IdentificationError, match=words):
        pc.identify(lambda v: decay(v), parameters, curve, **options)  # type: ignore[arg-type]


def test_bad_scale_and_key() -> None:
    with pytest.raises(IdentificationError, match="scale 'cubic'"):
        pc.identification.FitParameter("a", 0.0, 1.0, "cubic")  # type: ignore[arg-type]
    with pytest.raises(IdentificationError, match="no key"):
        pc.identification.FitParameter(" ", 0.0, 1.0)


def test_curves_that_do_not_fit_the_function() -> None:
    curve = pc.identification.MeasuredCurve(TIME, noisy(0.05), "x", "m")
    with pytest.raises(IdentificationError, match="2 curves were simulated, 1 are measured"):
        pc.identify(lambda v: decay(v) * 2, DECAY, curve)
    with pytest.raises(IdentificationError, match="one number for each time"):
        pc.identify(lambda v: [decay(v)[0][:50]], DECAY, curve)
    with pytest.raises(IdentificationError, match="2 measured points for 2 parameters"):
        pc.identify(decay, DECAY, pc.identification.MeasuredCurve([0.0, 1.0], [1.0, 2.0], "x", "m"))
    with pytest.raises(IdentificationError, match="no measured curve"):
        pc.identify(decay, DECAY, [])
    with pytest.raises(IdentificationError, match="is no measured curve"):
        pc.identify(decay, DECAY, [1.0])  # type: ignore[list-item]


def test_an_interrupt_before_the_first_result_interrupts() -> None:
    def interrupted(values: dict[str, float]) -> list[np.ndarray]:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt, match="before any run gave a result"):
        pc.identify(interrupted, DECAY, pc.identification.MeasuredCurve(TIME, noisy(0.05), "x", "m"))


def test_newtons_labelled_kilonewtons_are_told_though_the_search_converges() -> None:
    """The parameter makes up for the factor."""

    def spring(values: dict[str, float]) -> list[np.ndarray]:
        return [values["k"] * TIME]

    curve = pc.identification.MeasuredCurve(TIME, 2000.0 * TIME + noisy(0.05), "force", "kN")
    sought = pc.identification.FitParameter("k", 1e2, 1e7, "log", start=3e3)
    with pytest.warns(IdentificationWarning, match="a factor of 66.*; is its unit 'kN' right"):
        found = pc.identify(spring, sought, curve)
    assert found.status == "converged"
    assert found["k"].value == pytest.approx(2e6, rel=1e-3)
    assert any("is its unit 'kN' right? If not, give the right one" in note for note in found.notes)
