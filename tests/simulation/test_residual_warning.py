"""A run whose contacts made or took much energy of their own says so at its end, in its file and in its report."""

from __future__ import annotations

import re
import warnings
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest
from small_systems import GRAVITY, MASS, SPRING, box_over_plane

import polycontact as pc
from polycontact.report.document.cost import compare_cost
from polycontact.report.document.named_runs import ReportRun
from polycontact.simulation.ledger import COLUMNS, EnergyLedger
from polycontact.simulation.residual_warning import told_residual
from polycontact.simulation.run_options import RunOptions
from scenes import rotation

LAW = pc.LayerLaw(stiffness=1e8)


def colliding_boxes(**options: object) -> pc.MultibodySystem:
    """Two equal cubes of 0.1 m, one at rest, the other tilted and beside its middle, at 1 m/s."""
    system = pc.MultibodySystem("boxes", gravity=(0.0, 0.0, 0.0))
    box = pc.shapes.box((0.1, 0.1, 0.1), 4)
    system.add_body("a", surface=box, mass=1.0)
    tilted = rotation((3.0, 2.0, 1.0), 0.37)
    system.add_body("b", surface=box, mass=1.0, position=(0.03, 0.02, 0.15), velocity=(0, 0, -1.0), rotation=tilted)
    system.add_contact("a", "b", **{"law": LAW, **options})
    return system


def said(system: pc.MultibodySystem, **options: object) -> tuple[pc.Run, list[str]]:
    """A run and its warnings of energy."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        run = pc.simulate(system, **options)
    return run, [str(each.message) for each in caught if "residual work" in str(each.message)]


def test_a_collision_along_the_normals_of_the_base_is_told() -> None:
    run, messages = said(colliding_boxes(depth="base_normal"), end_time=0.1)
    ledger = run.ledger
    assert ledger.worst_residual > 0.3 * ledger.turnover  # this is a run that deserves the warning
    assert messages == [run.energy_warning]
    apart = np.flatnonzero(ledger["elastic"] <= 1e-3 * ledger.turnover)  # in a contact the energy is an estimate
    worst = int(apart[np.abs(ledger["residual"][apart]).argmax()])
    reached = abs(float(ledger["residual"][worst]))
    told = re.fullmatch(
        r"the residual work of the contacts reached ([\d.e-]+) J at t = ([\d.]+) s, (\d+) % of the turnover of "
        r"([\d.e-]+) J, and at the end the contacts have made ([\d.e-]+) J \(([\d.]+) %\) by themselves; it is neither "
        r'elastic energy nor damping nor friction; what may help: depth="distance" of the polygonal method, a finer '
        r"tolerance \(rtol is 0.0001\), a finer mesh of the base",
        run.energy_warning,
    )
    assert told is not None, run.energy_warning
    expected = (
        reached,
        ledger.time[worst],
        100.0 * reached / ledger.turnover,
        ledger.turnover,
        -ledger["residual"][-1],
        -100.0 * ledger["residual"][-1] / ledger.turnover,
    )
    assert [float(each) for each in told.groups()] == pytest.approx(expected, rel=1e-2)  # shown in two digits or more


def test_the_warning_points_to_the_caller() -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        pc.simulate(colliding_boxes(depth="base_normal"), end_time=0.1)
    assert [each.filename for each in caught if each.category is pc.SimulationWarning] == [__file__]


def test_file_and_report_say_it_too(tmp_path: Path) -> None:
    run, _ = said(colliding_boxes(depth="base_normal"), end_time=0.1, record=tmp_path / "run.h5")
    recorded = pc.Trajectory.open(tmp_path / "run.h5")
    assert recorded.statistics["energy_warning"] == run.energy_warning != ""
    page = compare_cost([ReportRun("one", recorded)])
    assert "one: warning: the residual work of the contacts reached" in page
    assert "Warning: the residual work" in run._repr_html_()


@pytest.mark.parametrize("tolerance", [1e-4, 1e-8])
def test_a_contact_with_a_potential_says_nothing(tolerance: float) -> None:
    run, messages = said(box_over_plane(), end_time=0.7, rtol=tolerance, atol=tolerance)
    assert run.ledger["elastic"].max() > 0.5 * run.ledger.turnover
    assert messages == []
    assert run.energy_warning == ""
    assert run.trajectory.statistics["energy_warning"] == ""
    assert "warning" not in compare_cost([ReportRun("one", run.trajectory)])


def test_a_body_at_rest_says_nothing() -> None:
    """It turns over nothing but rounding, of which the residual is as much."""
    run, messages = said(box_over_plane(height=-MASS * GRAVITY / SPRING), end_time=0.2)
    assert run.ledger.turnover < 1e-9
    assert messages == []


def test_a_continued_run_does_not_answer_for_the_one_before(tmp_path: Path) -> None:
    """After the collision the boxes fly on and turn over nothing; the residual of before stays in the ledger."""
    first, messages = said(colliding_boxes(depth="base_normal"), end_time=0.1, record=tmp_path / "run.h5")
    assert len(messages) == 1
    assert not first.trajectory.pairing("a–b").in_contact[-1]
    second, messages = said(colliding_boxes(depth="base_normal"), end_time=0.11, continue_from=tmp_path / "run.h5")
    assert second.ledger.worst_residual > 0.05 * second.ledger.turnover
    assert messages == []


def ledger_of(residual: list[float], turnover: float) -> EnergyLedger:
    rows = np.zeros((len(residual), len(COLUMNS)))
    rows[:, COLUMNS.index("residual")] = residual
    rows[-1, COLUMNS.index("kinetic")] = turnover
    return EnergyLedger(np.arange(len(residual), dtype=float), rows)


SETTINGS = RunOptions(end_time=1.0)


@pytest.mark.parametrize(
    ("residual", "words"),
    [
        ([0.0, 0.049, 0.0], ""),
        (
            [0.0, -0.051, 0.0],
            "reached 0.051 J at t = 1 s, 5 % of the turnover of 1 J, and all but 0 J (0.0 %) came back",
        ),
        (
            [0.0, 0.5, 0.2],
            "50 % of the turnover of 1 J, and at the end the contacts have taken 0.2 J (20.0 %) by themselv",
        ),
        ([3.0, 3.01, 3.02], ""),
        ([0.0, 0.0], ""),
    ],
)
def test_a_twentieth_of_the_turnover_is_the_limit(residual: list[float], words: str) -> None:
    told = told_residual(ledger_of(residual, 1.0), 1e-6, SETTINGS, ())
    assert (words in told) if words else told == ""


def test_below_the_tolerance_nothing_is_said() -> None:
    assert told_residual(ledger_of([0.0, 0.5, 0.5], 1.0), 0.6, SETTINGS, ()) == ""
    assert told_residual(ledger_of([0.0, 0.5, 0.5], 1.0), 0.4, SETTINGS, ()) != ""


def test_remedies_fit_the_contacts() -> None:
    @pc.laws.contact_law("without energy")
    def silent(elements: object, parameters: object) -> None:
        pass

    distance = pc.ContactDescription(law=LAW, method=pc.contact.PolygonalMethod(depth="distance"))
    own = pc.ContactDescription(law=silent(1.0), method=pc.contact.PolygonalMethod(depth="distance"))
    ledger = ledger_of([0.0, 0.5, 0.5], 1.0)
    assert told_residual(ledger, 1e-6, SETTINGS, [distance]).endswith(
        "what may help: a finer tolerance (rtol is 0.0001), a finer mesh of the base"
    )
    assert "a method or law of your own that gives the energy" in told_residual(ledger, 1e-6, SETTINGS, [own])
    stepper = RunOptions(end_time=1.0, stepper=cast(Any, object()))
    assert "tolerance" not in told_residual(ledger, 1e-6, stepper, [distance])
