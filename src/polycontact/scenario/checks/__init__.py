"""Checks across tables of a scenario file: names, references and combinations of keys.

They read the content as TOML gives it, not the validated model, and pass over values of the wrong type, which the
schema reports: so that all mistakes of a file are told at once.
"""
