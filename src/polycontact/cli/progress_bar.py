"""A bar on stderr for work that takes a while."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol


class Report(Protocol):
    """Shows the progress of a command on its progress bar."""

    def __call__(self, done: float, total: float, note: str = "") -> None:
        """``done`` of ``total``; ``note`` stands beside the bar, by default the two as numbers of frames."""


@contextmanager
def progress_bar(name: str) -> Iterator[Report]:
    """A bar that is shown only where stderr is a terminal, from the first report on."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn

    screen = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), TextColumn("{task.fields[note]}"))
    with Progress(*columns, console=screen, transient=True, disable=not screen.is_terminal) as bars:
        task = bars.add_task(name, total=None, visible=False, note="")

        def report(done: float, total: float, note: str = "") -> None:
            bars.update(task, completed=done, total=total, visible=True, note=note or f"{done:g} of {total:g} frames")

        yield report
