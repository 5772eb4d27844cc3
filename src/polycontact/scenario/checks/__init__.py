"""Checks across tables of a scenario file: names, references and combinations of keys.

They read the typed tables of the model. Of a file with mistakes these are made as far as they can be read
(`readable_tables`): a key with a wrong value is None, and the checks pass over it, because the schema has told it. So
all mistakes of a file are told at once.
"""
