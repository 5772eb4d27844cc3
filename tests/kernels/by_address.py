"""Memory and a function reached by their addresses; as a program it prints what they gave, with the JIT on or off."""

from __future__ import annotations

import json

import numba
import numpy as np

from polycontact.kernels.addresses import address_of, call_address, doubles_at, row_at


@numba.njit("int64(int64, int64, int64)")
def weighted(a: int, b: int, c: int) -> int:
    return a + 10 * b + 100 * c


@numba.njit
def through(function: int, row: int, numbers: int) -> int:
    """Reads and writes three numbers at one address, with three integers at another."""
    integers, values = row_at(row, 3), doubles_at(numbers, 3)
    for k in range(3):
        values[k] += 0.5 * integers[k]
    return call_address(function, integers[0], integers[1], integers[2])


def found() -> dict[str, object]:
    row, numbers = np.array([4, 5, 6]), np.array([1.0, 2.0, 3.0])
    answer = through(address_of(weighted), row.ctypes.data, numbers.ctypes.data)
    return {"answer": int(answer), "numbers": numbers.tolist()}


if __name__ == "__main__":
    print(json.dumps(found()))
