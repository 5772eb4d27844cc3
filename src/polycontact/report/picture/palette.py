"""256 colours for a film: GIF has no more."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from PIL import Image

BITS = 6
"""Bits of each of red, green and blue by which colours are counted."""

EVENNESS = 0.3
"""Power of the number of pixels by which a colour counts: the background is large, what matters is small."""

MOST_COPIES = 64
"""Copies of the most frequent colour among those that the palette is made from."""


class FilmPalette:
    """Counts the colours of frames and makes one palette of them."""

    def __init__(self) -> None:
        self._count = np.zeros(1 << 3 * BITS)
        self._sums = np.zeros((3, 1 << 3 * BITS))

    def add(self, frame: Image.Image) -> None:
        """Count the colours of a frame."""
        pixels: NDArray[np.uint8] = np.asarray(frame).reshape(-1, 3)
        red, green, blue = (pixels >> (8 - BITS)).astype(np.int64).T
        key = (red << 2 * BITS) | (green << BITS) | blue
        self._count += np.bincount(key, minlength=len(self._count))
        for i in range(3):
            self._sums[i] += np.bincount(key, weights=pixels[:, i], minlength=len(self._count))

    def image(self) -> Image.Image:
        """A picture whose palette is made of the colours counted, as Pillow wants it."""
        from PIL import Image

        there = np.flatnonzero(self._count)
        colours = np.round(self._sums[:, there] / self._count[there]).astype(np.uint8).T
        share = (self._count[there] / self._count.max()) ** EVENNESS
        copies = np.maximum(1, np.round(MOST_COPIES * share)).astype(np.int64)
        row = np.repeat(colours, copies, axis=0)[None]
        return Image.fromarray(row).quantize(256, method=Image.Quantize.MEDIANCUT)
