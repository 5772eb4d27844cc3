"""Robots from URDF files: read and checked, with their meshes, as bodies and joints of a multibody system."""
