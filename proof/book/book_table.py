"""What came out of the book, on the terminal and as a record for JSON."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from proof.book.making import MadeBook

if TYPE_CHECKING:
    from rich.console import Console


def print_book(console: Console, book: MadeBook) -> None:
    """One row a page, what is off in full, and where the book lies."""
    from rich.table import Table

    table = Table(box=None, padding=(0, 3, 0, 0), header_style="bold underline")
    table.add_column("Verification book", no_wrap=True)
    for name in ("limits", "worst share", "s", ""):
        table.add_column(name, justify="right", no_wrap=True)
    for made in book.pages:
        page = made.page
        cells = (str(len(page.checks)), f"{page.worst:.2g}", f"{made.seconds:.1f}", "ok" if page.ok else "FAIL")
        table.add_row(made.problem.title, *cells, style=None if page.ok else "bold red")
    console.print(table)
    for made in book.pages:
        for check in made.page.checks:
            if not check.ok:
                sign = "at least" if check.at_least else "at most"
                text = f"{made.problem.title}: {check.what}: {check.value:.3g} {check.unit}".rstrip()
                console.print(f"{text}, {sign} {check.limit:.3g}", style="bold red", soft_wrap=True)
    console.print(f"written to {book.index}", soft_wrap=True)


def book_record(book: MadeBook) -> dict[str, Any]:
    """The book as one JSON object; a number that is not finite becomes None."""
    return {
        "ok": book.ok,
        "index": str(book.index),
        "pages": [
            {
                "key": made.problem.key,
                "group": made.problem.group,
                "title": made.problem.title,
                "ok": made.page.ok,
                "result": made.page.figure,
                "seconds": made.seconds,
                "checks": [
                    {
                        "what": check.what,
                        "value": check.value if math.isfinite(check.value) else None,
                        "limit": check.limit,
                        "unit": check.unit,
                        "at_least": check.at_least,
                        "ok": check.ok,
                    }
                    for check in made.page.checks
                ],
            }
            for made in book.pages
        ],
    }
