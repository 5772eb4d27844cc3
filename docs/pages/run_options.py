"""The reference of the options of a run: what each means, where it can be given, and who uses it."""

from __future__ import annotations

from pages.tables import table

INTRODUCTION = """\
# Options of a run

What `pc.simulate` takes, with the keys of `[simulation]` in [scenario files](scenario_file.md#simulation) and the
options of `polycontact run`. The steps of a run are made by one of four: `compliant` contacts, `impulses` or
`multipliers`, as [`response`](../howto/responses.md) says, or a `stepper` of your own in the place of the integrator of
compliant contacts. ✓ marks who uses an option. Where nobody would use an option it is refused by name; its default is
always allowed. `polycontact run --response`, and another response in a study or with `--set`, leave out what the
scenario itself sets for its own response.
"""


def page() -> str:
    """A row for each option, in the order of the signature of `simulate`."""
    from polycontact.simulation.run_options import INTEGRATORS, STEP_MAKERS, run_options

    rows = []
    for each in run_options():
        users = ["✓" if maker in each.ways.used_by else "" for maker in STEP_MAKERS]
        only = "" if each.ways.integrators == INTEGRATORS else f" ({', '.join(each.ways.integrators)} only)"
        key = f"`{each.name}`" if each.ways.key else ""
        flag = f"`--{each.flag}`" if each.flag else ""
        rows.append([f"`{each.name}`", key, flag, *users, each.about.unit, f"{each.about.meaning}{only}"])
    heads = ["option", "key", "flag", "compliant", "impulses", "multipliers", "own stepper", "unit", "meaning"]
    return f"{INTRODUCTION}\n{table(heads, rows)}\n"
