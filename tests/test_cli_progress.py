"""The bar on stderr: what it says, and that it is silent where nobody watches."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from polycontact.cli.progress_bar import progress_bar


@pytest.mark.parametrize(
    ("is_terminal", "note", "words"),
    [
        (
            True,
            "",
            "bubbles",
        ),
        (True, "", "3 of 10 frames"),
        (True, "0.3 of 1 s", "0.3 of 1 s"),
        (False, "", ""),
    ],
)
def test_bar(monkeypatch: pytest.MonkeyPatch, is_terminal: bool, note: str, words: str) -> None:
    screen = io.StringIO()
    monkeypatch.setattr(
        "rich.console.Console", lambda stderr: Console(file=screen, force_terminal=is_terminal, width=120)
    )
    with progress_bar("bubbles") as report:
        report(3, 10, note)
    assert words in screen.getvalue()
    assert bool(screen.getvalue()) is is_terminal
