"""The command line: one function a command, each of which returns the exit status.

0: all is well; 1: what was asked does not hold (a failed check, a mesh that cannot be mended); 2: bad input
or use; 130: stopped by Ctrl-C or SIGTERM. With ``--json`` a command prints one JSON object on stdout and nothing else;
messages go to stderr.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Sequence
from io import TextIOWrapper

from cyclopts import App, CycloptsError

from polycontact.cli import (
    comparisons,
    convergence_command,
    doctor,
    identifications,
    measures,
    meshes,
    new_command,
    pages,
    reports,
    scenarios,
    seeking_commands,
    statics_commands,
    study_commands,
    upgrade_command,
)
from polycontact.cli.app import app
from polycontact.cli.output import BAD_INPUT, STOPPED, WELL, complain, fail
from polycontact.cli.usage_errors import usage_message
from polycontact.errors import PolycontactError
from polycontact.simulation.recording.interrupts import interrupted_by_request
from polycontact.workers.rare_collections import rare_collections

__all__ = [
    "app",
    "comparisons",
    "convergence_command",
    "doctor",
    "identifications",
    "main",
    "measures",
    "meshes",
    "new_command",
    "pages",
    "reports",
    "run_command",
    "scenarios",
    "seeking_commands",
    "statics_commands",
    "study_commands",
    "upgrade_command",
]

for _name in app:
    if not _name.startswith("-"):  # the help of a command is Markdown, that of the whole plain text
        app[_name].help_format = "markdown"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command that ``arguments`` (by default those of the process) name; returns the exit status."""
    return run_command(app, arguments)


def run_command(app: App, arguments: Sequence[str] | None) -> int:
    """Run the command of an application that ``arguments`` name; returns the exit status, as said above."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")  # a console that lacks a character must not end the command
    warnings.formatwarning = _plain_warning
    with interrupted_by_request(), rare_collections():
        return _run(app, arguments)


def _run(app: App, arguments: Sequence[str] | None) -> int:
    json = "--json" in (sys.argv[1:] if arguments is None else arguments)
    try:
        command, bound, *_ = app.parse_args(arguments, exit_on_error=False, print_error=False)
        status = command(*bound.args, **bound.kwargs)
        if sys.stdout is not None:
            sys.stdout.flush()
    except CycloptsError as error:
        return fail(PolycontactError(usage_message(error, app.name[0])), json, BAD_INPUT)
    except PolycontactError as error:
        return fail(error, json, BAD_INPUT)
    except KeyboardInterrupt:
        complain("stopped")
        return STOPPED
    except (BrokenPipeError, SystemExit):  # whoever reads our output has seen enough; rich then wants to exit with 1
        sys.stdout = None
        return WELL
    except OSError as error:
        sys.stdout = None
        place = error.filename or "the output"
        return complain(f"{place}: {error.strerror or error}; check the place, its access rights and the space left")
    except MemoryError:
        return complain("the memory of this machine is not enough for this; take smaller meshes, or fewer samples")
    return status if isinstance(status, int) else WELL


def _plain_warning(
    message: Warning | str, category: type[Warning], filename: str, lineno: int, line: str | None = None
) -> str:
    """A warning as users of the command line read it: without the place in the source."""
    return f"polycontact: warning: {message}\n"
