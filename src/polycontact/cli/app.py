"""The command line application, to which each module of this package adds its commands."""

from __future__ import annotations

from cyclopts import App, Parameter

from polycontact import __version__

app = App(
    name="polycontact",
    help="Compliant contact between complexly shaped surfaces for multibody dynamics.",
    version=__version__,
    help_format="plaintext",  # of the list of commands: Markdown takes longer to load than all else; see `cli`
    default_parameter=Parameter(negative=""),  # switches are off, and lists empty, unless given
)
