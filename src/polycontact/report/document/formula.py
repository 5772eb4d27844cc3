"""Formulas as MathML, which browsers show without a script, from a small part of TeX.

Known: letters, numbers and operators as they are, ``^`` and ``_`` with one sign or a group in braces, ``\\frac{}{}``,
``\\sqrt{}``, ``\\text{}``, ``\\int``, ``\\quad``, names of functions such as ``\\sin``. Greek letters are written as
such.
"""

from __future__ import annotations

import re
from html import escape

from polycontact.errors import PolycontactError

TOKEN = re.compile(r"\\[a-zA-Z]+|\d+(?:\.\d+)?|\s+|.", re.DOTALL)
FUNCTIONS = {"sin", "cos", "tan", "arccos", "arctan", "ln", "exp", "max", "min"}
SIGNS = {
    "cdot": "·",
    "int": "∫",
    "le": "≤",
    "ge": "≥",
    "approx": "≈",
    "to": "→",
    "infty": "∞",
    "ll": "≪",
    "times": "×",
    "sim": "∼",
}
OPERATORS = set("+-=<>()[]|,;:·∫≤≥≈→≪×/−∂′∼")


def formula(text: str, *, block: bool = False) -> str:
    """MathML of ``text``; ``block``: on a line of its own."""
    reader = _Reader(TOKEN.findall(text), text)
    content = reader.row(until="")
    display = ' display="block"' if block else ""
    return f"<math{display}><mrow>{content}</mrow></math>"


class _Reader:
    """Reads tokens from left to right."""

    def __init__(self, tokens: list[str], text: str) -> None:
        self._tokens = [token for token in tokens if not token.isspace() or token == " "]
        self._text = text
        self._at = 0

    def row(self, until: str) -> str:
        """All up to the token ``until``, which is taken too."""
        parts: list[str] = []
        while (token := self._next()) != until:
            if token == "":
                raise PolycontactError(f"formula {self._text!r}: a brace is not closed")
            if token != " ":
                parts.append(self._scripted(token))
        return "".join(parts)

    def _scripted(self, token: str) -> str:
        """An atom with what stands below and above it."""
        base = self._atom(token)
        scripts = {"_": "", "^": ""}
        while self._peek() in scripts:
            sign = self._next()
            scripts[sign] = self._atom(self._next())
        low, high = scripts["_"], scripts["^"]
        space = '<mspace width="0.15em"/>' if token[1:] in FUNCTIONS else ""
        if low and high:
            return f"<msubsup>{base}{low}{high}</msubsup>{space}"
        if low or high:
            kind = "msub" if low else "msup"
            return f"<{kind}>{base}{low or high}</{kind}>{space}"
        return base + space

    def _atom(self, token: str) -> str:
        if token == "{":
            return f"<mrow>{self.row('}')}</mrow>"
        if token.startswith("\\"):
            return self._command(token[1:])
        if token[0].isdigit():
            return f"<mn>{token}</mn>"
        if token in OPERATORS:
            return f"<mo>{escape(token.replace('-', '−'))}</mo>"
        return f"<mi>{escape(token)}</mi>"

    def _command(self, name: str) -> str:
        if name == "frac":
            return f"<mfrac>{self._atom(self._next())}{self._atom(self._next())}</mfrac>"
        if name == "sqrt":
            return f"<msqrt>{self._atom(self._next())}</msqrt>"
        if name == "text":
            self._next()
            words = []
            while (token := self._next()) not in ("}", ""):
                words.append(token)
            return f"<mtext>{escape(''.join(words)).replace(' ', chr(160))}</mtext>"
        if name == "quad":
            return '<mspace width="1.6em"/>'
        if name in FUNCTIONS:
            return f"<mi>{name}</mi>"
        if name in SIGNS:
            return f"<mo>{SIGNS[name]}</mo>"
        raise PolycontactError(f"formula {self._text!r}: \\{name} is not known")

    def _next(self) -> str:
        token = self._peek()
        self._at += 1
        return token

    def _peek(self) -> str:
        return self._tokens[self._at] if self._at < len(self._tokens) else ""
