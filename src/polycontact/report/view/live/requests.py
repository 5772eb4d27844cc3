"""Which requests to the live page are answered: those of the page itself, and of nobody else.

Any web page in the same browser can send requests to the loopback address. It cannot know the random token in the path,
cannot set the header that commands need without asking first, and, where it has a name of its own that leads here (DNS
rebinding), the browser sends that name as host.
"""

from __future__ import annotations

import hmac
from collections.abc import Mapping
from typing import NamedTuple
from urllib.parse import parse_qs, urlsplit

from polycontact.report.view.live.thinning import MOST_FRAMES

LONGEST_PATH = 1024
"""Characters of the path and what follows it."""

LONGEST_BODY = 256
"""Bytes of a command."""

MOST_SAMPLES = 32
"""Frames that can be asked for at once."""

TOKEN_HEADER = "x-polycontact-token"
"""Header that commands carry; all names of headers are in small letters here."""

HEADERS = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:; "
        "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}
"""Sent with every answer: nothing is kept, framed, or read from another origin."""


class Asked(NamedTuple):
    """What a request asks for: "page", "state", "frames" or "command"; ``samples`` of frames, ``page`` that asks."""

    what: str
    samples: tuple[int, ...] = ()
    page: str = ""


class RefusedError(Exception):
    """A request that is not answered, with an HTTP ``status`` and a reason in words."""

    def __init__(self, status: int, reason: str) -> None:
        super().__init__(reason)
        self.status = status


def read_request(method: str, target: str, headers: Mapping[str, str], port: int, token: str) -> Asked:
    """The request in a message of a browser; one that is refused raises `RefusedError`."""
    if len(target) > LONGEST_PATH:
        raise RefusedError(414, "the path is too long")
    _refuse_others(headers, port)
    parts = urlsplit(target)
    folder, slash, name = parts.path.removeprefix("/").partition("/")
    if not hmac.compare_digest(folder.encode("utf-8", "replace"), token.encode()) or not slash:
        raise RefusedError(403, "this address is not that of the page; take the one that the run has printed")
    if method == "POST" and name == "command":
        _refuse_forged(headers, token)
        return Asked("command")
    if method != "GET":
        raise RefusedError(405, "this is only read")
    if name == "":
        return Asked("page")
    options = _options(parts.query)
    if name == "state":
        return Asked("state", page=options.get("page", "")[:32])
    if name == "frames":
        return Asked("frames", samples=_samples(options.get("samples", "")))
    raise RefusedError(404, "there is no such thing")


def _options(query: str) -> dict[str, str]:
    try:
        return {key: values[-1] for key, values in parse_qs(query, max_num_fields=4).items()}
    except ValueError:
        raise RefusedError(400, "the question is not understood") from None


def _refuse_others(headers: Mapping[str, str], port: int) -> None:
    """Raise where the request was meant for another host, or comes from the page of one."""
    hosts = (f"127.0.0.1:{port}", f"localhost:{port}")
    if headers.get("host") not in hosts:
        raise RefusedError(421, "the host is not this machine")
    origin = headers.get("origin")
    if origin is not None and origin not in [f"http://{host}" for host in hosts]:
        raise RefusedError(403, "another page asks")
    if headers.get("sec-fetch-site", "none") not in ("none", "same-origin"):
        raise RefusedError(403, "another page asks")


def _refuse_forged(headers: Mapping[str, str], token: str) -> None:
    """Raise where a command does not come from the page: only a script of its own origin sets this header."""
    if not hmac.compare_digest(headers.get(TOKEN_HEADER, "").encode("utf-8", "replace"), token.encode()):
        raise RefusedError(403, "commands come from the page only")


def body_length(headers: Mapping[str, str]) -> int:
    """Bytes of a command, or `RefusedError`."""
    text = headers.get("content-length", "")
    if not text.isascii() or not text.isdigit():
        raise RefusedError(411, "the length of the command is not known")
    if len(text) > 6 or int(text) > LONGEST_BODY:
        raise RefusedError(413, "the command is too long")
    return int(text)


def _samples(text: str) -> tuple[int, ...]:
    """Numbers of samples, or `RefusedError`."""
    words = text.split(",")
    if not 0 < len(words) <= min(MOST_SAMPLES, MOST_FRAMES):
        raise RefusedError(400, f"1 to {MOST_SAMPLES} samples can be asked for")
    if not all(word.isascii() and word.isdigit() and len(word) < 16 for word in words):
        raise RefusedError(400, "samples have numbers")
    return tuple(int(word) for word in words)
