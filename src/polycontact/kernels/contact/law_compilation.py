"""Laws that users write: functions over the table of elements, compiled and called as our own are.

def press(elements, parameters): …                       normal or tangential, per area or per point
def stick(elements, parameters, states, memory): …       with states of its own or memory of elements
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from numba.core import types

from polycontact.kernels.addresses import address_of
from polycontact.kernels.contact.contact_header import as_header
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
    if len(inspect.signature(function).parameters) == 2:

        def stage(row: int, parameters: int) -> int:
            law(as_header(row).elements, as_user_parameters(parameters).values)
            return 0

    else:

        def stage(row: int, parameters: int) -> int:
            header = as_header(row)
            law(
                header.elements,
                as_user_parameters(parameters).values,
                header.report.states,
                header.memory,
            )
            return 0

    return address_of(uncached_entry((types.int64, types.int64))(stage))
