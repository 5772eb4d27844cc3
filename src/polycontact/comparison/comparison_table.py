"""A comparison on the terminal: a table of methods, what does not fit, and a table of laws for each pair."""

from __future__ import annotations

import io
import math
from typing import TYPE_CHECKING, Literal

import numpy as np

from polycontact.comparison.bounds import Expected

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from rich.console import Console
    from rich.table import Table

    from polycontact.comparison.compare import Comparison, PairComparison
    from polycontact.comparison.measuring import Row

WIDTH = 165
"""Columns of the text that a program prints, and of a terminal that has room for everything."""
ESSENTIAL = (0, 1, 2, 3, 4, 5, 10)
"""Cells of a row that are shown on a narrow terminal."""


def comparison_text(comparison: Comparison) -> str:
    """The tables as plain text."""
    from rich.console import Console

    stream = io.StringIO()
    console = Console(file=stream, width=WIDTH, markup=False, highlight=False, color_system=None)
    print_comparison(console, comparison)
    return "\n".join(line.rstrip() for line in stream.getvalue().splitlines())


def print_comparison(console: Console, comparison: Comparison) -> None:
    """Print all pairs, those that are apart, and the verdict where forces are known beforehand."""
    for pair in comparison.pairs:
        _print_pair(console, pair)
    for each in comparison.apart:
        words = "" if each.distance is None else f", {1e3 * each.distance.distance:.4g} mm apart"
        console.print(f"{each.name}: no contact in this pose{words}")
    if comparison.left_out:
        console.print(f"not compared, as they carry less: {', '.join(comparison.left_out)}")
    n = sum(isinstance(row.expected, Expected) for pair in comparison.pairs for row in pair.rows)
    if n:
        n_off = sum(len(pair.outside) for pair in comparison.pairs)
        words = f"All {n} forces are within their bounds." if not n_off else f"{n_off} of {n} forces are NOT within."
        console.print(words, style="bold red" if n_off else "bold green")


def _print_pair(console: Console, pair: PairComparison) -> None:
    console.print(pair.name, style="bold")
    for line in scale_lines(pair):
        console.print(line)
    console.print()
    is_narrow = console.width < WIDTH
    _print_table(console, _row_table(pair, ESSENTIAL if is_narrow else tuple(range(len(HEADER)))))
    if is_narrow:
        console.print(f"(angles, areas, depths and elements on a terminal of {WIDTH} columns, or with --json)")
    console.print()
    for names, reason in misfit_lines(pair):
        console.print(f"does not fit: {names}: {reason}", soft_wrap=True)
    console.print()
    _print_table(console, _law_table(pair))
    console.print()


def _print_table(console: Console, table: Table) -> None:
    """As wide as it is: a terminal that is narrower breaks lines, and a file keeps them."""
    from rich.console import Console

    colours: Literal["standard"] | None = "standard" if console.color_system else None
    wide = Console(file=console.file, width=max(WIDTH, console.width), color_system=colours, highlight=False)
    wide.print(table, soft_wrap=True)


def plain_number(value: float, digits: int = 4) -> str:
    """``value`` as text with ``digits`` significant digits."""
    return f"{value:.{digits}g}"


def scale_lines(pair: PairComparison, number: Callable[[float, int], str] = plain_number) -> tuple[str, ...]:
    """What the reference is, and what makes areas and points comparable; ``number``: how numbers are written."""
    scale = pair.scale
    force = float(np.linalg.norm(scale.force))
    return (
        f"reference: {scale.reference_words}: {number(force, 5)} N, {number(1e3 * scale.depth, 4)} mm deep; at rest",
        f"areas: c = {number(scale.c, 4)} N/m³, {scale.c_words}; points: k = {number(scale.k, 4)} N/m, {scale.k_words}",
    )


def misfit_lines(pair: PairComparison) -> list[tuple[str, str]]:
    """What does not fit, methods and laws, and why; those with one reason together."""
    by_reason: dict[str, list[str]] = {}
    for each in pair.misfits:
        by_reason.setdefault(each.reason, []).append(f"{each.label} ({'/'.join(each.forms)})")
    for law in pair.laws:
        if law.reason:
            by_reason.setdefault(law.reason, []).append(f"law {law.label} on {law.on}")
    return [(", ".join(names), reason) for reason, names in by_reason.items()]


HEADER = (
    "method",
    "bodies as",
    "force, N",
    "diff., %",
    "bounds, %",
    "",
    "angle, °",
    "area, cm²",
    "depth, mm",
    "elements",
    "time, µs",
)


def _row_table(pair: PairComparison, columns: Sequence[int]) -> Table:
    from rich.table import Table

    table = Table(box=None, padding=(0, 2, 0, 0), header_style="bold underline")
    for i in columns:
        table.add_column(HEADER[i], justify="left" if i < 2 else "right", no_wrap=True)
    for row in pair.rows:
        texts = row_texts(pair, row)
        table.add_row(*(texts[i] for i in columns), style="bold red" if pair.is_within(row) is False else None)
    return table


def row_texts(pair: PairComparison, row: Row) -> tuple[str, ...]:
    """Texts of the cells of a row, in the order of the columns; empty where a figure does not exist."""
    low, high = bound_shares(pair, row)
    within = pair.is_within(row)
    return (
        row.label,
        forms_text(row),
        f"{row.magnitude:.5g}",
        f"{100.0 * force_share(pair, row):+.2f}",
        "" if math.isnan(low) else f"{100.0 * low:+.2f} … {100.0 * high:+.2f}",
        "" if within is None else "ok" if within else "OUT",
        _number(math.degrees(angle(pair, row)), ".2f"),
        _number(1e4 * row.area, ".4g"),
        f"{1e3 * row.depth:.4g}",
        str(row.elements),
        _number(1e6 * row.time, ".0f"),
    )


def forms_text(row: Row) -> str:
    """The forms that both bodies have in a row, one word where they are the same."""
    e, f = row.trial.forms
    return e if e == f else f"{e}/{f}"


def force_share(pair: PairComparison, row: Row) -> float:
    """Difference of the force along the reference's, as a share of that."""
    return pair.normal_force(row) / float(np.linalg.norm(pair.reference)) - 1.0


def bound_shares(pair: PairComparison, row: Row) -> tuple[float, float]:
    """Least and greatest difference that is allowed; nan where nothing is known."""
    if not isinstance(row.expected, Expected):
        return math.nan, math.nan
    whole = float(np.linalg.norm(pair.reference))
    return row.expected.low / whole - 1.0, row.expected.high / whole - 1.0


def angle(pair: PairComparison, row: Row) -> float:
    """Between the force of a row and the reference's, rad; nan where there is none."""
    if row.magnitude == 0.0:
        return math.nan
    along = row.force / row.magnitude
    sine = float(np.linalg.norm(np.cross(along, pair.scale.normal)))
    return math.atan2(sine, float(along @ pair.scale.normal))


def _law_table(pair: PairComparison) -> Table:
    from rich.table import Table

    table = Table(box=None, padding=(0, 2, 0, 0), header_style="bold underline")
    for name in ("law", "on"):
        table.add_column(name, no_wrap=True)
    for name in ("parameter", "force, N", "dF/du, N/m"):
        table.add_column(name, justify="right", no_wrap=True)
    for each in pair.laws:
        if not each.reason:
            table.add_row(each.label, each.on, each.parameter, f"{each.force:.5g}", f"{each.stiffness:.4g}")
    return table


def _number(value: float, form: str) -> str:
    return "–" if math.isnan(value) else f"{value:{form}}"
