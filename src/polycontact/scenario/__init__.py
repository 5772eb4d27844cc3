"""Scenario files: what they may contain, how they are read, checked and built, and the built-in ones."""
