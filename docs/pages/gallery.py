"""The page of the gallery: pictures that `python3 dev.py gallery docs/pictures/gallery --pictures` made."""

from __future__ import annotations

import json
from pathlib import Path

from proof.gallery.entries import ENTRIES

PICTURES = Path(__file__).resolve().parents[1] / "pictures" / "gallery"

INTRODUCTION = """\
# Gallery

Choose what is most like your own problem. Programs are in `examples/gallery`; scenarios come with the package. Make the
gallery on your machine, with a page behind each picture that plays the run:

```bash
python3 dev.py gallery build/gallery
```

"""


def page() -> str:
    """One section an entry: picture, what it shows, what to vary, its cost and where it is."""
    figures = json.loads((PICTURES / "figures.json").read_text(encoding="utf-8"))
    parts = []
    for entry in ENTRIES:
        cost = figures[entry.name]
        where = f"`examples/gallery/{entry.name}.py`" if entry.program else f"`polycontact run {entry.name}`"
        parts.append(
            f"## {entry.name.replace('_', ' ').capitalize()}\n\n"
            f"![{entry.title}](pictures/gallery/{entry.name}.jpg)\n\n**{entry.title}**\n\n{entry.text}\n\n"
            f"{where}: {cost['cpu_seconds']:.1f} s of CPU time for {cost['simulated_time']:g} s, "
            f"{cost['evaluations']:,} evaluations.\n"
        )
    return INTRODUCTION + "\n".join(parts)
