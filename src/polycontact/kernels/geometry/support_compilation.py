"""Support mappings that users write, compiled and called as our own are (S4.31).

def mapping(n, parameters): …    a unit vector in, the point (x, y, z) that lies farthest in its direction out
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numba import types

from polycontact.kernels.addresses import address_of, call_method, data_address, doubles_at
from polycontact.kernels.jit import entry_kernel, uncached_entry, uncached_inline
from polycontact.kernels.views import Doubles, View, cast_to, count, doubles


class MappingParameters(View):
    """Numbers that a user's support mapping gets."""

    n = count("numbers")
    values = doubles("n", doc="the numbers, in the user's own units")


as_mapping_parameters = cast_to(MappingParameters)


def compile_mapping(function: Callable[..., Any]) -> int:
    """Address of code (parameters, direction, point; by addresses) that calls a user's function."""
    mapping: Any = uncached_inline(function)

    def stage(parameters: int, direction: int, point: int) -> int:
        n, out = doubles_at(direction, 3), doubles_at(point, 3)
        found = mapping((n[0], n[1], n[2]), as_mapping_parameters(parameters).values)
        out[0], out[1], out[2] = found[0], found[1], found[2]
        return 0

    return address_of(uncached_entry((types.int64, types.int64, types.int64))(stage))


@entry_kernel("void(int64, int64, float64[:,::1], float64[:,::1])")
def map_directions(mapping: int, parameters: int, directions: Doubles, points: Doubles) -> None:
    """Points (n, 3) of a user's mapping for unit vectors (n, 3)."""
    for k in range(len(directions)):
        call_method(mapping, parameters, data_address(directions[k]), data_address(points[k]))
