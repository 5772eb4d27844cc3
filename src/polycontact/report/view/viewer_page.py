"""The page: one HTML file that holds the scene and all that shows it, and fetches nothing."""

from __future__ import annotations

import html
import re
from functools import cache
from importlib import resources

from polycontact.report.view.packing import pack
from polycontact.report.view.viewer_scene import Scene

SCRIPTS = (
    "algebra.js",
    "data.js",
    "shaders.js",
    "gpu.js",
    "camera.js",
    "player.js",
    "bodies.js",
    "contact.js",
    "layers.js",
    "ground.js",
    "renderer.js",
    "framing.js",
    "picking.js",
    "legend.js",
    "controls.js",
    "main.js",
)
"""Parts of the script, in the order in which they build on each other."""


def make_page(scene: Scene) -> str:
    """The HTML text of a page that shows ``scene``."""
    content = {
        "title": html.escape(f"{scene.title} · polycontact"),
        "style": _static("page.css"),
        "script": "\n".join(_static(name) for name in SCRIPTS),
        "data": pack(scene),
    }
    # In one go: what is put in is never looked at again, whatever a run is called.
    return re.sub(r"\{\{(\w+)\}\}", lambda mark: content[mark[1]], _static("page.html"))


@cache
def _static(name: str) -> str:
    return (resources.files("polycontact.report.view") / "static" / name).read_text(encoding="utf-8")
