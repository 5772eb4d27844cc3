"""Descriptions and outcomes as the text in which run files keep them."""

from __future__ import annotations

import enum
import json
import os
from typing import Any

import numpy as np


def to_json(content: Any) -> str:
    """JSON of plain values, arrays, paths and enums; anything else as its text."""
    return json.dumps(content, default=_plain, ensure_ascii=False)


def _plain(value: Any) -> Any:
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    if isinstance(value, enum.Enum):
        return value.value
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if isinstance(value, set | frozenset):
        return sorted(value)
    return str(value)
