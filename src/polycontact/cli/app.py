"""The command line application, to which each module of this package adds its commands."""

from __future__ import annotations

from cyclopts import App

from polycontact import __version__

app = App(
    name="polycontact",
    help="Compliant contact between complexly shaped surfaces for multibody dynamics.",
    version=__version__,
)
