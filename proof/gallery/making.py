"""A folder that can be opened without a network: a grid of pictures, with played pages and programs."""

from __future__ import annotations

import html
import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from polycontact.errors import PolycontactError
from polycontact.report.run_outputs import save_picture
from polycontact.report.view.showing import save_page
from polycontact.simulation.simulate import simulate
from proof.gallery.entries import ENTRIES, Entry

PICTURE_SIZE = (480, 320)
FIGURES = "figures.json"


@dataclass(frozen=True)
class Shown:
    """An entry and what its run cost: CPU time and simulated time (s), and evaluations."""

    entry: Entry
    cpu_seconds: float
    simulated_time: float
    evaluations: int

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "cpu_seconds": round(self.cpu_seconds, 2),
            "simulated_time": self.simulated_time,
            "evaluations": self.evaluations,
        }


def chosen(names: list[str] | None) -> tuple[Entry, ...]:
    """The entries named, or all."""
    known = {entry.name: entry for entry in ENTRIES}
    unknown = [name for name in names or () if name not in known]
    if unknown:
        raise PolycontactError(f"the gallery has no entry {unknown[0]!r}; there are {', '.join(known)}")
    return tuple(known[name] for name in names) if names else ENTRIES


def make_gallery(
    folder: Path, names: list[str] | None = None, *, pages: bool = True, say: Callable[[str], None] = lambda _: None
) -> Path:
    """Run the entries named, or all, and write pictures, played pages, figures and index.html; returns the index.

    Figures of entries that are in the folder already and are not run again stay.
    """
    entries = chosen(names)
    folder.mkdir(parents=True, exist_ok=True)
    stored = folder / FIGURES
    figures: dict[str, Any] = json.loads(stored.read_text(encoding="utf-8")) if stored.exists() else {}
    for entry in entries:
        say(entry.name)
        figures[entry.name] = _show(entry, folder, pages=pages).to_dict()
        stored.write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")
    index = folder / "index.html"
    index.write_text(_index(figures, folder), encoding="utf-8")
    return index


def _show(entry: Entry, folder: Path, *, pages: bool) -> Shown:
    """Run an entry and draw it."""
    system, settings = entry.model()
    start = time.process_time()
    run = simulate(system, **settings)
    seconds = time.process_time() - start
    end = run.statistics.simulated_time
    moment = entry.moment * end
    save_picture(run, folder / f"{entry.name}.jpg", time=moment, camera=entry.camera, size=PICTURE_SIZE)
    if pages:
        save_page(run, folder / f"{entry.name}.html")
    return Shown(entry, seconds, end, run.statistics.evaluations)


def _index(figures: dict[str, Any], folder: Path) -> str:
    """The grid; an entry whose page was made links to it."""
    cards = []
    for entry in ENTRIES:
        if entry.name not in figures:
            continue
        cost = figures[entry.name]
        picture = f'<img src="{entry.name}.jpg" alt="{html.escape(entry.title)}">'
        if (folder / f"{entry.name}.html").exists():
            picture = f'<a href="{entry.name}.html">{picture}</a>'
        source = ""
        if entry.program is not None:
            program = html.escape(entry.program.read_text(encoding="utf-8"))
            source = f"<details><summary>Program</summary><pre>{program}</pre></details>"
        cards.append(
            f"<figure>{picture}<figcaption><b>{html.escape(entry.title)}</b><p>{_marked(entry.text)}</p>"
            f"<small>{cost['cpu_seconds']:.1f} s for {cost['simulated_time']:g} s, "
            f"{cost['evaluations']:,} evaluations</small>{source}</figcaption></figure>"
        )
    return PAGE.replace("CARDS", "\n".join(cards))


def _marked(text: str) -> str:
    """HTML of a text in which back quotes mark code."""
    parts = html.escape(text).split("`")
    return "".join(f"<code>{part}</code>" if k % 2 else part for k, part in enumerate(parts))


PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>polycontact: gallery</title>
<style>
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 1240px; padding: 0 1rem; color: #16202a }
main { display: grid; gap: 1.5rem; grid-template-columns: repeat(auto-fill, minmax(300px, 1fr)) }
figure { margin: 0 } img { width: 100%; border-radius: 6px; display: block; background: #e8ecf0 }
p { margin: .3rem 0 } small { color: #5a6672 }
pre { overflow: auto; font-size: 12px; background: #f3f5f7; padding: .6rem }
</style></head>
<body><h1>Gallery</h1>
<p>A click on a picture plays the run, without a network. Times are CPU times of the machine that made this page.</p>
<main>
CARDS
</main></body></html>
"""
