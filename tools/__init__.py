"""Programs that make data of the package; run from the root of the repository, not part of what is installed."""
