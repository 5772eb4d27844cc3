"""Laws that users write: functions over the table of elements, compiled and called as our own are.

def press(elements, parameters): …                          normal or tangential, per area or per point
def creep(elements, parameters, states, memory): …          with states of its own or memory of elements
def stick(elements, parameters, states, memory, pose): …    and with the pose of F in E
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from numba import types

from polycontact.kernels.addresses import address_of
from polycontact.kernels.contact.contact_header import as_header, as_law
from polycontact.kernels.jit import uncached_entry, uncached_inline
from polycontact.kernels.views import View, cast_to, count, doubles


class UserParameters(View):
    """Numbers that a user's law gets."""

    n = count("numbers")
    values = doubles("n", doc="the numbers, in the user's own units")


as_user_parameters = cast_to(UserParameters)


def compile_law(function: Callable[..., None]) -> int:
    """Address of a stage that calls a user's function with the views it asks for."""
    law: Any = uncached_inline(function)
    n_arguments = len(inspect.signature(function).parameters)
    if n_arguments == 2:

        def stage(row: int, place: int) -> int:
            law(as_header(row).elements, as_user_parameters(as_law(place).parameters).values)
            return 0

    elif n_arguments == 4:

        def stage(row: int, place: int) -> int:
            own = as_law(place)
            law(as_header(row).elements, as_user_parameters(own.parameters).values, own.states, own.memory)
            return 0

    else:

        def stage(row: int, place: int) -> int:
            header = as_header(row)
            own = as_law(place)
            law(header.elements, as_user_parameters(own.parameters).values, own.states, own.memory, header.pose)
            return 0

    return address_of(uncached_entry((types.int64, types.int64))(stage))
