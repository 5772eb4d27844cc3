"""Surfaces: triangle meshes that are read, checked, repaired, made and prepared for contact."""
