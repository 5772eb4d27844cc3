"""Robots: read from URDF, posed by inverse kinematics, walking by planned gaits."""

from polycontact.lazy_names import lazy_names

__getattr__, __dir__ = lazy_names(__name__)
