"""Shared by all tests: `scenes` beside this file is importable from every folder."""

from __future__ import annotations

import signal

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # A shell starts what runs in the background with interrupts ignored; tests interrupt themselves.
    signal.signal(signal.SIGINT, signal.default_int_handler)
