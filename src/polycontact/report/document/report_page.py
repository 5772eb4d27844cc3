"""The page of the report, from its sections."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from html import escape
from typing import Any

from polycontact.errors import SimulationError
from polycontact.replacing import write_whole
from polycontact.report.document.chart_script import chart_data, chart_script, plotly_script
from polycontact.report.document.contact_section import (
    contact_panel,
    contact_timeline,
    event_table,
    find_loads,
    load_table,
    ranking,
)
from polycontact.report.document.cost import compare_cost
from polycontact.report.document.energies import energy_panel
from polycontact.report.document.markup import Section, chart, count, fold, heading, number, paragraph, section_html
from polycontact.report.document.mesh_section import mesh_table
from polycontact.report.document.motion import body_panel, joint_panel
from polycontact.report.document.named_runs import ReportRun, name_runs
from polycontact.report.document.panels import Panel, Timeline, in_units
from polycontact.report.document.pictures import playback, still_pictures
from polycontact.report.document.reaction_section import (
    describe_reactions,
    drive_panel,
    force_panel,
    reaction_panel,
)
from polycontact.report.document.series import Thinning
from polycontact.report.document.system_section import describe_settings, describe_system
from polycontact.report.html_page import document, filled, static_text
from polycontact.simulation.recording.trajectory import Trajectory
from polycontact.unit_choice import UnitChoice, Units, choose_units

SIZE_LIMIT = 10.0
"""Size of a report, MB, that it does not exceed for its playbacks unless that is asked for: what mail takes."""


def make_report(
    trajectories: Sequence[Trajectory],
    *,
    labels: Sequence[str] | None = None,
    title: str | None = None,
    pictures: bool = True,
    with_playback: bool = True,
    units: Units = None,
    size_limit: float | None = SIZE_LIMIT,
) -> str:
    """The HTML text of a report of one run, or of several side by side.

    ``labels``: how the runs are called; ``pictures``: with still pictures, which need Pillow; ``with_playback``: with
    the 3D playback, which adds to the size; ``units`` of charts and tables, as for `Trajectory.plot`, by default SI
    units with the prefix that is read most easily; ``size_limit`` (MB) of the page: playbacks have fewer frames where
    it would be larger, and the page says so; None for no limit. The package plotly is needed.
    """
    return build_page(name_runs(trajectories, labels), title, pictures, with_playback, units, size_limit)


def write_report(path: str | os.PathLike[str], runs: list[ReportRun], **options: Any) -> int:
    """Write the report of runs to ``path``; returns its length in bytes."""
    data = build_page(runs, **options).encode("utf-8")
    try:
        write_whole(path, data)
    except OSError as error:
        raise SimulationError(
            f"{path}: the report cannot be written: {error.strerror}; choose another place with --output"
        ) from error
    return len(data)


def build_page(
    runs: list[ReportRun],
    title: str | None = None,
    pictures: bool = True,
    with_playback: bool = True,
    units: Units = None,
    size_limit: float | None = SIZE_LIMIT,
) -> str:
    """The page: sections, table of contents, data of the charts and the scripts that draw them."""
    if size_limit is not None and not size_limit > 0.0:
        raise SimulationError(f"size_limit is {size_limit:g} MB; give a positive number, or None for no limit")
    chosen = choose_units(units)
    plotly = plotly_script()
    loads = find_loads(runs)
    found = [
        body_panel(runs),
        joint_panel(runs),
        energy_panel(runs),
        contact_panel(runs, loads),
        reaction_panel(runs),
        drive_panel(runs),
        force_panel(runs),
    ]
    panels: list[Panel | Timeline] = [in_units(panel, chosen) for panel in found if panel is not None]
    if ranking(loads):
        panels.append(contact_timeline(runs, loads))
    shown = {panel.key for panel in panels}
    thinnings = [Thinning(run.trajectory.time) for run in runs]
    sections = [
        Section("system", "What was simulated", _system(runs, pictures)),
        Section("contact", "Contacts", _contacts(runs, loads, shown, chosen)),
        Section("motion", "Motion", _motion(shown, thinnings)),
        Section("reactions", "Joints and forces", describe_reactions(runs, shown, chosen)),
        Section(
            "energy",
            "Energies",
            chart("energies") if "energies" in shown else paragraph("No energies are recorded."),
        ),
        Section("cost", "Integration", compare_cost(runs) + heading("Settings") + describe_settings(runs)),
    ]
    name = title or _title(runs)
    if with_playback:
        fixed = len(plotly) + sum(len(each.body) for each in sections)
        sections.insert(1, Section("playback", "Playback", _playbacks(runs, _room(runs, panels, fixed, size_limit))))
    data = chart_data([run.label for run in runs], panels, thinnings)
    body = filled(
        _static("page.html"),
        title=escape(name),
        facts=_facts(runs),
        contents=_contents(sections),
        sections="".join(map(section_html, sections)),
        plotly=plotly,
        data=data,
        script=chart_script(),
    )
    return document(title=f"{escape(name)} · polycontact report", style=_static("page.css"), body=body)


def _title(runs: list[ReportRun]) -> str:
    names = list(dict.fromkeys(run.scenario or run.label for run in runs))
    return names[0] if len(runs) == 1 else f"{', '.join(names)}: {len(runs)} runs compared"


def _facts(runs: list[ReportRun]) -> str:
    """Table of the main figures of the runs, at the top of the page."""
    first = runs[0].trajectory
    about = first.description
    facts = [
        ("simulated", f"{number(float(first.time[-1] - first.time[0]))} s"),
        ("bodies", str(len(about.bodies))),
        ("triangles", f"{sum(len(s.triangles) for b in about.bodies for s in b.shapes):,}".replace(",", " ")),
        ("pairings", str(len(about.pairings))),
    ]
    if len(runs) == 1:
        facts += [("status", first.status)]
        if "real_time_factor" in first.statistics:
            facts += [("real-time factor", number(first.statistics["real_time_factor"], 2))]
        if "integrator" in first.statistics:
            facts += [("integrator", str(first.statistics["integrator"]))]
    else:
        facts.insert(0, ("runs", str(len(runs))))
    return "".join(f"<div><dt>{escape(name)}</dt><dd>{escape(value)}</dd></div>" for name, value in facts)


def _contents(sections: list[Section]) -> str:
    return "".join(f'<li><a href="#{each.key}">{escape(each.title)}</a></li>' for each in sections)


def _system(runs: list[ReportRun], pictures: bool) -> str:
    """Section about the simulated systems; runs of the same system share one."""
    parts = []
    seen: list[str] = []
    for run in runs:
        text = describe_system(run)
        stills = still_pictures(run) if pictures else ""
        if len(runs) == 1:
            return stills + text
        same = text in seen
        seen.append(text)
        body = stills + (paragraph(f"The same system as {runs[seen.index(text)].label}.", "note") if same else text)
        parts.append(fold(f"{run.label} ({run.scenario})", body, is_open=run is runs[0]))
    return "".join(parts)


def _room(runs: list[ReportRun], panels: list[Panel | Timeline], fixed: int, size_limit: float | None) -> float:
    """Bytes that the playback of each run may take, where the rest of the page takes ``fixed`` and data of charts."""
    if size_limit is None:
        return math.inf
    thinnings = [Thinning(run.trajectory.time) for run in runs]
    charts = len(chart_data([run.label for run in runs], panels, thinnings))
    return max(1e6 * size_limit - fixed - charts, 0.0) / len(runs)


def _playbacks(runs: list[ReportRun], most_bytes: float) -> str:
    if len(runs) == 1:
        return playback(runs[0], most_bytes)
    return "".join(fold(run.label, playback(run, most_bytes), is_open=run is runs[0]) for run in runs)


def _motion(shown: set[str], thinnings: list[Thinning]) -> str:
    parts = [
        heading("Bodies"),
        paragraph(
            "Origins of the bodies, world axes; bodies that stay as they are, and axes along which none moves, are "
            "left out.",
            "note",
        ),
        chart("bodies"),
    ]
    if "joints" in shown:
        note = "Of joints with quaternions the angle of the rotation is shown."
        parts += [heading("Joints"), paragraph(note, "note"), chart("joints")]
    if any(thinning.is_thinned for thinning in thinnings):
        text = f"Curves show the least and the greatest value of each of {len(thinnings[0].times) // 2} pieces of time."
        parts.append(paragraph(text, "note"))
    return "".join(parts)


def _contacts(runs: list[ReportRun], loads: list[Any], shown: set[str], units: UnitChoice) -> str:
    if not any(run.trajectory.pairings for run in runs):
        return paragraph("The run has no contact pairings.")
    if "contacts" not in shown:
        names = count(sum(len(run.trajectory.pairings) for run in runs), "pairing")
        return paragraph(f"Nothing touched: {names} had no contact at any sample.")
    return (
        heading("Loads")
        + load_table(runs, loads, units)
        + paragraph(_where_peaks_come_from(runs), "note")
        + mesh_table(runs)
        + heading("When pairings touch")
        + chart("timeline")
        + heading("Over time")
        + chart("contacts")
        + heading("Events")
        + event_table(runs)
    )


def _where_peaks_come_from(runs: list[ReportRun]) -> str:
    if any(run.trajectory.peaks.from_samples for run in runs):
        return "Greatest values are those of the samples: what was there between them may have been more."
    return "Greatest forces, depths and pressures are those of all accepted steps, whenever samples were taken."


def _static(name: str) -> str:
    return static_text("polycontact.report.document", name)
