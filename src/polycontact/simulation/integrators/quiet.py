"""Keeps SUNDIALS' error messages off the standard output.

scikit-sundae prints each of them, beside returning a status that becomes an exception here. The messages are caught
by their form; whatever else is printed meanwhile, by f or by another thread, goes its way.
"""

from __future__ import annotations

import re
import sys
import threading
from types import TracebackType
from typing import Any, TextIO

MESSAGE = re.compile(r"\n\[\w+, Error: -?\d+\] (.*)\n\Z", re.DOTALL)
"""How scikit-sundae prints: "[function, Error: code] text" between empty lines."""


class _Filter:
    """A text stream that drops SUNDIALS' messages and keeps the last one of each thread."""

    def __init__(self, stream: TextIO) -> None:
        self.stream = stream
        self.messages: dict[int, str] = {}
        self._line_end_due: set[int] = set()

    def write(self, text: str) -> int:
        thread = threading.get_ident()
        if found := MESSAGE.match(text):
            self.messages[thread] = " ".join(found.group(1).split())
            self._line_end_due.add(thread)
            return len(text)
        if text == "\n" and thread in self._line_end_due:
            self._line_end_due.discard(thread)
            return 1
        return self.stream.write(text)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.stream, name)


class QuietSundials:
    """A context in which SUNDIALS prints nothing; `message` is what it would have printed last.

    Contexts of several threads share one filter, put in place by the first and taken away by the last.
    """

    _lock = threading.Lock()
    _users = 0
    _filter: _Filter | None = None

    def __init__(self) -> None:
        self.message = ""

    def __enter__(self) -> QuietSundials:
        """Put the filter in place."""
        cls = QuietSundials
        with cls._lock:
            if cls._filter is None and sys.stdout is not None:
                cls._filter = _Filter(sys.stdout)
                sys.stdout = cls._filter
            cls._users += 1
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Remove the filter when its last user has left."""
        cls = QuietSundials
        with cls._lock:
            cls._users -= 1
            current = cls._filter
            if current is None:
                return
            if current.messages:
                self.message = current.messages.pop(threading.get_ident(), "")
            if cls._users == 0:
                if sys.stdout is current:
                    sys.stdout = current.stream
                cls._filter = None
