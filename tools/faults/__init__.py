"""Faults planted one at a time in the package's source, and which tests find them; `tools/plant_faults.py` runs it."""
