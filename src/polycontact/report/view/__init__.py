"""Looking at runs, meshes and contacts: one HTML page that plays without a network.

Something to look at goes through: `run_scene`, `mesh_scene` or `evaluation_scene` (what is drawn) → `packing` (in few
bytes) → `viewer_page` (with the program that draws it, in ``static``). `show` and `save_page` take anything that can be
seen.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from polycontact.report.view.showing import Page, embedded, save_page, show

__all__ = ["Page", "embedded", "save_page", "show"]


def __getattr__(name: str) -> Any:
    """Load `showing` when one of its names is asked for: the process of a live page starts in a tenth of the time."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from polycontact.report.view import showing

    return getattr(showing, name)
