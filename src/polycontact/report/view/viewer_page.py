"""The page: one HTML file that holds the scene and all that shows it, and fetches nothing."""

from __future__ import annotations

import html

from polycontact.report.html_page import document, filled, static_text
from polycontact.report.view.packing import pack
from polycontact.report.view.viewer_scene import Scene

SCRIPTS = (
    "algebra.js",
    "data.js",
    "frames.js",
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
    "items.js",
    "curves.js",
    "controls.js",
    "main.js",
)
"""Parts of the script, in the order in which they build on each other."""

LIVE_SCRIPTS = ("live.js", *SCRIPTS)
"""Parts of the script of a page that asks where it is served for more."""


def make_page(scene: Scene, *, live: bool = False) -> str:
    """The HTML text of a page that shows ``scene``; ``live``: and follows the run, from where it is served."""
    data = pack(scene, live=live)
    script = "\n".join(_static(name) for name in (LIVE_SCRIPTS if live else SCRIPTS))
    body = filled(_static("page.html"), script=script, data=data)
    return document(title=html.escape(f"{scene.title} · polycontact"), style=_static("page.css"), body=body)


def _static(name: str) -> str:
    return static_text("polycontact.report.view", name)
