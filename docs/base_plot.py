"""The plot of the base's share: force with the other body as the base, over the depth, for simple contacts."""

from __future__ import annotations

from PIL import Image, ImageDraw, ImageFont

from proof.properties.base_dependence import contacts, measure

SIZE = (1000, 520)
FINE = 2
LEFT, RIGHT, TOP, BOTTOM = 70, 330, 30, 60
DEPTHS = (0.0025, 0.005, 0.0075, 0.01, 0.0125, 0.015, 0.0175, 0.02)
SHOWN = {
    "equal balls": "#16202a",
    "ball on ball of five times the radius": "#2a9d8f",
    "ball on plate": "#4c84b8",
    "lying cylinder on plate": "#7b5ea7",
    "cone of 75° on plate": "#e9c46a",
    "face of a box on plate": "#8fa3b5",
    "edge of a box on plate": "#f4a261",
    "corner of a box on plate": "#e76f51",
    "cone of 30° on plate": "#d1495b",
    "cone of 15° on plate": "#8c2f39",
}


def draw() -> Image.Image:
    """Lines with their names beside them, and the limits at depth zero as dots."""
    image = Image.new("RGB", (FINE * SIZE[0], FINE * SIZE[1]), "white")
    pencil = ImageDraw.Draw(image)
    _axes(pencil)
    ends = []
    for contact in contacts(4):
        if contact.name not in SHOWN:
            continue
        colour = SHOWN[contact.name]
        points = [_place(depth, measure(contact, depth).ratio) for depth in DEPTHS]
        x, y = _place(0.0, contact.limit)
        pencil.line([(x, y), *points], fill=colour, width=3 * FINE, joint="curve")
        pencil.ellipse((x - 5 * FINE, y - 5 * FINE, x + 5 * FINE, y + 5 * FINE), fill=colour)
        ends.append((points[-1][1], contact.name, colour))
    _names(pencil, sorted(ends))
    return image.resize(SIZE, Image.Resampling.LANCZOS)


def _place(depth: float, ratio: float) -> tuple[float, float]:
    width, height = SIZE[0] - LEFT - RIGHT, SIZE[1] - TOP - BOTTOM
    return FINE * (LEFT + width * depth / 0.02), FINE * (TOP + height * (1.05 - ratio) / 1.05)


def _axes(pencil: ImageDraw.ImageDraw) -> None:
    font = ImageFont.load_default(size=15 * FINE)
    for ratio in (0.0, 0.25, 0.5, 0.75, 1.0):
        pencil.line([_place(0.0, ratio), _place(0.02, ratio)], fill="#d5dbe1", width=FINE)
        x, y = _place(0.0, ratio)
        pencil.text((x - 14 * FINE, y), f"{ratio:g}", fill="#16202a", font=font, anchor="rm")
    for depth in (0.0, 0.005, 0.01, 0.015, 0.02):
        x, y = _place(depth, 0.0)
        pencil.text((x, y + 8 * FINE), f"{1e3 * depth:g}", fill="#16202a", font=font, anchor="ma")
    x, y = _place(0.01, 0.0)
    pencil.text((x, y + 32 * FINE), "depth, mm (balls of 100 mm radius)", fill="#16202a", font=font, anchor="ma")
    pencil.text(
        (FINE * 12, FINE * 6),
        "force with the plate, or the larger ball, as the base, over that with the other body",
        fill="#16202a",
        font=font,
    )


def _names(pencil: ImageDraw.ImageDraw, ends: list[tuple[float, str, str]]) -> None:
    """Beside the ends of lines, moved apart where they would overlap."""
    font = ImageFont.load_default(size=15 * FINE)
    lowest = -1e9
    x = FINE * (SIZE[0] - RIGHT + 14)
    for y, name, colour in ends:
        lowest = max(y, lowest + 19 * FINE)
        pencil.text((x, lowest), name, fill=colour, font=font, anchor="lm")
