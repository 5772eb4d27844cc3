"""Build the kernels ahead, as a shared library that needs no compiler: ``python -m tools.library --help``."""
