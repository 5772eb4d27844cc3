"""What others published beside what came out, on the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from proof.validation.finding import Validation

if TYPE_CHECKING:
    from rich.console import Console


def print_validation(console: Console, case: Validation) -> None:
    """A table a case, one row a number."""
    from rich.table import Table

    table = Table(box=None, padding=(0, 3, 0, 0), header_style="bold underline", title=case.title, title_justify="left")
    table.add_column("")
    for name in ("published", "here", "off by", "bound", ""):
        table.add_column(name, justify="right", no_wrap=True)
    for each in case.findings:
        table.add_row(
            each.quantity,
            f"{each.published:.5g} {each.unit}".rstrip(),
            f"{each.ours:.5g} {each.unit}".rstrip(),
            f"{each.error:.1e}",
            f"{each.bound:.1e}",
            "ok" if each.ok else "FAIL",
            style=None if each.ok else "bold red",
        )
    console.print(table)
    console.print(case.source, style="dim", soft_wrap=True)
    console.print()
