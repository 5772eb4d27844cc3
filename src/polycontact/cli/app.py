"""The command line application, to which each module of this package adds its commands."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError
from importlib.metadata import version as installed_version

from cyclopts import App


def _version() -> str:
    """Version of the installed package."""
    try:
        return installed_version("polycontact")
    except PackageNotFoundError:
        return "unknown (not installed)"


app = App(
    name="polycontact",
    help="Compliant contact between complexly shaped surfaces for multibody dynamics.",
    version=_version,
)
