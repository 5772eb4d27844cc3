"""What commands say: exit status, messages on stderr, one JSON object or tables on stdout."""

from __future__ import annotations

import json as json_format
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from polycontact.cli.usage_errors import whole_number
from polycontact.errors import PolycontactError, SurfaceError

if TYPE_CHECKING:
    from rich.console import Console

    from polycontact.surfaces.reading import RawMesh

WELL = 0
DOES_NOT_HOLD = 1
BAD_INPUT = 2
ENDED_EARLY = 3
"""Exit status of a run that a condition of its scenario (stop_when) has ended."""
STOPPED = 130
"""Exit status after Ctrl-C, as shells have it, and after SIGTERM."""

JsonOption = Annotated[bool, Parameter(negative="", show_default=False)]
"""A switch that is off unless given."""

WholeNumber = Annotated[int | None, Parameter(converter=whole_number)]
"""A whole number, None unless given."""


def read(path: Path, json: bool, unit: str | None = None) -> RawMesh | None:
    """The mesh in a file, one unit of which is ``unit``; None, with a message, where it cannot be read."""
    from polycontact.surfaces.mesh_loading import in_unit
    from polycontact.surfaces.reading import read_mesh

    try:
        return in_unit(read_mesh(path), unit)
    except SurfaceError as error:
        fail(error, json, BAD_INPUT)
        return None


def fail(error: PolycontactError, json: bool, status: int) -> int:
    """Say what went wrong, also as JSON where that was asked for; returns ``status``."""
    if json:
        print_json({"ok": False, "error": str(error)})
    complain(str(error))
    return status


def complain(message: str) -> int:
    """Print a message on stderr; returns the status of bad input."""
    print(f"polycontact: {message}", file=sys.stderr)
    return BAD_INPUT


def print_json(record: dict[str, Any]) -> None:
    """Print one JSON object on stdout."""
    print(json_format.dumps(record, allow_nan=False))


def console() -> Console:
    """A console that shows text as it is, so that brackets in file names are no markup."""
    from rich.console import Console

    return Console(markup=False, highlight=False)
