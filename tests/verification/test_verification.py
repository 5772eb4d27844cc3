"""Every closed form is met, with its convergence rate; and the cases would notice if it were not."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest

from polycontact.contact.laws import LayerLaw
from polycontact.verification import displacement, flat_faces, force_laws, patches, round_bodies
from polycontact.verification.all_cases import all_cases, run_verification
from polycontact.verification.case import VerificationCase, observed_order, run_case
from polycontact.verification.placing import relative_to_body, rotation

CASES = {case.name: case for case in all_cases()}


@pytest.mark.filterwarnings("error::polycontact.ContactWarning")
@pytest.mark.parametrize("name", CASES)
def test_closed_form_is_met(name: str) -> None:
    outcome = run_case(CASES[name])
    assert outcome.relative_error <= outcome.limit, outcome
    if outcome.rate_limit is not None:
        assert outcome.rate is not None
        assert outcome.rate >= outcome.rate_limit, outcome
    assert outcome.ok


def test_names_are_unique() -> None:
    assert len(CASES) == len(all_cases())


def test_progress_counts_every_case(monkeypatch: pytest.MonkeyPatch) -> None:
    few = tuple(force_laws.cases()[:3])
    monkeypatch.setattr("polycontact.verification.all_cases.all_cases", lambda: few)
    seen: list[tuple[int, int, str]] = []
    done = run_verification(lambda n, total, outcome: seen.append((n, total, outcome.name)))
    assert seen == [(1, 3, few[0].name), (2, 3, few[1].name), (3, 3, few[2].name)]
    assert [outcome.name for outcome in done] == [case.name for case in few]


@pytest.mark.parametrize(
    "family", [displacement, pytest.param(flat_faces, marks=pytest.mark.slow), round_bodies, patches]
)
def test_wrong_stiffness_is_noticed(family: object, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(family, "LAW", LayerLaw(stiffness=1.02 * family.STIFFNESS))  # type: ignore[attr-defined]
    forces = [case for case in family.cases() if case.quantity == "force"]  # type: ignore[attr-defined]
    assert forces
    for case in forces:
        assert not run_case(case).ok, case.name


def made_up(measure: dict[int, float], *, limit: float = 0.1, rate_limit: float | None = 1.8) -> VerificationCase:
    return VerificationCase(
        name="made up",
        what="a number",
        quantity="force",
        unit="N",
        expected=10.0,
        measure=measure.__getitem__,
        levels=tuple(measure),
        limit=limit,
        rate_limit=rate_limit,
    )


def test_outcome_of_a_second_order_case() -> None:
    outcome = run_case(made_up({0: 14.0, 1: 11.0, 2: 10.25}))
    assert outcome.got == 10.25
    assert outcome.relative_error == pytest.approx(0.025)
    assert outcome.rate == pytest.approx(2.0)
    assert outcome.ok


@pytest.mark.parametrize(
    "values",
    [
        {0: 14.0, 1: 12.0, 2: 11.0},  # only first order
        {0: 50.0, 1: 20.0, 2: 12.0},  # converges, but is too far off
        {0: 10.01, 1: 10.01, 2: 10.01},  # near, but does not converge
        {0: 14.0, 1: 11.0, 2: math.nan},
    ],
)
def test_bad_values_are_off(values: dict[int, float]) -> None:
    assert not run_case(made_up(values)).ok


def test_error_is_relative_to_the_scale() -> None:
    case = dataclasses.replace(made_up({0: 0.5}, rate_limit=None), expected=0.0, scale=10.0)
    assert run_case(case).relative_error == pytest.approx(0.05)


def test_one_level_has_no_rate() -> None:
    assert run_case(made_up({0: 10.0}, rate_limit=None)).rate is None
    assert not run_case(made_up({0: 10.0}, rate_limit=1.0)).ok


def test_observed_order_survives_an_exact_value() -> None:
    assert observed_order([1e-3, 0.0]) > 40.0


def test_record_holds_no_nan() -> None:
    record = run_case(made_up({0: math.nan}, rate_limit=None)).to_dict()
    assert record["got"] is None
    assert record["ok"] is False


def test_relative_kinematics_by_finite_differences() -> None:
    """The velocity of the plane as the moving body sees it."""
    turn, position = np.array([0.3, -0.2, 0.5]), np.array([0.1, 0.2, 0.3])
    v, w, dt = np.array([0.4, -0.1, 0.2]), np.array([0.5, 0.7, -0.3]), 1e-6

    def pose(t: float) -> tuple[np.ndarray, np.ndarray]:
        R = rotation(w * t) @ rotation(turn)
        return R.T, -R.T @ (position + v * t)

    R, r, v_EF, w_EF = relative_to_body(rotation(turn), position, v, w).arrays()
    (R0, r0), (R1, r1) = pose(-dt), pose(dt)
    np.testing.assert_allclose(pose(0.0)[0], R, atol=1e-15)
    np.testing.assert_allclose(v_EF, (r1 - r0) / (2 * dt) + 0.0, atol=1e-8)
    spin = (R1 - R0) / (2 * dt) @ R.T
    np.testing.assert_allclose(w_EF, [spin[2, 1], spin[0, 2], spin[1, 0]], atol=1e-8)
    np.testing.assert_allclose(r0, r, atol=1e-5)
