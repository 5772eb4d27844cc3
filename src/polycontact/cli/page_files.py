"""Where commands put the pages that they make, and how they open them."""

from __future__ import annotations

import tempfile
from pathlib import Path

from polycontact.cli.output import complain
from polycontact.report.output_files import PAGES, check_target


def page_target(output: Path | None, thing: Path, what: str) -> Path:
    """Where the page of a ``thing`` goes, by default to the folder for temporary files; refused where it cannot."""
    if output is not None:
        check_target(output, PAGES, what)
        return output
    return Path(tempfile.mkdtemp(prefix="polycontact_")) / f"{thing.stem or 'page'}.html"


def open_page(target: Path) -> None:
    """Open a page in the browser, or tell where it is."""
    import webbrowser

    if not webbrowser.open(target.resolve().as_uri()):
        complain(f"no browser could be started; open {target} yourself")
