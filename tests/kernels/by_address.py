"""Memory and a function reached by their addresses; as a program it prints what they gave, with the JIT on or off."""

from __future__ import annotations

import json

import numba
import numpy as np

from polycontact.kernels.addresses import address_of, call_method, data_address, doubles_at


@numba.njit("int64(int64, int64, int64)")
def weighted(a: int, b: int, c: int) -> int:
    return a + 10 * b + 100 * c


@numba.njit
def through(function: int, numbers: int, other: np.ndarray) -> int:
    """Reads and writes three numbers at one address, with three more at that of an array."""
    values, more = doubles_at(numbers, 3), doubles_at(data_address(other), 3)
    for k in range(3):
        values[k] += 0.5 * more[k]
    return call_method(function, int(more[0]), int(more[1]), int(more[2]))


def found() -> dict[str, object]:
    other, numbers = np.array([4.0, 5.0, 6.0]), np.array([1.0, 2.0, 3.0])
    answer = through(address_of(weighted), numbers.ctypes.data, other)
    return {"answer": int(answer), "numbers": numbers.tolist()}


if __name__ == "__main__":
    print(json.dumps(found()))
