"""Multibody systems: bodies, joints, force elements and contacts by name, compiled to one right-hand side."""
