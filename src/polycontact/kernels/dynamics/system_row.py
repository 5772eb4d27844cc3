"""What crosses from Python: the row of an evaluation, and the types of the entries."""

from __future__ import annotations

import numpy as np
from numba import types
from numpy.typing import NDArray

from polycontact.kernels.dynamics.evaluation_views import NearSearch, PairContacts, SystemView
from polycontact.kernels.views import cast_to

Row = NDArray[np.int64]
"""The slots of a `SystemView`."""

system_at = cast_to(SystemView)
"""``system_at(row)``: the `SystemView` whose slots a row holds."""

contacts_at = cast_to(PairContacts)
"""``contacts_at(place)``: the `PairContacts` at an address."""

search_at = cast_to(NearSearch)
"""``search_at(place)``: the `NearSearch` at an address."""

ROW = types.Array(types.int64, 1, "C")
"""Type of the row of slots."""
STATE = types.Array(types.float64, 1, "C", readonly=True)
"""Type of a state y that is only read."""
OUT = types.Array(types.float64, 1, "C")
"""Type of an array of numbers to write to."""
VECTORS = types.Array(types.float64, 2, "C")
"""Type of a table of numbers, one row a body."""
