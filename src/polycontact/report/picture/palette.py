"""256 colours for a film: GIF has no more."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from polycontact.kernels.picture.tone import count_colours

if TYPE_CHECKING:
    from PIL import Image

BITS = 6
"""Bits of each of red, green and blue by which colours are counted."""

PIXEL_COUNT_POWER = 0.3
"""Power of the number of pixels by which a colour counts: the background is large, what matters is small."""

MAX_COLOUR_COPIES = 64
"""Copies of the most frequent colour among those that the palette is made from."""


class FilmPalette:
    """Counts the colours of frames and makes one palette of them."""

    def __init__(self) -> None:
        self._counts = np.zeros((1 << 3 * BITS, 4), np.int64)

    def add(self, frame: Image.Image) -> None:
        """Count the colours of a frame."""
        count_colours(np.array(frame), BITS, self._counts)

    def image(self) -> Image.Image:
        """A picture whose palette is made of the colours counted, as Pillow wants it."""
        from PIL import Image

        found = self._counts[self._counts[:, 0] > 0]
        colours = np.round(found[:, 1:] / found[:, :1]).astype(np.uint8)
        share = (found[:, 0] / found[:, 0].max()) ** PIXEL_COUNT_POWER
        copies = np.maximum(1, np.round(MAX_COLOUR_COPIES * share)).astype(np.int64)
        row = np.repeat(colours, copies, axis=0)[None]
        return Image.fromarray(row).quantize(256, method=Image.Quantize.MEDIANCUT)
