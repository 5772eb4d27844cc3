"""Words on a picture: the colour bar with its unit, and the caption."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from polycontact.report.picture.picture_colours import Theme, map_colours
from polycontact.report.view.display_units import Quantity

if TYPE_CHECKING:
    from PIL import Image, ImageDraw, ImageFont


MISSING = "\uffff"
"""A letter that no font has."""


def nice_limit(greatest: float) -> float:
    """The next of 1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8 times a power of ten that is not less."""
    if not greatest > 0 or not math.isfinite(greatest):
        return 1.0
    power = 10.0 ** math.floor(math.log10(greatest))
    steps = (step * power for step in (1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10))
    return next(step for step in steps if step >= greatest * (1 - 1e-9))


def nice_ticks(limit: float, most: int = 6) -> list[float]:
    """Even numbers from 0 up to ``limit``."""
    rough = limit / (most - 1)
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(factor * power for factor in (1, 2, 2.5, 5, 10) if factor * power >= rough * (1 - 1e-9))
    return [step * i for i in range(int(limit / step * (1 + 1e-9)) + 1)]


def writable(quantity: Quantity, font: ImageFont.FreeTypeFont | ImageFont.ImageFont) -> Quantity:
    """The quantity with those of its units that ``font`` has letters for: Pillow's own has no µ."""
    units = tuple(unit for unit in quantity.units if _can_write(font, unit[1]))
    return replace(quantity, units=units or quantity.units)


def _can_write(font: ImageFont.FreeTypeFont | ImageFont.ImageFont, text: str) -> bool:
    """Whether no letter of ``text`` becomes the box that stands for a missing one."""
    try:
        box = bytes(font.getmask(MISSING))
        return all(bytes(font.getmask(letter)) != box for letter in text if letter != " ")
    except UnicodeEncodeError:  # a bitmap font, which has Latin letters only
        return text.isascii()


def draw_colour_bar(image: Image.Image, quantity: Quantity, limit: float, theme: Theme, text: float = 1.0) -> None:
    """A bar at the right from 0 to ``limit`` (SI units) with the quantity and the unit above it."""
    from PIL import Image

    left, added, kept = _bar_over(image.size, quantity, limit, theme, text)
    behind = np.asarray(image.crop((left, 0, *image.size)), np.float32)
    image.paste(Image.fromarray((added + kept * behind + np.float32(0.5)).astype(np.uint8)), (left, 0))


@lru_cache(maxsize=8)
def _bar_over(
    size: tuple[int, int], quantity: Quantity, limit: float, theme: Theme, text: float
) -> tuple[int, NDArray[np.float32], NDArray[np.float32]]:
    """The colour bar of pictures of a size: where it begins, what it adds there, and the share of them that it keeps.

    Letters have soft edges: how much of what lies behind they let through is told by drawing them on black and white.
    """
    from PIL import Image

    black, white = (Image.new("RGB", size, colour) for colour in ("black", "white"))
    left = min(_bar_on(each, quantity, limit, theme, text) for each in (black, white))
    added, both = (np.asarray(each.crop((left, 0, *size)), np.float32) for each in (black, white))
    return left, added, (both - added) / np.float32(255.0)


def _bar_on(image: Image.Image, quantity: Quantity, limit: float, theme: Theme, text: float) -> int:
    """Draw the bar; returns the first column of pixels that it may touch."""
    from PIL import Image, ImageDraw

    size = _text_size(image, text)
    font = _font(size)
    factor, unit = writable(quantity, font).unit_for(limit)
    draw = ImageDraw.Draw(image)
    width, height = round(0.9 * size), round(0.42 * image.height)
    ticks = nice_ticks(limit * factor)
    labels = [f"{tick:g}" for tick in ticks]
    room = max(draw.textlength(label, font=font) for label in labels)
    left = round(image.width - 1.6 * size - room - width)
    top = round((image.height - height) / 2)
    steps = np.linspace(1.0, 0.0, height)[:, None] * np.ones(width)
    bar = Image.fromarray(np.round(255 * map_colours(steps)).astype(np.uint8))
    image.paste(bar, (left, top))
    draw.rectangle((left, top, left + width - 1, top + height - 1), outline=theme.ink)
    for tick, label in zip(ticks, labels, strict=True):
        y = top + (height - 1) * (1 - tick / (limit * factor))
        draw.line((left + width, y, left + width + 0.3 * size, y), fill=theme.ink)
        draw.text((left + width + 0.5 * size, y), label, anchor="lm", **_ink(theme.ink, theme, size))
    title = f"{quantity.label}, {unit}"
    end = image.width - 1.1 * size
    draw.text((end, top - 0.9 * size), title, anchor="rs", **_ink(theme.ink, theme, size))
    start = end - draw.textlength(title, font=font)
    return max(0, math.floor(min(start, left)) - size)


def draw_caption(image: Image.Image, title: str, theme: Theme, note: str = "", text: float = 1.0) -> None:
    """A title at the lower left, with a fainter note behind it."""
    from PIL import ImageDraw

    size = _text_size(image, text)
    title, note = _plain(title, size), _plain(note, size)
    draw: ImageDraw.ImageDraw = ImageDraw.Draw(image)
    x, y = 1.1 * size, image.height - 1.1 * size
    draw.text((x, y), title, anchor="ls", **_ink(theme.ink, theme, size))
    if note:
        x += draw.textlength(title, font=_font(size)) + 0.8 * size
        draw.text((x, y), note, anchor="ls", **_ink(theme.faint, theme, size))


def _plain(text: str, size: int) -> str:
    """The text with simple dashes where the font has no others: Pillow's own has none."""
    return text if _can_write(_font(size), text) else text.replace("–", "-").replace("—", "-")


def draw_labels(image: Image.Image, labels: list[tuple[float, float, str]], theme: Theme, text: float = 1.0) -> None:
    """Words beside places of the picture (pixels), moved up where they would lie on others."""
    from PIL import ImageDraw

    size = _text_size(image, text)
    draw: ImageDraw.ImageDraw = ImageDraw.Draw(image)
    taken: list[tuple[float, float, float]] = []
    for x, y, word in sorted(labels, key=lambda label: -label[1]):
        width = draw.textlength(word, font=_font(size))
        left = min(max(x + 0.5 * size, 2.0), image.width - width - 2.0)
        middle = min(max(y, 0.8 * size), image.height - 0.8 * size)
        while any(left < b and a < left + width and abs(middle - m) < 1.2 * size for a, b, m in taken):
            middle -= 0.3 * size
        taken.append((left, left + width, middle))
        draw.text((left, middle), word, anchor="lm", **_ink(theme.arrow, theme, size))


def _text_size(image: Image.Image, text: float) -> int:
    """Height of letters, pixels."""
    return max(9, round(text * 0.0245 * min(image.height, 0.75 * image.width)))


def _ink(colour: str, theme: Theme, size: int) -> dict[str, Any]:
    """How text is written: with a thin border, so that it can be read on bodies too."""
    return {
        "fill": colour,
        "font": _font(size),
        "stroke_width": max(1, size // 9),
        "stroke_fill": theme.below,
    }


@lru_cache(maxsize=16)
def _font(size: int) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    from PIL import ImageFont

    return ImageFont.load_default(size)
