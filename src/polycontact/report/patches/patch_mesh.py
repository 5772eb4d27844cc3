"""The contact elements of one evaluation as a mesh of triangles, each with the values of its element."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from polycontact.contact.methods import Base
from polycontact.contact.result import ContactResult
from polycontact.report.view.element_shapes import element_shapes, means


@dataclass(frozen=True, eq=False)
class PatchMesh:
    """Contact patches as triangles with a value of each.

    ``points`` (n, 3) m; ``triangles`` (m, 3) into them, outward as on the base; of each triangle (m,) or (m, 3):
    ``pressure`` Pa, ``depth`` m, ``slip`` velocity of F against E m/s, ``pairing`` number, ``element`` number of its
    element in the pairing's table, ``side`` 0 where E is the base and 1 where F is. Where both surfaces are the base,
    each shows the whole pressure, as the greatest pressure of a run does; the table of elements has half of it. Where
    several elements lie on one piece of surface, cells of a triangle, values are their mean by area and ``element`` is
    the first of them. ``share``: depth at the middle of a triangle over the mean of its piece, which pressure and depth
    include; 1 where a piece has one depth.
    """

    points: NDArray[np.float64]
    triangles: NDArray[np.int64]
    pressure: NDArray[np.float64]
    depth: NDArray[np.float64]
    slip: NDArray[np.float64]
    pairing: NDArray[np.int64]
    element: NDArray[np.int64]
    side: NDArray[np.int64]
    share: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.triangles)

    def placed(self, rotation: NDArray[np.float64], position: NDArray[np.float64]) -> PatchMesh:
        """The mesh and its slip in other axes: ``x -> rotation @ x + position`` (m)."""
        changes = {"points": self.points @ rotation.T + position, "slip": self.slip @ rotation.T}
        return PatchMesh(**{each.name: changes.get(each.name, getattr(self, each.name)) for each in fields(self)})

    @classmethod
    def joined(cls, meshes: Iterable[PatchMesh]) -> PatchMesh:
        """All meshes in one, with vertices numbered through; an empty mesh if there are none."""
        parts = list(meshes)
        if not parts:
            return cls(
                np.zeros((0, 3)),
                np.zeros((0, 3), np.int64),
                np.zeros(0),
                np.zeros(0),
                np.zeros((0, 3)),
                np.zeros(0, np.int64),
                np.zeros(0, np.int64),
                np.zeros(0, np.int64),
                np.zeros(0),
            )
        first = np.cumsum([0, *(len(part.points) for part in parts[:-1])])
        columns = {each.name: np.concatenate([getattr(part, each.name) for part in parts]) for each in fields(cls)}
        columns["triangles"] = np.concatenate(
            [part.triangles + start for part, start in zip(parts, first, strict=True)]
        )
        return cls(**columns)


def mesh_of_result(result: ContactResult, pairing: int = 0) -> PatchMesh:
    """Patches of an evaluation in frame E: clipped elements as they are cut, others as whole triangles."""
    elements, made = result.elements, result._pairing
    R, r, _, _ = result.kinematics.arrays()
    shapes = [element_shapes(made, result, side) for side in (0, 1)]
    points = [shapes[0].triangles, shapes[1].triangles @ R.T + r]
    pressure = (2.0 if made.base is Base.BOTH else 1.0) * elements.pressure
    piece = result._pieces.piece
    return build_mesh(
        np.concatenate(points),
        np.concatenate([each.element for each in shapes]),
        means(pressure, elements.area, piece),
        means(elements.depth, elements.area, piece),
        means(elements.slip, elements.area, piece),
        elements.side,
        pairing,
        np.concatenate([each.share for each in shapes]),
    )


def build_mesh(
    corners: NDArray[np.float64],
    row: NDArray[np.int64],
    pressure: NDArray[np.float64],
    depth: NDArray[np.float64],
    slip: NDArray[np.float64],
    side: NDArray[np.integer],
    pairing: int,
    share: NDArray[np.float64] | None = None,
) -> PatchMesh:
    """A mesh of triangles (k, 3, 3) m, with the number of the element of each (k,) and the values of elements.

    ``share`` (k,) multiplies pressure and depth.
    """
    share = np.ones(len(row)) if share is None else share
    return PatchMesh(
        points=corners.reshape(-1, 3),
        triangles=np.arange(3 * len(row)).reshape(-1, 3),
        pressure=pressure[row] * share,
        depth=depth[row] * share,
        slip=slip[row],
        pairing=np.full(len(row), pairing),
        element=row,
        side=side[row].astype(np.int64),
        share=share,
    )
