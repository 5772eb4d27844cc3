"""Errors of forces at equal triangle counts as a table on a console."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from proof.bench.accuracy import AccuracyResult

if TYPE_CHECKING:
    from rich.console import Console

ACCURACY_NOTE = (
    "Worst error of the force over all orientations, relative to the smooth body; 2 % of the radius deep. An overlap "
    "of meshes counts as c times its volume: its error is that of the mesh itself."
)


def print_accuracy(console: Console, result: AccuracyResult) -> None:
    """One row a body and mesh; a line for each peer that is not installed."""
    from rich.box import SIMPLE
    from rich.table import Table

    names = list(result.rows[0].errors) if result.rows else []
    table = Table(title="Accuracy at equal triangle counts", box=SIMPLE, padding=(0, 1, 0, 0), pad_edge=False)
    table.add_column("body")
    for name in ("triangles", *names):
        table.add_column(name, justify="right", min_width=max(map(len, name.split())))
    for body, rows in groupby(result.rows, key=lambda row: row.body):
        for k, row in enumerate(rows):
            errors = (f"{100.0 * row.errors[name]:+.3g} %" for name in names)
            table.add_row("" if k else body, str(row.triangles), *errors)
        table.add_section()
    console.print(table)
    console.print(ACCURACY_NOTE, soft_wrap=True)
    for line in result.missing:
        console.print(line, soft_wrap=True)
