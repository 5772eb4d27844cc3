"""How often Python looks for circular garbage in processes of ours.

Modules and kernels are some hundred thousand objects that stay. Usually Python looks through them again and again while
they are loaded, and several times when the process ends: a fifth of what a short command takes.
"""

from __future__ import annotations

import atexit
import gc
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

_NEW_OBJECTS: Final = 100_000
"""Python looks for garbage among new objects when there are so many more of them; by default 700. Objects that refer
to each other take some 10 MB until then."""


@contextmanager
def rare_collections() -> Iterator[None]:
    """Look for circular garbage seldom; afterwards as before, and no more when the process ends, which frees all."""
    before = gc.get_threshold()
    gc.set_threshold(_NEW_OBJECTS, *before[1:])
    atexit.unregister(gc.freeze)
    atexit.register(gc.freeze)
    try:
        yield
    finally:
        gc.set_threshold(*before)
