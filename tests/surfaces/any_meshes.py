"""Meshes of any kind, for properties of check and repair: nonsense, and sound bodies with some damage."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from raw_meshes import Arrays, box, joined, sphere

COORDINATES = st.one_of(
    st.sampled_from([0.0, 1.0, -1.0, 0.5, 1e-7, 1e300, -1e308, 1e-300, np.nan, np.inf]), st.floats(-2, 2)
)
BODIES = (box, lambda: sphere(0), lambda: sphere(1), lambda: joined(box(), box((5, 0, 0))))


@st.composite
def nonsense(draw: st.DrawFn) -> Arrays:
    """Vertices and triangles that have nothing to do with each other; ids may not exist."""
    vertices = draw(st.lists(st.tuples(COORDINATES, COORDINATES, COORDINATES), max_size=9))
    triangles = draw(st.lists(st.tuples(*[st.integers(-1, 9)] * 3), max_size=14))
    return np.array(vertices).reshape(-1, 3), np.array(triangles, dtype=np.int64).reshape(-1, 3)


@st.composite
def damaged(draw: st.DrawFn) -> Arrays:
    """A sound body with up to three changes, each of a vertex, a corner or a whole triangle."""
    vertices, triangles = draw(st.sampled_from(BODIES))()
    for _ in range(draw(st.integers(0, 3))):
        t = draw(st.integers(0, len(triangles) - 1))
        change = draw(st.sampled_from(["shake", "move", "corner", "turn", "drop", "double"]))
        if change == "shake":
            vertices[triangles[t, 0]] += draw(st.sampled_from([1e-12, 1e-7, 0.05]))
        elif change == "move":
            vertices[triangles[t, 0], draw(st.integers(0, 2))] = draw(COORDINATES)
        elif change == "corner":
            triangles[t, 0] = draw(st.integers(-1, len(vertices)))
        elif change == "turn":
            triangles[t] = triangles[t, ::-1]
        elif change == "drop" and len(triangles) > 1:
            triangles = np.delete(triangles, t, axis=0)
        else:
            triangles = np.concatenate((triangles, triangles[t : t + 1]))
    return vertices, triangles


any_mesh = st.one_of(nonsense(), damaged())
