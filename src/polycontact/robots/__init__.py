"""Robots: read from URDF, posed by inverse kinematics, walking by planned gaits."""
