"""What Python calls: one evaluation, or several, by any method; relative kinematics in, wrench out."""

from __future__ import annotations

from numba import types

from polycontact.kernels.addresses import call_method, data_address
from polycontact.kernels.contact.contact_report import as_report
from polycontact.kernels.jit import entry_kernel
from polycontact.kernels.views import Doubles, Longs

# Types of the entries: kinematics may be read-only.
_VECTOR = types.Array(types.float64, 1, "C", readonly=True)
_MATRIX = types.Array(types.float64, 2, "C", readonly=True)
_OUT = types.Array(types.float64, 1, "C")
_OUTS = types.Array(types.float64, 2, "C")
_ADDRESSES = types.Array(types.int64, 1, "C")


@entry_kernel((types.int64, types.int64, _MATRIX, _VECTOR, _VECTOR, _VECTOR, _OUT))
def evaluate(method: int, row: int, R: Doubles, r: Doubles, v: Doubles, w: Doubles, out: Doubles) -> int:
    """Wrench on E at marker F into ``out`` (force, torque; N, N m) for the pose and velocity of F in E.

    ``method``: address of a method's entry; ``row``: address of an evaluation, which begins with a report. Returns the
    status bits; with an OVERFLOW bit the wrench is not valid and a buffer must be enlarged.
    """
    kinematics = as_report(row).kinematics
    for i in range(3):
        for j in range(3):
            kinematics[3 * i + j] = R[i, j]
        kinematics[9 + i] = r[i]
        kinematics[12 + i] = v[i]
        kinematics[15 + i] = w[i]
    return int(call_method(method, row, data_address(kinematics), data_address(out)))


@entry_kernel((_ADDRESSES, _ADDRESSES, _OUTS, _OUTS))
def evaluate_many(methods: Longs, rows: Longs, kinematics: Doubles, out: Doubles) -> None:
    """Wrenches of several pairings in one call: their methods and rows, kinematics (n, 18), ``out`` (n, 6).

    The status of each stands in its report.
    """
    for i in range(len(rows)):
        call_method(methods[i], rows[i], data_address(kinematics[i]), data_address(out[i]))
