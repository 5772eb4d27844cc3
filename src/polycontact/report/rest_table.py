"""The tables of an equilibrium on the terminal: contacts, reactions, motions about it, and what one should know."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from rich.table import Table

from polycontact.wording import counted, format_vector

if TYPE_CHECKING:
    from rich.console import Console

    from polycontact.statics.resting import Equilibrium

MOST_ROWS = 20
"""Rows of contacts, joints and motions that are shown."""


def print_equilibrium(screen: Console, found: Equilibrium) -> None:
    """Print all that an equilibrium tells, the verdict last."""
    if found.contacts:
        screen.print(_contact_table(found))
    if reactions := _reaction_table(found):
        screen.print(reactions)
    screen.print(_motion_table(found))
    for note in found.notes:
        screen.print(f"note: {note}", soft_wrap=True)
    verdict = "rests" if found.is_stable else "is in equilibrium, but does not stay there"
    left = f"{found.residual.force:.2g} N and {found.residual.torque:.2g} N m"
    effort = f"{counted(found.steps, 'step')} with {counted(found.evaluations, 'evaluation')}"
    screen.print(
        f"{found.system.name or 'the system'} {verdict}: {left} are left beside loads of up to {found.load:.4g} N, "
        f"after {effort}",
        style="bold green" if found.is_stable else "bold yellow",
        soft_wrap=True,
    )


def _contact_table(found: Equilibrium) -> Table:
    title = f"contacts at t = {found.time:g} s"
    table = Table(title=title, title_justify="left")
    for name in ("contact", "force, N", "on the first body, N", "depth, µm", "pressure, MPa"):
        table.add_column(name, justify="left" if name == "contact" else "right")
    for each in sorted(found.contacts, key=lambda row: -row.magnitude)[:MOST_ROWS]:
        table.add_row(
            each.name,
            f"{each.magnitude:.5g}",
            format_vector(_without_noise(each.force, found.load), 4),
            f"{1e6 * each.depth:.4g}",
            f"{1e-6 * each.pressure:.4g}",
        )
    return _told_rest(table, len(found.contacts))


def _reaction_table(found: Equilibrium) -> Table | None:
    reactions, system = found.evaluation.reactions, found.system
    rows = [(name, reactions.joint(name)) for name in system.joints]
    rows += [(name, reactions.loop(name)) for name in system.loops]
    if not rows:
        return None
    table = Table(title="forces in joints and loops, on the child", title_justify="left")
    for column in ("joint", "force, N", "torque, N m"):
        table.add_column(column, justify="left" if column == "joint" else "right")
    for name, each in rows[:MOST_ROWS]:
        force, torque = _without_noise(each.force, found.load), _without_noise(each.torque, found.load * found.size)
        table.add_row(name, format_vector(force, 4), format_vector(torque, 4))
    return _told_rest(table, len(rows))


def _motion_table(found: Equilibrium) -> Table:
    table = Table(title="motions about the rest", title_justify="left")
    table.add_column("frequency, Hz", justify="right")
    table.add_column("what moves")
    for each in found.motions[:MOST_ROWS]:
        told = "runs away" if each.runs_away else "free" if each.is_free else f"{each.frequency:.4g}"
        table.add_row(told, each.words)
    return _told_rest(table, len(found.motions))


def _told_rest(table: Table, n: int) -> Table:
    if n > MOST_ROWS:
        table.caption = f"and {n - MOST_ROWS} more, in the JSON output"
    return table


def _without_noise(vector: np.ndarray, scale: float) -> np.ndarray:
    """A vector without what is rounding beside the loads."""
    return np.where(np.abs(vector) <= 1e-7 * scale, 0.0, vector)
