"""What the process of the run and that of its page tell each other: lines of JSON through two pipes.

To the page: first an `Order`, then a `RunState` whenever it changes; the end of the pipe is the end of the page. To the
run: first {"url"} or {"error"}, then {"do"} with one of `COMMANDS` whenever a button is pressed.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import Any

COMMANDS = ("pause", "go on", "stop")
"""What a page may ask of a run."""


@dataclass(frozen=True)
class Order:
    """What to serve: the run file ``path``, on ``port`` (0: any that is free).

    ``awaited``: a browser was started, which may come when a short run is over already.
    """

    path: str
    port: int
    awaited: bool


@dataclass(frozen=True)
class RunState:
    """Where a run stands: ``time`` and ``end_time`` s, ``contacts`` that touch, whether it waits or is over."""

    begun: bool = False
    time: float = 0.0
    end_time: float = 0.0
    real_time_factor: float = 0.0
    contacts: int = 0
    paused: bool = False
    over: bool = False
    status: str = "running"
    message: str = ""


def to_line(told: Order | RunState | dict[str, Any]) -> str:
    """An order, a state or plain values as JSON that ends with a line break."""
    return json.dumps(told if isinstance(told, dict) else asdict(told)) + "\n"
