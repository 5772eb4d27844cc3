"""Surfaces given by formulas: their points, normals and curvatures, and the common normals of two of them."""
