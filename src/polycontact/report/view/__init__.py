"""Looking at runs, meshes and contacts: one HTML page that plays without a network.

Something to look at goes through: `run_scene`, `mesh_scene` or `evaluation_scene` (what is drawn) → `packing` (in few
bytes) → `viewer_page` (with the program that draws it, in ``static``). `show` and `save_page` take anything that can be
seen.
"""

from __future__ import annotations

from polycontact.contact import result
from polycontact.report.view import showing
from polycontact.report.view.showing import Page, embedded, save_page, show

__all__ = ["Page", "embedded", "save_page", "show"]

result.viewer = showing  # a module is a viewer: it has all its functions
