"""Wear of two surfaces that slide on each other: Archard's law, by which maps of a run tell depths."""

from __future__ import annotations

from dataclasses import dataclass, field

from polycontact.contact.kinds import described
from polycontact.contact.options import check_options, option
from polycontact.wording import short_repr


@described("archard_wear")
@dataclass(frozen=True, repr=False)
class ArchardWear:
    """Wear of a contact: volume k N s / H for a normal force N over a sliding distance s (Archard 1953).

    Both bodies share it. It changes no force: maps of a run show how deep it is (`simulate` with ``maps``), and
    `Surface.worn` takes it off a surface. A specific wear rate w in m²/N, as tables often have it (1 mm³/(N m) is
    1e-9 m²/N), is a coefficient of w H.
    """

    coefficient: float = field(metadata=option("wear coefficient k", title="wear coefficient", at_least=0.0))
    hardness: float = field(metadata=option("hardness H of the softer surface", "Pa", above=0.0))
    share_e: float = field(
        default=0.5,
        metadata=option(
            "part of the worn volume that the first body loses, the second loses the rest",
            title="share of the first body",
            at_least=0.0,
            at_most=1.0,
        ),
    )

    __repr__ = short_repr

    def __post_init__(self) -> None:
        check_options(self, "wear")

    @property
    def rates(self) -> tuple[float, float]:
        """Wear depth of either body over pressure and sliding distance, 1/Pa."""
        rate = self.coefficient / self.hardness
        return rate * self.share_e, rate * (1.0 - self.share_e)
