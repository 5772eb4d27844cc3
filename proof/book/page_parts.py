"""Pieces of pages: prose with formulas, equations, tables of numbers, limits with their verdicts."""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape

from polycontact.report.document.formula import formula
from polycontact.report.document.markup import number, table, unbroken
from proof.book.book_page import Check


def check_table(checks: Sequence[Check]) -> str:
    """All limits of a page with what came out."""
    rows = [
        f'<tr{"" if check.ok else " class=bad"}><td>{escape(check.what)}</td><td class="num">{_shown(check)}</td>'
        f'<td class="num">{_limit(check)}</td><td>{verdict(check.ok)}</td></tr>'
        for check in checks
    ]
    head = '<tr><th>what</th><th class="num">got</th><th class="num">limit</th><th></th></tr>'
    return f'<div class="table"><table><thead>{head}</thead><tbody>{"".join(rows)}</tbody></table></div>'


def verdict(ok: bool) -> str:
    """The verdict as a small label."""
    return f'<span class="verdict {"ok" if ok else "fail"}">{"ok" if ok else "FAIL"}</span>'


def prose(text: str) -> str:
    """A paragraph; what stands between $ signs is a formula."""
    pieces = text.split("$")
    return f"<p>{''.join(formula(p) if i % 2 else escape(p) for i, p in enumerate(pieces))}</p>"


def equation(text: str, words: str = "") -> str:
    """A formula on a line of its own, with what it is for."""
    label = f'<span class="words">{escape(words)}</span>' if words else ""
    return f'<div class="equation">{label}{formula(text, block=True)}</div>'


def given_table(rows: Sequence[tuple[str, float, str]]) -> str:
    """Names and values with their units."""
    texts = [(name, f"{short(value, 6)} {unit}".replace(" °", "°")) for name, value, unit in rows]
    cells = "".join(
        f'<tr><td>{escape(name)}</td><td class="num">{escape(unbroken(text))}</td></tr>' for name, text in texts
    )
    return f'<div class="table"><table><tbody>{cells}</tbody></table></div>'


def side_by_side(*parts: str) -> str:
    """Pieces of HTML beside each other where there is room."""
    return f'<div class="pair">{"".join(f"<div>{part}</div>" for part in parts)}</div>'


def percent(share: float) -> str:
    """A share in per cent, in two digits."""
    return unbroken(f"{short(100.0 * share, 2)} %")


def short(value: float, digits: int = 3) -> str:
    """A number in few digits; a power of ten without the one before it."""
    if math.isinf(value):
        return "∞" if value > 0.0 else "−∞"
    return number(value, digits).removeprefix("1·") if value > 0.0 else number(value, digits)


def number_table(header: Sequence[str], rows: Sequence[Sequence[object]], *, digits: int = 3) -> str:
    """A table in which numbers are written in few digits."""
    texts = [[short(each, digits) if isinstance(each, float) else str(each) for each in row] for row in rows]
    return table(list(header), texts)


def _shown(check: Check) -> str:
    return _value(check, check.value)


def _limit(check: Check) -> str:
    return f"{'≥' if check.at_least else '≤'}{chr(160)}{_value(check, check.limit)}"


def _value(check: Check, value: float) -> str:
    return percent(value) if check.as_percent else unbroken(f"{short(value)} {check.unit}".strip())
