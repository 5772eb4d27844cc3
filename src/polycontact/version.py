"""The version of the package, for every layer that names it."""

__version__ = "0.3.0"
