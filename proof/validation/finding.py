"""What a source says, what came out here, and how far apart they may be."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Finding:
    """One number: ``published`` by the source or derived from it, and ``ours``, both in ``unit``.

    ``bound`` is the greatest |ours − published| over ``scale`` (|published| by default) and was derived before the
    number was measured; ``reason`` says from what.
    """

    quantity: str
    published: float
    ours: float
    unit: str
    bound: float
    reason: str
    scale: float | None = None

    @property
    def error(self) -> float:
        """Difference over the scale."""
        return abs(self.ours - self.published) / (abs(self.published) if self.scale is None else self.scale)

    @property
    def ok(self) -> bool:
        """Whether the difference is within its bound; false for what is no number."""
        return self.error <= self.bound

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "quantity": self.quantity,
            "published": self.published,
            "ours": self.ours,
            "unit": self.unit,
            "error": self.error,
            "bound": self.bound,
            "reason": self.reason,
            "ok": self.ok,
        }


@dataclass(frozen=True)
class Validation:
    """A case: who published it, what happens in it, and the numbers; ``plot`` is an SVG or empty."""

    name: str
    title: str
    source: str
    story: str
    findings: tuple[Finding, ...]
    plot: str = ""

    @property
    def ok(self) -> bool:
        """Whether all numbers are within their bounds."""
        return bool(self.findings) and all(each.ok for each in self.findings)

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "name": self.name,
            "title": self.title,
            "source": self.source,
            "story": self.story,
            "ok": self.ok,
            "findings": [each.to_dict() for each in self.findings],
            "plot": self.plot,
        }
