"""The page of cases that others published, from the stored figures of `python3 dev.py validation --json`."""

from __future__ import annotations

from typing import Any

from pages.tables import table

INTRODUCTION = """\
# Validation

Cases that others published or that textbooks have, simulated here. Every number has a bound that was derived before it
was measured, and the table says from what. The [closed forms](verification.md) test single evaluations; these are whole
models. Measure them on your machine:

```bash
python3 dev.py validation
```
"""


def page(stored: dict[str, Any]) -> str:
    """One section a case: story, source, numbers, plot."""
    parts = [INTRODUCTION]
    for case in stored["cases"]:
        rows = [
            [
                each["quantity"],
                f"{each['published']:.5g} {each['unit']}".rstrip(),
                f"{each['ours']:.5g} {each['unit']}".rstrip(),
                f"{each['error']:.1e}",
                f"{each['bound']:.1e}",
                each["reason"],
            ]
            for each in case["findings"]
        ]
        heads = ["", "published", "here", "off by", "bound", "the bound comes from"]
        parts += [f"## {case['title']}", case["story"], f"Source: {case['source']}.", case["plot"]]
        parts.append(table(heads, rows, (1, 2, 3, 4)))
    return "\n\n".join(parts) + "\n"
