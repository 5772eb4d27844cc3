"""The page of commands: what each says to --help."""

from __future__ import annotations

import io
import re
import sys

from rich.console import Console

WIDTH = 100

INTRODUCTION = """\
# Commands

Every command ends with status 0 when all is well, 1 when what was asked does not hold (a bad mesh, a closed form that
is not met, a run that failed), 2 for bad input or use. With `--json`, where a command has it, stdout gets one JSON
object and nothing else; progress and messages go to stderr.
"""


def page() -> str:
    """Help of each command."""
    from polycontact.cli.app import app

    main = sys.modules.get("polycontact.cli") or __import__("polycontact.cli")
    assert main is not None
    names = [name for name in sorted(app) if not name.startswith("-")]
    parts = [INTRODUCTION]
    for name in names:
        parts += [f"## polycontact {name}\n", "```text", _help(app, name), "```\n"]
    return "\n".join(parts)


def _help(app: object, name: str) -> str:
    stream = io.StringIO()
    console = Console(file=stream, width=WIDTH, color_system=None, force_terminal=False)
    app.help_print([name], console=console)  # type: ignore[attr-defined]
    return re.sub(r"[ \t]+$", "", stream.getvalue(), flags=re.MULTILINE).strip("\n")
