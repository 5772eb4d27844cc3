"""Markdown tables."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def table(heads: Sequence[str], rows: Iterable[Sequence[str]], numbers: Sequence[int] = ()) -> str:
    """A Markdown table; columns with a place in ``numbers`` are aligned right."""
    rules = ["---:" if i in numbers else "---" for i in range(len(heads))]
    lines = [heads, rules, *rows]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines)
