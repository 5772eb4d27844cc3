"""Compliant contact between complexly shaped surfaces, for multibody dynamics.

The names that most models need are here; the others are in `laws`, `contact`, `multibody`, `simulation`, `surfaces`,
`shapes`, `robots`, `studies`, `convergence`, `seeking`, `identification`, `comparison`, `report` and `errors`. All are
listed in ``__init__.pyi`` of their package, and loaded when first used, so that importing polycontact is quick.
"""

from __future__ import annotations

from typing import Any

from polycontact.lazy_names import homes, lazy_names
from polycontact.version import __version__ as __version__

_PACKAGES = (
    "laws",
    "contact",
    "multibody",
    "simulation",
    "surfaces",
    "robots",
    "studies",
    "identification",
    "comparison",
    "report",
)
"""Packages whose names were here too before version 0.3."""

_load, __dir__ = lazy_names(__name__)


def __getattr__(name: str) -> Any:
    try:
        return _load(name)
    except AttributeError:
        home = _new_home(name)
        if home is None:
            raise
    import importlib
    import warnings

    warnings.warn(
        f"polycontact.{name} is now polycontact.{home}.{name}; the old name goes with version 0.4",
        DeprecationWarning,
        stacklevel=2,
    )
    return getattr(importlib.import_module(f"polycontact.{home}"), name)


def _new_home(name: str) -> str | None:
    """The package that has a name which stood in polycontact itself before version 0.3."""
    if name.startswith("_"):
        return None
    if name.endswith(("Error", "Warning")):
        from polycontact import errors

        return "errors" if hasattr(errors, name) else None
    return next((package for package in _PACKAGES if name in homes(f"polycontact.{package}")), None)
