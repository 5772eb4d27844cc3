"""The lengths that one unit of a mesh file may stand for."""

from __future__ import annotations

from typing import Final

UNITS: Final = {"m": 1.0, "mm": 1e-3, "cm": 1e-2, "um": 1e-6, "in": 0.0254, "ft": 0.3048}
"""Length in m of each unit that `load_surface` knows."""
