"""What `check_surface` reports: problems, each with examples, a reason and a remedy."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from polycontact.wording import counted, format_vector

Point = tuple[float, float, float]

MAX_EXAMPLES = 5
"""Examples shown of each problem."""


class Severity(StrEnum):
    """How bad a problem is: an error makes the mesh unfit, a warning deserves a look, a note is for
    information."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


class ProblemKind(StrEnum):
    """Kinds of problems, in the order in which they are reported among those of one severity."""

    NO_TRIANGLES = "no_triangles"
    INVALID_INDICES = "invalid_indices"
    NON_FINITE_COORDINATES = "non_finite_coordinates"
    DUPLICATE_VERTICES = "duplicate_vertices"
    CRACKS = "cracks"
    NON_MANIFOLD_EDGES = "non_manifold_edges"
    NON_MANIFOLD_VERTICES = "non_manifold_vertices"
    INCONSISTENT_ORIENTATION = "inconsistent_orientation"
    INWARD_ORIENTATION = "inward_orientation"
    DEGENERATE_FACES = "degenerate_faces"
    NEEDLE_FACES = "needle_faces"
    DUPLICATE_FACES = "duplicate_faces"
    SELF_INTERSECTIONS = "self_intersections"
    TOUCHING_FACES = "touching_faces"
    SEARCH_STOPPED = "search_stopped"
    BORDER_EDGES = "border_edges"
    SEVERAL_COMPONENTS = "several_components"
    UNUSED_VERTICES = "unused_vertices"


class ElementKind(StrEnum):
    """What the indices of an example refer to; an edge is named by its two vertices."""

    VERTEX = "vertex"
    EDGE = "edge"
    TRIANGLE = "triangle"


@dataclass(frozen=True)
class ProblemExample:
    """One place where a problem occurs: indices of ``element`` and a position in m (None where it has
    none)."""

    element: ElementKind
    indices: tuple[int, ...]
    position: Point | None

    def __str__(self) -> str:
        numbers = ("–" if self.element is ElementKind.EDGE else ", ").join(str(i) for i in self.indices)
        where = "" if self.position is None else f" at {format_vector(self.position)}"
        return f"{self.element.value} {numbers}{where}"

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        position = None if self.position is None else [_finite(x) for x in self.position]
        return {"element": self.element.value, "indices": list(self.indices), "position": position}


@dataclass(frozen=True)
class SurfaceProblem:
    """One kind of problem of a mesh: how often it occurs, where, what it means and what to do about it."""

    kind: ProblemKind
    severity: Severity
    count: int
    examples: tuple[ProblemExample, ...]
    message: str
    remedy: str

    @property
    def title(self) -> str:
        """The kind of the problem in words, as reports show it."""
        return self.kind.value.replace("_", " ")

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        return {
            "kind": self.kind.value,
            "severity": self.severity.value,
            "count": self.count,
            "examples": [example.to_dict() for example in self.examples],
            "message": self.message,
            "remedy": self.remedy,
        }


@dataclass(frozen=True, repr=False)
class SurfaceReport:
    """What `check_surface` found.

    ``volume`` (m³, signed) is None for a mesh that is not closed, ``bounds`` (lower and upper corner, m) is
    None for one without triangles. ``area`` in m² counts the triangles that have finite corners. ``notes``
    says what was done while reading the file.
    """

    name: str
    problems: tuple[SurfaceProblem, ...]
    n_vertices: int
    n_triangles: int
    n_components: int
    is_closed: bool
    volume: float | None
    area: float
    bounds: tuple[Point, Point] | None
    notes: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        """No problem is an error: the mesh can become a surface."""
        return not self.errors

    @property
    def errors(self) -> tuple[SurfaceProblem, ...]:
        """Problems that make the mesh unfit."""
        return self._of(Severity.ERROR)

    @property
    def warnings(self) -> tuple[SurfaceProblem, ...]:
        """Problems of severity "warning": they deserve a look, and do not forbid contact."""
        return self._of(Severity.WARNING)

    def find(self, kind: ProblemKind) -> SurfaceProblem | None:
        """The problem of this kind, or None where there is none."""
        return next((problem for problem in self.problems if problem.kind is kind), None)

    def _of(self, severity: Severity) -> tuple[SurfaceProblem, ...]:
        return tuple(problem for problem in self.problems if problem.severity is severity)

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        return {
            "name": self.name,
            "ok": self.ok,
            "problems": [problem.to_dict() for problem in self.problems],
            "n_vertices": self.n_vertices,
            "n_triangles": self.n_triangles,
            "n_components": self.n_components,
            "is_closed": self.is_closed,
            "volume": None if self.volume is None else _finite(self.volume),
            "area": _finite(self.area),
            "bounds": None if self.bounds is None else [list(corner) for corner in self.bounds],
            "notes": list(self.notes),
        }

    def __repr__(self) -> str:
        return f"SurfaceReport({self.name!r}, {self.verdict}: {self.summary})"

    def __str__(self) -> str:
        lines = [f"{self.name}: {self.verdict}", f"  {self.summary}"]
        for problem in self.problems:
            lines.append(f"  {problem.severity.value}: {problem.title} ({problem.count}): {problem.message}")
            if problem.examples:
                lines.append(f"    e.g. {'; '.join(str(example) for example in problem.examples)}")
            lines.append(f"    remedy: {problem.remedy}")
        return "\n".join(lines)

    @property
    def verdict(self) -> str:
        """The outcome in a few words."""
        counts = ((len(self.errors), "error"), (len(self.warnings), "warning"))
        found = ", ".join(f"{n} {word}{'s' if n > 1 else ''}" for n, word in counts if n)
        return ("ok" if self.ok else "not ok") + (f", {found}" if found else "")

    @property
    def summary(self) -> str:
        """Size and shape in one line."""
        parts = [
            counted(self.n_vertices, "vertex", "vertices"),
            counted(self.n_triangles, "triangle"),
            counted(self.n_components, "component"),
            "closed" if self.is_closed else "open",
            f"area {self.area:.6g} m²",
        ]
        if self.volume is not None:
            parts.append(f"volume {self.volume:.6g} m³")
        if self.bounds is not None:
            parts.append(f"from {format_vector(self.bounds[0])} to {format_vector(self.bounds[1])} m")
        return ", ".join(parts)


def search_stopped(sought: str, n_found: int) -> SurfaceProblem:
    """The warning that a search ended before it had looked at everything."""
    return SurfaceProblem(
        kind=ProblemKind.SEARCH_STOPPED,
        severity=Severity.WARNING,
        count=1,
        examples=(),
        message=f"the search for {sought} ended early, after {n_found} finds: not everything was looked at",
        remedy="mend what was found and check again; many long needles in one place make the search long",
    )


def _finite(value: float) -> float | None:
    """The value, or None for what JSON does not have: infinity and NaN."""
    return value if math.isfinite(value) else None
