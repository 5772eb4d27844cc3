"""A mesh under repair, and the record of what was done to it."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Draft:
    """State between two steps of a repair.

    ``vertices`` (n, 3): positions in m; ``points`` (n, 3): the same in units of the mesh's size about its
    centre; ``triangles`` (m, 3): rows of both; ``tolerance``: in units of the size; ``record``: what was
    done, as (sentence with a plural in braces, count).
    """

    vertices: NDArray[np.float64]
    points: NDArray[np.float64]
    triangles: NDArray[np.int64]
    tolerance: float
    record: tuple[tuple[str, int], ...] = ()

    def with_triangles(self, triangles: NDArray[np.int64], sentence: str = "", count: int = 0) -> Draft:
        """The draft with other triangles; ``sentence`` says what was done ``count`` times."""
        return replace(self, triangles=triangles, record=self._recorded(sentence, count))

    def with_vertices(self, chosen: NDArray[np.int64]) -> Draft:
        """The draft with only (or several times) the ``chosen`` vertices; the triangles have to follow."""
        return replace(self, vertices=self.vertices[chosen], points=self.points[chosen])

    def with_middles(self, ends: NDArray[np.int64]) -> Draft:
        """The draft with a vertex more in the middle of each pair of vertices ``ends`` (k, 2)."""
        vertices, points = ((0.5 * x[ends]).sum(axis=1) for x in (self.vertices, self.points))
        return replace(
            self,
            vertices=np.concatenate((self.vertices, vertices)),
            points=np.concatenate((self.points, points)),
        )

    def _recorded(self, sentence: str, count: int) -> tuple[tuple[str, int], ...]:
        return (*self.record, (sentence, count)) if count else self.record

    def sentences(self) -> tuple[str, ...]:
        """What was done, in the order in which it was first done, with counts added up."""
        totals: dict[str, int] = {}
        for sentence, count in self.record:
            totals[sentence] = totals.get(sentence, 0) + count
        return tuple(sentence.format(**_in_words(count)) for sentence, count in totals.items())


def _in_words(count: int) -> dict[str, str]:
    """The count with each noun that a sentence may use."""
    nouns = {"vertices": "vertex", "triangles": "triangle", "components": "component", "holes": "hole"}
    return {plural: f"{count} {singular if count == 1 else plural}" for plural, singular in nouns.items()}
