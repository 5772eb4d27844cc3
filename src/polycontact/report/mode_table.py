"""The table of the modes of a linearised system on the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.table import Table

from polycontact.wording import counted

if TYPE_CHECKING:
    from rich.console import Console

    from polycontact.statics.linearise import Linearisation
    from polycontact.statics.modes import Mode

MOST_ROWS = 30
"""Modes that are shown."""


def print_modes(screen: Console, found: Linearisation) -> None:
    """Print all modes, the slowest first, notes and how large the system is."""
    table = Table(title=f"modes of {found.system.name or 'the system'}", title_justify="left")
    for name in ("", "frequency, Hz", "damping ratio", "what moves"):
        table.add_column(name, justify="left" if name in ("", "what moves") else "right")
    for mode in found.modes[:MOST_ROWS]:
        table.add_row(*_row(mode))
    if len(found.modes) > MOST_ROWS:
        table.caption = f"and {len(found.modes) - MOST_ROWS} more, in the JSON output"
    screen.print(table)
    for note in found.notes:
        screen.print(f"note: {note}", soft_wrap=True)
    screen.print(
        f"{counted(len(found.displacements), 'independent displacement')}, {counted(len(found.states), 'state')}, "
        f"{counted(len(found.inputs), 'input')}, {counted(len(found.outputs), 'output')}"
    )


def _row(mode: Mode) -> tuple[str, ...]:
    if mode.kind == "free":
        return "free", "0", "–", mode.words
    if mode.eigenvalue.imag == 0.0:
        return mode.kind, f"{abs(mode.eigenvalue.real):.4g}/s", "–", mode.words
    return mode.kind, f"{mode.frequency:.5g}", f"{mode.damping_ratio:.3g}", mode.words
