"""The pedestrian: a man of 15 segments and a car, their shapes, joints and masses, made by code."""
