"""How pairs that may touch are found among all pairs: by broad phases of ours, or by a user's own (S2.4, S2.5)."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass, field

from numba import NumbaError

from polycontact.errors import MultibodyError
from polycontact.kernels.dynamics.all_pairs import TEST_ALL_PAIRS
from polycontact.kernels.dynamics.search_compilation import compile_search
from polycontact.kernels.dynamics.sweep_and_prune import SWEEP_ALONG_X, room_of_sweep
from polycontact.kernels.dynamics.uniform_grid import SORT_INTO_CELLS, room_of_grid

Room = Callable[[int, int], int]


def _no_room(n_shapes: int, n_pairs: int) -> int:
    return 0


@dataclass(frozen=True)
class BroadPhase:
    """Lists the pairs of shapes whose world boxes overlap; make one with `broad_phase`.

    ``name``; ``entry``: address of its compiled code; ``room``: function of the numbers of shapes and pairs, how many
    whole numbers it keeps from call to call.
    """

    name: str
    entry: int = field(repr=False)
    room: Room = field(default=_no_room, repr=False)

    def room_for(self, n_shapes: int, n_pairs: int) -> int:
        """Number of integers that the search keeps for so many shapes and pairs."""
        room = self.room(n_shapes, n_pairs)
        if isinstance(room, bool) or not isinstance(room, int) or room < 0:
            raise MultibodyError(
                f"broad phase {self.name!r}: room for {n_shapes} shapes and {n_pairs} pairs is {room!r}; give a whole "
                f"number, 0 for none"
            )
        return room


def broad_phase(name: str, *, room: Room | None = None) -> Callable[[Callable[..., int]], BroadPhase]:
    """Make a broad phase of a function, for ``MultibodySystem(broad_phase=…)``.

        @pc.multibody.broad_phase("every pair")
        def every_pair(boxes, pairs, near, memory):
            n = 0
            for i in range(pairs.n_pairs):
                e, f = pairs.shape_e[i], pairs.shape_f[i]
                if (boxes.low[e] <= boxes.high[f]).all() and (boxes.low[f] <= boxes.high[e]).all():
                    near[n] = i
                    n += 1
            return n

    The function is compiled. It gets ``boxes.low`` and ``boxes.high`` (n_shapes, 3), the corners of the shapes' boxes
    in the world (m), and the pairs that may touch: ``pairs.shape_e[i]`` and ``pairs.shape_f[i]`` are the shapes of pair
    i. It writes into ``near`` the number of every pair whose boxes overlap, once and in any order, and returns how
    many; a pair that it leaves out exerts no force. ``memory`` holds as many whole numbers as ``room(n_shapes,
    n_pairs)`` says, zeros at first, and stays as the function leaves it.
    """

    def make(function: Callable[..., int]) -> BroadPhase:
        n_arguments = len(inspect.signature(function).parameters)
        if n_arguments != 4:
            raise MultibodyError(
                f"broad phase {name!r}: its function has {n_arguments} arguments; expected (boxes, pairs, near, memory)"
            )
        try:
            return BroadPhase(name, compile_search(function), _no_room if room is None else room)
        except NumbaError as error:
            raise MultibodyError(
                f"broad phase {name!r} cannot be compiled; it must return how many pairs it has listed: {error}"
            ) from error

    return make


SWEEP_AND_PRUNE = BroadPhase("sweep and prune", SWEEP_ALONG_X, room_of_sweep)
"""Boxes are swept along x; where there are few pairs, each is tested. The default."""

UNIFORM_GRID = BroadPhase("uniform grid", SORT_INTO_CELLS, room_of_grid)
"""Shapes are sorted into cells, about twice as wide as they are."""

ALL_PAIRS = BroadPhase("all pairs", TEST_ALL_PAIRS)
"""The boxes of each pair are tested."""
