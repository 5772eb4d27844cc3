"""`simulate_live`: a simulation that can be watched, paused and stopped in a browser while it goes."""

from __future__ import annotations

import os
import sys
import tempfile
import weakref
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

from polycontact.errors import IntegrationError
from polycontact.multibody.multibody_system import MultibodySystem
from polycontact.report.view.live.live_page import live_page
from polycontact.simulation.progress_line import in_notebook, shown_progress
from polycontact.simulation.run_result import Progress

if TYPE_CHECKING:
    from polycontact.simulation.run_result import Run


def simulate_live(
    system: MultibodySystem,
    *,
    record: str | os.PathLike[str] | None = None,
    port: int = 0,
    open_page: bool | None = None,
    announce: Callable[[str], None] | None = None,
    progress: Callable[[Progress], None] | bool | None = None,
    **settings: Any,
) -> Run:
    """Integrate the motion of a system as `simulate` does, with a page in the browser that follows the run.

    The page shows bodies, contact patches and forces up to now, and has buttons to pause the run and to stop it, as
    Ctrl-C does. It is served by a second process on this machine's loopback address only, at a random address that is
    told on stderr; without a browser, and when it is closed, the run goes on as usual.

    - ``record``: the file to write as the run goes; without it a temporary one, which is removed with the run.
    - ``port``: 1 to 65535, or 0 for any that is free.
    - ``open_page``: open a browser; None: where it is no notebook.
    - ``announce``: called with the address, instead of telling it on stderr.
    - ``progress`` and all other ``settings``: as `simulate` takes them.

    Patches of contact laws and shapes of your own, which another process cannot know, are not shown; their forces are.
    """
    from polycontact.simulation.simulate import simulate

    with ExitStack() as stack:
        folder = None
        if record is None and settings.get("continue_from") is None:
            folder = tempfile.TemporaryDirectory(prefix="polycontact_", ignore_cleanup_errors=True)
            path = Path(folder.name) / "run.h5"
        else:
            path = Path(record if record is not None else settings["continue_from"])
        opens = not in_notebook() if open_page is None else open_page
        page = stack.enter_context(live_page(path, port=port, awaited=opens))
        (announce or _announce)(page.url)
        if opens and not page.open():
            print("polycontact: no browser could be started; open the address yourself", file=sys.stderr)
        report = stack.enter_context(shown_progress(progress, system.name))

        def follow(now: Progress) -> None:
            if report is not None:
                report(now)
            page.follow(now)

        try:
            run = simulate(system, record=path, progress=follow, **settings)
        except IntegrationError as error:
            page.finish("failed", str(error))
            _keep_with(folder, getattr(error.run, "trajectory", None))
            raise
        page.finish(run.status, run.message)
        _keep_with(folder, run.trajectory)
        return run


def _announce(url: str) -> None:
    print(f"polycontact: the run can be watched at {url}", file=sys.stderr)


def _keep_with(folder: tempfile.TemporaryDirectory[str] | None, owner: object) -> None:
    """Let a temporary folder live as long as whoever reads from it."""
    if folder is not None and owner is not None:
        weakref.finalize(owner, folder.cleanup)
