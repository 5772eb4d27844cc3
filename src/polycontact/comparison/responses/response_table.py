"""A comparison of responses on the terminal."""

from __future__ import annotations

from io import StringIO
from typing import TYPE_CHECKING

from polycontact.comparison.responses.response_rows import TextTable, remarks_of, tables_of

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from polycontact.comparison.responses.response_comparison import ResponseComparison


def print_responses(screen: Console, comparison: ResponseComparison) -> None:
    """Print tables, remarks and findings."""
    screen.print(f"{comparison.name}: the same scenario with every contact response", style="bold")
    for each in tables_of(comparison):
        screen.print(_table(each))
    for label, reason in remarks_of(comparison):
        screen.print(f"{label}: {reason}", style="yellow", soft_wrap=True)
    if comparison.study is None:
        return
    screen.print(f"\n{comparison.study.title}", style="bold underline")
    if comparison.study.figure is None:
        screen.print(
            f"What of it agrees with the source: python3 dev.py figures {comparison.name}, in polycontact's repository",
            soft_wrap=True,
        )
    else:
        for finding in comparison.findings:
            screen.print(f"- {finding.verdict}: {finding.text}", soft_wrap=True)


def response_text(comparison: ResponseComparison) -> str:
    """What `print_responses` prints, as text."""
    from rich.console import Console

    out = StringIO()
    print_responses(Console(file=out, width=160, markup=False, highlight=False), comparison)
    return out.getvalue()


def _table(content: TextTable) -> Table:
    """The table, narrow: a contact's name has a row of its own above those of its responses."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    grouped = content.header[1:2] == ["response"]
    header = content.header[1:] if grouped else content.header
    table = Table(
        title=content.title,
        title_justify="left",
        title_style="bold underline",
        caption=content.note or None,
        caption_justify="left",
        box=SIMPLE_HEAD,
        padding=(0, 1, 0, 0),
    )
    for i, name in enumerate(header):
        cells = [row[i + grouped] for row in content.rows if i]  # numbers stay whole, labels may wrap
        widest = max(len(text) for text in (*name.split(), *cells))
        table.add_column(name, justify="right" if i else "left", min_width=widest)
    last = ""
    for row in content.rows:
        if grouped and row[0] != last:
            table.add_row(row[0], style="bold")
            last = row[0]
        table.add_row(*(row[1:] if grouped else row))
    return table
