"""From amounts of light at fine pixels to the bytes of a picture."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from polycontact.kernels.jit import entry_kernel
from polycontact.kernels.picture.light import noise_at
from polycontact.kernels.picture.nearest_triangle import Floats
from polycontact.kernels.views import Longs

Bytes = NDArray[np.uint8]


@entry_kernel("void(float32[:,:,::1], float64[::1], uint8[:,:,::1])")
def develop(image: Floats, tones: NDArray[np.float64], picture: Bytes) -> None:
    """The mean of blocks of fine pixels as bytes (h, w, 3).

    ``tones`` (n + 1,): values from 0 to 255 of screens for amounts of light whose square roots are 0, 1/n, …, 1, so
    fine that the nearest will do; they are rounded up or down by a fixed pattern so that gradients show no steps.
    """
    height, width = picture.shape[:2]
    samples = len(image) // height
    share, last = 1.0 / (samples * samples), len(tones) - 1
    for i in range(height):
        for j in range(width):
            pattern = noise_at(i, j)
            for k in range(3):
                total = 0.0
                for row in range(i * samples, (i + 1) * samples):
                    for column in range(j * samples, (j + 1) * samples):
                        total += image[row, column, k]
                place = int(last * math.sqrt(min(max(total * share, 0.0), 1.0)) + 0.5)
                picture[i, j, k] = np.uint8(min(tones[place] + pattern, 255.0))


@entry_kernel("void(float32[:,::1], float32[:,::1], int64, float32[:,:,::1])")
def spread_light(gradient: Floats, share: Floats, step: int, image: Floats) -> None:
    """The background (h, w, 3): a colour for each row (h, 3) times a share of light given at every ``step`` pixels."""
    for i in range(image.shape[0]):
        row = i // step
        down = (i - row * step) / step
        for j in range(image.shape[1]):
            column = j // step
            right = (j - column * step) / step
            light = (1.0 - right) * share[row, column] + (right * share[row, column + 1] if right > 0.0 else 0.0)
            if down > 0.0:
                below = (1.0 - right) * share[row + 1, column]
                below += right * share[row + 1, column + 1] if right > 0.0 else 0.0
                light += down * (below - light)
            for k in range(3):
                image[i, j, k] = gradient[i, k] * light


@entry_kernel("void(uint8[:,:,::1], int64, int64[:,::1])")
def count_colours(picture: Bytes, bits: int, counts: Longs) -> None:
    """Count the pixels (h, w, 3) of each colour, told apart by the upper ``bits`` of red, green and blue.

    ``counts`` (n, 4): number of pixels, and sums of red, green and blue.
    """
    drop = 8 - bits
    for i in range(picture.shape[0]):
        for j in range(picture.shape[1]):
            red, green, blue = int(picture[i, j, 0]), int(picture[i, j, 1]), int(picture[i, j, 2])
            key = ((red >> drop) << (2 * bits)) | ((green >> drop) << bits) | (blue >> drop)
            counts[key, 0] += 1
            counts[key, 1] += red
            counts[key, 2] += green
            counts[key, 3] += blue
