"""Still pictures and films of runs, drawn by our own small renderer."""

from __future__ import annotations

from polycontact.report.picture.camera import Camera
from polycontact.report.picture.film import write_film
from polycontact.report.picture.render import Look, render, render_result, render_surface

__all__ = ["Camera", "Look", "render", "render_result", "render_surface", "write_film"]
