"""The command doctor: what an installation of polycontact consists of, and whether it works."""

from __future__ import annotations

from polycontact.cli.app import app
from polycontact.cli.output import DOES_NOT_HOLD, WELL, JsonOption, console, print_json

WHAT_TO_SEND = (
    "For a bug report send what this command prints, the command or the shortest program that shows the fault, its "
    "whole output, and the files it needs; polycontact sends nothing by itself. Paths in the output name your "
    "folders."
)


@app.command
def doctor(*, json: JsonOption = False, no_test: JsonOption = False) -> int:
    """Say what this installation consists of, whether it works, and what to send with a bug report.

    Versions, processor, where compiled kernels come from and what they take, optional packages and the browser; then a
    contact, a run and a run file are tried, which takes some seconds once kernels are compiled.

    Parameters
    ----------
    json
        Print one JSON object instead of a list.
    no_test
        Only tell, without trying anything.
    """
    from polycontact.cli.installation_facts import installation_facts
    from polycontact.cli.self_test import self_test

    facts = installation_facts()
    trials = [] if no_test else self_test()
    works = all(trial["ok"] for trial in trials)
    if json:
        print_json({"ok": works, **facts, "self_test": trials, "what_to_send": WHAT_TO_SEND})
        return WELL if works else DOES_NOT_HOLD
    screen = console()
    for title, values in facts.items():
        screen.print(title.replace("_", " "), style="bold")
        for name, value in values.items():
            screen.print(f"  {name}: {_shown(value)}", soft_wrap=True)
    for trial in trials:
        verdict = "ok" if trial["ok"] else "fails"
        screen.print(
            f"self-test, {trial['name']}: {verdict}, {trial['seconds']:.1f} s; {trial['told']}",
            style="green" if trial["ok"] else "bold red",
            soft_wrap=True,
        )
    screen.print(WHAT_TO_SEND, soft_wrap=True)
    return WELL if works else DOES_NOT_HOLD


def _shown(value: object) -> str:
    """A value in words."""
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return ", ".join(map(str, value)) or "none"
    return str(value)
