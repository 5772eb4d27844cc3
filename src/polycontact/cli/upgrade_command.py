"""The command upgrade: scenario files of the last release, written anew with the names that keys have now."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from polycontact.cli.app import app
from polycontact.cli.output import BAD_INPUT, DOES_NOT_HOLD, WELL, JsonOption, console, fail, print_json


@app.command
def upgrade(
    scenarios: Annotated[list[Path], Parameter(negative="")], /, *, check: JsonOption = False, json: JsonOption = False
) -> int:
    """Write scenario files of the last release anew: old names of keys become the new ones, all else stays as it is.

    A file is changed only where what it says stays the same.

    Parameters
    ----------
    scenarios
        Scenario files.
    check
        Change nothing; tell what would change, with status 1 if anything would.
    json
        Print one JSON object instead of a line a file.
    """
    from polycontact.errors import PolycontactError, ScenarioError
    from polycontact.replacing import replacing
    from polycontact.scenario.reading import read_text
    from polycontact.scenario.upgrading import upgraded

    found = []
    for path in scenarios:
        try:
            if not path.is_file():
                raise ScenarioError(str(path), ("there is no such file; give the path of a scenario file",))
            made = upgraded(read_text(path), path.name)
        except PolycontactError as error:
            return fail(error, json, BAD_INPUT)
        if made.lines and not check:
            # Bytes, so that ends of lines stay what they are on every system.
            with replacing(path) as part:
                part.write_bytes(made.text.encode("utf-8"))
        found.append((path, made.lines))
    old = any(lines for _, lines in found)
    if json:
        print_json(
            {"ok": not (check and old), "files": [{"file": str(path), "lines": list(lines)} for path, lines in found]}
        )
    else:
        screen = console()
        for path, lines in found:
            verb = "would change" if check else "changed"
            told = f"{verb} line{'s' * (len(lines) > 1)} {', '.join(map(str, lines))}" if lines else "is up to date"
            screen.print(f"{path}: {told}", soft_wrap=True)
    return DOES_NOT_HOLD if check and old else WELL
