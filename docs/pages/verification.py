"""The page of closed forms, from what `polycontact verify --json` says now."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

from pages.plots import error_plot
from pages.tables import table

INTRODUCTION = """\
# Verification

{n} contacts have a closed form: force, torque, area, volume, number of patches. This page was made by

```bash
polycontact verify
```

when the site was built. The error is relative to the expected value, or to the scale of the case where zero is
expected; the limit is what the test suite allows. Where a mesh approximates a round body, the error falls with the size
of its triangles; the rate is the power with which it falls, and the limit of the rate is what is required.

**{verdict}**
"""


def page() -> str:
    """All cases, those of one contact under its name."""
    command = [sys.executable, "-m", "polycontact.cli", "verify", "--json"]
    done = subprocess.run(command, capture_output=True, encoding="utf-8", check=False)
    if not done.stdout:
        raise RuntimeError(f"polycontact verify failed: {done.stderr}")
    found = json.loads(done.stdout)
    verdict = "All are met." if found["ok"] else f"{found['n_off']} are not met."
    parts = [INTRODUCTION.format(n=found["n_cases"], verdict=verdict)]
    parts.append(error_plot(found["cases"]) + "\n")
    contacts: dict[str, list[dict[str, Any]]] = {}
    for case in found["cases"]:
        contacts.setdefault(case["name"].partition(", ")[0], []).append(case)
    return "\n".join(parts + [_section(contact, cases) for contact, cases in contacts.items()])


def _section(contact: str, cases: list[dict[str, Any]]) -> str:
    rates = any(case["rate"] is not None for case in cases)
    heads = ["case", "expected", "got", "error", "limit"] + (["rate"] if rates else []) + [""]
    rows = [_row(case, rates) for case in cases]
    forms = dict.fromkeys(case["what"] for case in cases)
    return "\n".join(
        [
            f"## {contact[0].upper()}{contact[1:]}\n",
            "; ".join(forms) + ".\n",
            table(heads, rows, range(1, len(heads) - 1)),
            "",
        ]
    )


def _row(case: dict[str, Any], rates: bool) -> list[str]:
    small = case["expected"] == 0.0 and case["relative_error"] <= case["limit"]
    unit = "" if case["unit"] == "1" else f" {case['unit']}"
    cells = [
        case["name"].partition(", ")[2] or case["quantity"],
        f"{case['expected']:.5g}{unit}",
        f"{0.0 if small else case['got']:.5g}",
        f"{case['relative_error']:.1e}",
        f"{case['limit']:.1e}",
    ]
    if rates:
        limit = "" if case["rate_limit"] is None else f" ≥ {case['rate_limit']:g}"
        cells.append("" if case["rate"] is None else f"{case['rate']:.2f}{limit}")
    return [*cells, "met" if case["ok"] else "**not met**"]
