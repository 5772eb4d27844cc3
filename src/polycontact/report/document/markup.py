"""Pieces of HTML: escaped text, tables, folds, sections."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape


@dataclass(frozen=True)
class Section:
    """A part of the page: ``key`` for links, ``title``, and its HTML."""

    key: str
    title: str
    body: str


def section_html(section: Section) -> str:
    """A section with its heading."""
    return f'<section id="{section.key}"><h2>{escape(section.title)}</h2>{section.body}</section>'


def table(
    header: Sequence[str],
    rows: Sequence[Sequence[str]],
    *,
    numbers_from: int = 1,
    faint_from: int | None = None,
    numbers_to: int = 99,
    sums: bool = False,
) -> str:
    """A table of texts, which are escaped; columns ``numbers_from`` to ``numbers_to`` are set flush right.

    Columns from ``faint_from`` on are set back: for comparison. ``sums``: the last row adds up the others.
    """

    def cells(tag: str, texts: Sequence[str]) -> str:
        return "".join(
            _cell(tag, text, i == 0, numbers_from <= i < numbers_to, faint_from is not None and i >= faint_from)
            for i, text in enumerate(texts)
        )

    head = cells("th", [_keep_unit(text) for text in header])
    kinds = [""] * (len(rows) - 1) + [' class="sum"' if sums else ""]
    body = "".join(f"<tr{kind}>{cells('td', row)}</tr>" for kind, row in zip(kinds, rows, strict=True)) if rows else ""
    return f'<div class="table"><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>'


def fold(summary: str, body: str, *, is_open: bool = False) -> str:
    """A part that can be opened and closed; ``body`` is HTML."""
    return f"<details{' open' if is_open else ''}><summary>{escape(summary)}</summary>{body}</details>"


def fold_if_long(summary: str, body: str, length: int, most: int = 12) -> str:
    """``body``, folded where it has more than ``most`` rows."""
    return fold(summary, body) if length > most else body


def paragraph(text: str, kind: str = "") -> str:
    """A paragraph of escaped text."""
    return f'<p class="{kind}">{escape(text)}</p>' if kind else f"<p>{escape(text)}</p>"


def heading(text: str) -> str:
    """A heading within a section."""
    return f"<h3>{escape(text)}</h3>"


def chart(key: str) -> str:
    """The place of a chart, filled by the script of the page."""
    return f'<div class="panel" data-panel="{escape(key)}"></div>'


def number(value: float, digits: int = 4) -> str:
    """A number in few digits, with a proper minus and powers of ten that people write."""
    text = f"{value:.{digits}g}"
    if "e" in text:
        mantissa, exponent = text.split("e")
        raised = str(int(exponent)).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))
        text = f"{mantissa}·10{raised}"
    return text.replace("-", "−")


def count(n: int, one: str, several: str | None = None) -> str:
    """Text of a number with its noun, "1 run" or "2 runs"; ``several`` is the plural where it is irregular."""
    return f"{n} {one if n == 1 else several or one + 's'}"


def unbroken(text: str) -> str:
    """Text in which no line breaks."""
    return text.replace(" ", "\N{NO-BREAK SPACE}").replace("–", "\N{WORD JOINER}–\N{WORD JOINER}")


def _keep_unit(title: str) -> str:
    """A title whose unit, after the last comma, stays on one line."""
    name, comma, unit = title.rpartition(", ")
    return f"{name}{comma}{unbroken(unit)}" if comma and len(unit) < 10 else title


def _cell(tag: str, text: str, is_first: bool, is_number: bool, is_faint: bool) -> str:
    kinds = ["num"] * is_number + ["faint"] * is_faint + ["whole"] * (is_first and tag == "td" and len(text) < 60)
    kind = f' class="{" ".join(kinds)}"' if kinds else ""
    return f"<{tag}{kind}>{escape(text)}</{tag}>"
