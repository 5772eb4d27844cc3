"""Arrays and the JSON text that refers to them, one after the other, as the page reads them.

Layout: length of a JSON text (uint32), the text, padding, arrays one after the other, each at a multiple of 8 bytes.
In the JSON an array stands as {"at", "n", "type"}. All of it is little-endian, as every browser's machine is.
"""

from __future__ import annotations

import json
import struct
from typing import Any

import numpy as np
from numpy.typing import NDArray

_TYPES = {"f4": "f32", "u4": "u32", "i2": "i16", "u2": "u16", "i1": "i8", "u1": "u8"}


class Store:
    """Arrays in one block of bytes, one after another."""

    def __init__(self) -> None:
        self._chunks: list[bytes] = []
        self._length = 0

    def add(self, array: NDArray[Any], dtype: str) -> dict[str, Any]:
        """Keep an array in the given type; returns how the JSON refers to it."""
        data = np.ascontiguousarray(array, dtype=f"<{dtype}")
        where = {"at": self._length, "n": int(data.size), "type": _TYPES[dtype]}
        chunk = data.tobytes()
        chunk += bytes(-len(chunk) % 8)
        self._chunks.append(chunk)
        self._length += len(chunk)
        return where

    def bytes(self, content: dict[str, Any]) -> bytes:
        """All arrays after the JSON text that refers to them."""
        text = json.dumps(content, allow_nan=False, ensure_ascii=False, separators=(",", ":")).encode()
        text += b" " * (-(len(text) + 4) % 8)
        return struct.pack("<I", len(text)) + text + b"".join(self._chunks)


def plain(values: NDArray[np.float64]) -> list[float]:
    """Numbers with six digits, for JSON; what a failed run left without a value becomes 0."""
    finite = np.nan_to_num(values, nan=0.0, posinf=0.0, neginf=0.0)
    return [float(f"{value:.6g}") for value in finite.ravel().tolist()]
