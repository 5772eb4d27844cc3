"""Pixels of pictures: which triangle is seen at each, how light it is, and the bytes of the picture."""
