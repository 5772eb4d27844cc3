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
    if comparison.study is not None:
        screen.print(f"\n{comparison.study.title}", style="bold underline")
        for finding in comparison.findings:
            screen.print(f"- {finding.verdict}: {finding.text}", soft_wrap=True)


def response_text(comparison: ResponseComparison) -> str:
    """What `print_responses` prints, as text."""
    from rich.console import Console

    out = StringIO()
    print_responses(Console(file=out, width=160, markup=False, highlight=False), comparison)
    return out.getvalue()


def _table(content: TextTable) -> Table:
    from rich.table import Table

    table = Table(
        title=content.title,
        title_justify="left",
        title_style="bold underline",
        caption=content.note or None,
        caption_justify="left",
    )
    names = 2 if content.header[1:2] == ["response"] else 1
    for i, name in enumerate(content.header):
        table.add_column(name, justify="left" if i < names else "right", no_wrap=i < names)
    for row in content.rows:
        table.add_row(*row)
    return table
