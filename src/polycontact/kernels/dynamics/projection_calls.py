"""Calls by address of what projects states onto loops, which is compiled only where there are some."""

from __future__ import annotations

from polycontact.kernels.addresses import Interface

PROJECT = Interface("long", ("long", "double", "long", "double"))
"""project(system, t, y, tolerance): moves the state at an address onto loops and couplers; 1 where that succeeds."""
VIOLATION = Interface("double", ("long", "double", "long"))
"""violation(system, t, y): the greatest violation of a loop or coupler at the state at an address."""

call_project = PROJECT.caller()
call_violation = VIOLATION.caller()
