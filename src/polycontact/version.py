"""The version of the package, for every layer that names it."""

__version__ = "0.1.0"
