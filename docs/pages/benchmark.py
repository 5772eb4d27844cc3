"""The page of measured speed, from the stored figures of `python3 dev.py bench --json`."""

from __future__ import annotations

from typing import Any

from pages.plots import evaluation_plots
from pages.tables import table

INTRODUCTION = """\
# Benchmark

Figures of `python3 dev.py bench` on {processor} ({system}, Python {python}, Numba {numba}), a machine shared with other
work: medians of CPU time, taken in turns with the other programs. Absolute times change from day to day; ratios and
counters do not, or little. Measure on your machine:

```bash
python3 dev.py bench
```
"""

PARTS = ("contacts", "dynamics", "recording", "integrator")


def page(stored: dict[str, Any]) -> str:
    """Tables of all parts that have been measured."""
    parts = [INTRODUCTION.format(**stored["machine"])]
    for key, make in (
        ("simulations", _simulations),
        ("rest", _rest),
        ("culling", _culling),
        ("cases", _cases),
        ("threads", _threads),
        ("calls", _calls),
        ("targets", _targets),
    ):
        if stored.get(key):
            parts.append(make(stored))
    return "\n".join(parts)


def _simulations(stored: dict[str, Any]) -> str:
    rows, splits = [], []
    for cost in stored["simulations"]:
        peer = cost["peer"]
        low, high = cost["spread"]
        rows.append(
            [
                cost["name"],
                f"{cost['real_time_factor']:.2f} ({low:.2f}–{high:.2f})",
                "" if peer is None else f"{peer:.2f}",
                "" if peer is None else f"{cost['real_time_factor'] / peer:.2f}",
                f"{cost['evaluations']:,}",
                f"{cost['steps']:,}",
                str(cost["jacobians"]),
                f"{100 * cost['worst_balance'] / cost['turnover']:.2f} %",
            ]
        )
        splits.append([cost["name"], *(f"{cost['split'][part]:.0f}" for part in PARTS)])
    heads = [
        "scenario",
        "CPU s per s",
        "MuJoCo",
        "ratio",
        "evaluations",
        "steps",
        "Jacobians",
        "balance",
    ]
    text = f"""\
## Simulations

The [bubbles](../scenarios.md#bubbles) for 3 s with tolerances of 2e-4, the [pedestrian](../scenarios.md#pedestrian) for
1.5 s with 1e-3, recorded to a file. MuJoCo runs the bubbles in the same minute, as signed distance fields with steps of
1 ms and its own contact model: only the cost is compared. In brackets the least and the most of five runs. Balance: the
largest error of the [energy balance](../dynamics.md#the-energy-ledger) over the largest change of an energy.

{table(heads, rows, range(1, len(heads)))}

Where an evaluation of the equations of motion spends its time, µs:

{table(["scenario", *PARTS], splits, range(1, 5))}
"""
    text += _paper(stored)
    if stored.get("far_body"):
        text += f"\nA body that is far from all others adds {stored['far_body']:.2f} µs to an evaluation.\n"
    return text


def _paper(stored: dict[str, Any]) -> str:
    """Counters beside those of Tables 1 and 2 of the paper."""
    from polycontact.report.paper_tables import MACHINE, PAPER_TABLES

    rows = []
    for name, ours in (("bubbles", "bubbles"), ("pedestrian", "pedestrian, v_ε = 0.01 m/s")):
        cost = next(each for each in stored["simulations"] if each["name"] == ours)
        step = {"bubbles": 3.0, "pedestrian": 1.5}[name] / cost["steps"]
        rows.append(
            [
                name,
                "polycontact, CVODE-BDF",
                f"{1e3 * step:.1f} ms",
                f"{cost['evaluations']:,}",
                str(cost["jacobians"]),
                f"{cost['real_time_factor']:.2f}",
            ]
        )
        for column in PAPER_TABLES[name]:
            jacobians = "" if column.jacobians is None else str(column.jacobians)
            rows.append(
                [
                    name,
                    f"paper, {column.integrator}",
                    f"{1e3 * column.mean_step:.1f} ms",
                    f"{column.evaluations:,}",
                    jacobians,
                    f"{column.real_time_factor:g}",
                ]
            )
    heads = ["scenario", "", "mean step", "evaluations", "Jacobians", "CPU s per s"]
    return f"""
Beside Tables 1 and 2 of the paper, whose times are of a {MACHINE}. Our evaluations include those of
finite-difference Jacobians. The pedestrian's shapes, stops and start are not the paper's.

{table(heads, rows, range(2, 6))}
"""


def _rest(stored: dict[str, Any]) -> str:
    times = stored["rest"][0]["times"]
    heads = ["integrator", "v_ε", *(f"to {time:g} s" for time in times)]
    rows = [
        [
            f"`{phase['integrator']}`",
            f"{phase['friction_velocity']:g} m/s",
            *(f"{rate:,}" for rate in phase["rates"]),
        ]
        for phase in stored["rest"]
    ]
    return f"""\
## The pedestrian comes to rest

The paper reports that integration slows down once the man lies nearly motionless. Evaluations per simulated second in
each half second of a longer run, for three velocities of the friction law and an explicit integrator:

{table(heads, rows, range(2, len(heads)))}

One run each, of a chaotic motion ([what it means](../dynamics.md#rest)).
"""


def _culling(stored: dict[str, Any]) -> str:
    c = stored["culling"]
    theirs = c["paper"]
    rows = [
        ["pairs of triangles", f"{c['pairs']:,}", f"{theirs['pairs']:,}"],
        ["checks of boxes", f"{c['bv_checks']:,}", f"{theirs['bv_checks']:,}"],
        ["checks of triangles", f"{c['triangle_checks']:,}", f"{theirs['triangle_checks']:,}"],
        ["intersection lines", f"{c['lines']:,}", f"{theirs['lines']:,}"],
    ]
    return f"""\
## What bounding volumes save

An upper leg against a car body, as in Fig. 3 of the paper; ours are meshes of {c["triangles"][0]:,} and
{c["triangles"][1]:,} triangles, the paper's were others.

{table(["", "polycontact", "paper"], rows, (1, 2))}
"""


def _cases(stored: dict[str, Any]) -> str:
    peers = [name for name, version in stored["peers"].items() if version is not None]
    versions = ", ".join(f"{name} {stored['peers'][name]}" for name in peers)
    heads = ["triangles", "poses", "", "polycontact, µs", *(f"÷ {name}" for name in peers)]
    heads += ["box checks", "triangle checks", "lines", "elements"]
    rows = []
    for case in stored["cases"]:
        ratios = [f"{case['peers'][name]['ratio']:.2f}" if name in case["peers"] else "" for name in peers]
        counters = case["counters"]
        rows.append(
            [
                f"{case['triangles'][0]:,}",
                case["family"],
                case["mode"],
                f"{case['time']:,.0f}",
                *ratios,
                *(f"{counters[name]:,.0f}" for name in ("bv_checks", "triangle_checks", "lines", "elements")),
            ]
        )
    return f"""\
## Single evaluations

Two bubbles, one evaluation with force and torque, beside the collision queries of other libraries ({versions}) on the
same meshes and poses, which find the intersecting triangles and no force. "cold": unrelated poses; "coherent":
successive ones, as in a simulation.

{evaluation_plots(stored)}

{table(heads, rows, (0, *range(3, len(heads))))}
"""


def _threads(stored: dict[str, Any]) -> str:
    nut, bolt = stored["threads"][0]["triangles"]
    counters = ("bv_checks", "triangle_checks", "lines", "searches", "elements")
    peers = list(dict.fromkeys(name for cost in stored["threads"] for name in cost.get("peers", {})))
    counted = ["box checks", "triangle checks", "lines", "searches", "elements"]
    heads = ["depth", "pressed", "step, rad", "µs", *peers, *counted]
    rows = [
        [
            f"`{cost['depth']}`",
            {"light": "lightly", "firm": "firmly"}.get(cost["load"], cost["load"]),
            f"{cost['step']:g}",
            f"{cost['time']:,.0f}",
            *(f"{cost['peers'][name]:,.0f}" if name in cost.get("peers", {}) else "" for name in peers),
            *(f"{cost[name]:,.0f}" for name in counters),
            f"{100 * cost['tree_searches']:.0f} %",
        ]
        for cost in stored["threads"]
    ]
    return f"""\
## A nut on its bolt

One evaluation with force and torque of the [nut on its bolt](../scenarios.md#edges-flanks-threads-and-teeth),
{nut:,} and {bolt:,} triangles, where everything is near everything along many turns. The nut is screwed along in steps
of an angle, pressed on its flanks: lightly, where facets touch facets in thousands of slivers, or firmly, where the
flanks are inside as a whole. Searches: for nearest triangles, or along lines with the paper's depth. Trees: share of
the poses at which they are searched anew. Peers only list the pairs of triangles that meet, at a few of the poses.

{table([*heads, "trees"], rows, range(2, len(heads) + 1))}
"""


def _calls(stored: dict[str, Any]) -> str:
    calls, imports, large = stored["calls"], stored["imports"], stored["large_surface"]
    rows = [
        ["`wrench`, 950 triangles each, slight contact", f"{calls['wrench']:.1f} µs"],
        ["`evaluate`, the same", f"{calls['evaluate']:.1f} µs"],
        ["`wrench` far from contact", f"{calls['far']:.1f} µs"],
        ["`import polycontact`", f"{imports['package']:.2f} s"],
        [f"load {large['triangles']:,} triangles from STL", f"{large['load']:.1f} s"],
        ["check them", f"{large['check']:.1f} s"],
        ["prepare them for contact", f"{large['prepare']:.1f} s"],
    ]
    if large.get("peak"):
        rows.append(["peak memory of that", f"{large['peak']:.0f} MB"])
    return f"## Calls, import, large surfaces\n\n{table(['', 'CPU'], rows, (1,))}\n"


def _targets(stored: dict[str, Any]) -> str:
    words = {True: "met", False: "**not met**", None: "not measured"}
    rows = [
        [
            each["name"],
            "" if each["value"] is None else f"{each['value']:.3g}",
            f"{each['limit']:g}",
            each["unit"],
            words[each["met"]],
        ]
        for each in stored["targets"]
    ]
    return f"## Targets\n\n{table(['', 'figure', 'at most', 'unit', ''], rows, (1, 2))}\n"


README_SIZES = (950, 100_000)
README_POSES = {
    ("slight", "cold"): "in contact, unrelated poses",
    ("slight", "coherent"): "in contact, successive poses, as in a simulation",
    ("near", "cold"): "boxes overlap, no contact",
    ("conforming", "cold"): "one body deep in a hollow of the other",
}
"""Rows of the README's table: family and mode of the benchmark's cases."""


def for_readme(stored: dict[str, Any]) -> str:
    """What the README says of speed."""
    processor = stored["machine"]["processor"]
    bubbles = next(cost for cost in stored["simulations"] if cost["name"] == "bubbles")
    man = next(cost for cost in stored["simulations"] if cost["name"] == "pedestrian, v_ε = 0.01 m/s")
    simulated = table(
        ["scenario", "polycontact", "MuJoCo", "paper, 2003"],
        [
            ["bubbles", f"**{bubbles['real_time_factor']:.2f}**", f"{bubbles['peer']:.2f}", "92"],
            ["pedestrian", f"**{man['real_time_factor']:.2f}**", "", "192"],
        ],
        (1, 2, 3),
    )
    return f"""\
Whole simulations, CPU seconds per simulated second, on {processor}, shared with other work. MuJoCo runs the
bubbles as signed distance fields in steps of 1 ms, with its own contact model, so that accuracy is not matched. The
pedestrian is that with v_ε = 0.01 m/s. The paper's figures are of a Pentium III, 1133 MHz.

{simulated}

One evaluation of two bubbles, with forces (the paper's depth), beside the collision queries of coal and python-fcl on
the same meshes and poses, which find the intersecting triangles and no force. Medians of CPU time; "÷": our time over
theirs.

{_readme_cases(stored)}

A call far from contact takes {stored["calls"]["far"]:.1f} µs; a body far from all others adds
{stored["far_body"]:.1f} µs to an evaluation of a system. A million triangles are loaded, checked and prepared in
{stored["large_surface"]["total"]:.0f} s and {stored["large_surface"]["peak"] / 1e3:.1f} GB.
"""


def _readme_cases(stored: dict[str, Any]) -> str:
    rows = []
    for size in README_SIZES:
        for (family, mode), words in README_POSES.items():
            found = [
                case for case in stored["cases"] if (case["size"], case["family"], case["mode"]) == (size, family, mode)
            ]
            for case in found:
                ratios = [f"{case['peers'][name]['ratio']:.2f}" for name in ("coal", "python-fcl")]
                rows.append([f"{size:,}", words, _time(case["time"]), *ratios])
    return table(["triangles each", "poses", "polycontact", "÷ coal", "÷ python-fcl"], rows, (0, 2, 3, 4))


def _time(microseconds: float) -> str:
    return f"{microseconds:.0f} µs" if microseconds < 1000.0 else f"{microseconds / 1000.0:.1f} ms"
