"""Formulas of time as texts: read by a small parser of our own, never run as code, and made into nodes for the kernels.

Grammar, from loose to tight, as in Python: sums; products; signs; powers, from the right; numbers, names, functions and
parentheses. What comes out is a list of nodes, arguments before what uses them, which a kernel follows with a stack
(`kernels/dynamics/expression_values.py`).
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from polycontact.errors import MultibodyError
from polycontact.kernels.dynamics.dynamics_codes import STACK_HEIGHT, Operation

MAX_LENGTH = 1000
"""Most characters of a formula."""

MAX_DEPTH = 50
"""Most parentheses, functions and powers inside each other."""

FUNCTIONS = {
    "sin": Operation.SIN,
    "cos": Operation.COS,
    "tan": Operation.TAN,
    "exp": Operation.EXP,
    "log": Operation.LOG,
    "sqrt": Operation.SQRT,
    "abs": Operation.ABS,
    "step": Operation.STEP,
    "smoothstep": Operation.SMOOTHSTEP,
    "min": Operation.MIN,
    "max": Operation.MAX,
}
_OF_SEVERAL = (Operation.MIN, Operation.MAX)
_INFIX = {
    "+": Operation.ADD,
    "-": Operation.SUBTRACT,
    "*": Operation.MULTIPLY,
    "/": Operation.DIVIDE,
}
_TOKEN = re.compile(r"\s*(?:(\d+\.?\d*(?:[eE][+-]?\d+)?|\.\d+(?:[eE][+-]?\d+)?)|([A-Za-z_]\w*)|(\*\*|[-+*/(),])|(\S))")
_NAME = re.compile(r"[A-Za-z_]\w*\Z")


class Node(NamedTuple):
    """An operation on earlier nodes of the tree, or a constant."""

    operation: Operation
    first: int = 0
    second: int = 0
    value: float = 0.0


class _Token(NamedTuple):
    kind: str
    text: str
    at: int


@dataclass
class Expression:
    """A formula that was read: its ``nodes``, arguments before what uses them; the last is the whole."""

    text: str
    nodes: list[Node] = field(default_factory=list)

    def numbers(self) -> NDArray[np.float64]:
        """Numbers for the kernel, two a node."""
        return np.array([(float(each.operation), each.value) for each in self.nodes]).ravel()

    def looks_at(self, *operations: Operation) -> bool:
        """Whether one of these operations is in it."""
        return any(each.operation in operations for each in self.nodes)

    def line(self, i: int) -> tuple[float, float] | None:
        """Value at time zero and slope of a node that is a straight line in time; None where it is not."""
        node = self.nodes[i]
        if node.operation is Operation.CONSTANT:
            return node.value, 0.0
        if node.operation is Operation.TIME:
            return 0.0, 1.0
        if node.operation is Operation.NEGATE:
            a = self.line(node.first)
            return None if a is None else (-a[0], -a[1])
        if node.operation not in _INFIX.values():
            return None
        a, b = self.line(node.first), self.line(node.second)
        return None if a is None or b is None else _combined(node.operation, a, b)

    def breaks(self) -> list[float]:
        """Times (s) at which a step, smooth step, absolute value, minimum or maximum of straight lines bends."""
        found: list[float] = []
        for node in self.nodes:
            a = self.line(node.first) if node.operation is not Operation.CONSTANT else None
            if a is None:
                continue
            levels: tuple[float, ...] = ()
            if node.operation in (Operation.STEP, Operation.ABS):
                levels = (0.0,)
            elif node.operation is Operation.SMOOTHSTEP:
                levels = (0.0, 1.0)
            elif node.operation in _OF_SEVERAL:
                b = self.line(node.second)
                if b is not None:
                    a, levels = (a[0] - b[0], a[1] - b[1]), (0.0,)
            if a[1] != 0.0:
                found.extend((level - a[0]) / a[1] for level in levels)
        return [each for each in found if math.isfinite(each)]

    def waves(self) -> list[tuple[float, float]]:
        """Angular frequency (rad/s) and phase (rad) of each sine and cosine of a straight line."""
        lines = [self.line(each.first) for each in self.nodes if each.operation in (Operation.SIN, Operation.COS)]
        return [(a[1], a[0]) for a in lines if a is not None and a[1] != 0.0]


def _combined(operation: Operation, a: tuple[float, float], b: tuple[float, float]) -> tuple[float, float] | None:
    """A sum, difference, product or quotient of straight lines, if it is one."""
    if operation is Operation.ADD:
        return a[0] + b[0], a[1] + b[1]
    if operation is Operation.SUBTRACT:
        return a[0] - b[0], a[1] - b[1]
    if operation is Operation.MULTIPLY and 0.0 in (a[1], b[1]):
        return a[0] * b[0], a[1] * b[0] + a[0] * b[1]
    if operation is Operation.DIVIDE and b[1] == 0.0 and b[0] != 0.0:
        return a[0] / b[0], a[1] / b[0]
    return None


def read_expression(owner: str, text: object, parameters: Mapping[str, float]) -> Expression:
    """A formula in ``t`` (s), ``q`` and ``v`` (a joint's coordinate and speed), ``pi`` and ``parameters``."""
    if not isinstance(text, str) or not text.strip():
        raise MultibodyError(f'{owner}: the formula is {text!r}; give a text such as "10 * sin(2 * pi * t)"')
    if len(text) > MAX_LENGTH:
        raise MultibodyError(f"{owner}: the formula has {len(text)} characters; allowed are {MAX_LENGTH}")
    return _Parser(owner, text, _checked_parameters(owner, parameters)).whole()


def _checked_parameters(owner: str, parameters: Mapping[str, float]) -> dict[str, float]:
    taken = {"t", "q", "v", "pi", *FUNCTIONS}
    for name, value in parameters.items():
        if not isinstance(name, str) or not _NAME.match(name) or name in taken:
            raise MultibodyError(
                f"{owner}: {name!r} cannot name a parameter; give letters, digits and _, and none of "
                f"{', '.join(sorted(taken))}"
            )
        if isinstance(value, bool | str) or not isinstance(value, int | float) or not math.isfinite(value):
            raise MultibodyError(f"{owner}: parameter {name} is {value!r}; give a finite number")
    return {name: float(value) for name, value in parameters.items()}


class _Parser:
    """Recursive descent, one method for each level of the grammar; each returns the number of its node."""

    def __init__(self, owner: str, text: str, parameters: Mapping[str, float]) -> None:
        self.owner, self.text, self.parameters = owner, text, parameters
        self.tree = Expression(text)
        self.tokens = self._tokens()
        self.next = 0
        self.open = 0
        self.waiting = 0

    def whole(self) -> Expression:
        """Parse the whole formula; text that is left over raises an error."""
        self._sum()
        token = self._peek()
        if token.kind != "end":
            raise self._error(token, f"{token.text!r} is not expected; an operator such as + or * may be missing")
        return self.tree

    def _tokens(self) -> list[_Token]:
        found, at = [], 0
        while match := _TOKEN.match(self.text, at):
            kind = ("number", "name", "sign", "unknown")[match.lastindex - 1 if match.lastindex else 3]
            token = _Token(kind, match[match.lastindex or 0], match.start(match.lastindex or 0))
            if kind == "unknown":
                hint = "write ** for a power" if token.text == "^" else "allowed are + - * / ** ( ) , numbers and names"
                raise self._error(token, f"{token.text!r} means nothing here; {hint}")
            found.append(token)
            at = match.end()
        return [*found, _Token("end", "", len(self.text))]

    def _error(self, token: _Token, complaint: str) -> MultibodyError:
        around = f"{self.text[max(0, token.at - 20) : token.at]}▸{self.text[token.at : token.at + 20]}"
        return MultibodyError(f"{self.owner}: {complaint} (at character {token.at + 1} of the formula: {around})")

    def _peek(self) -> _Token:
        return self.tokens[self.next]

    def _take(self, *texts: str) -> str:
        """The next token if it is one of these signs, else an empty text."""
        token = self._peek()
        if token.kind != "sign" or token.text not in texts:
            return ""
        self.next += 1
        return token.text

    def _node(self, operation: Operation, *arguments: int, value: float = 0.0) -> int:
        self.waiting += 1 - len(arguments)
        if self.waiting > STACK_HEIGHT:
            raise self._error(self._peek(), f"more than {STACK_HEIGHT} operations wait for their second argument")
        first, second = (*arguments, 0, 0)[:2]
        self.tree.nodes.append(Node(operation, first, second, value))
        return len(self.tree.nodes) - 1

    def _enter(self) -> None:
        """Begin a nested part; more than `MAX_DEPTH` levels raise an error."""
        self.open += 1
        if self.open > MAX_DEPTH:
            raise self._error(self._peek(), f"more than {MAX_DEPTH} parentheses, functions or powers in each other")

    def _sum(self) -> int:
        self._enter()
        result = self._product()
        while sign := self._take("+", "-"):
            result = self._node(_INFIX[sign], result, self._product())
        self.open -= 1
        return result

    def _product(self) -> int:
        result = self._signed()
        while sign := self._take("*", "/"):
            result = self._node(_INFIX[sign], result, self._signed())
        return result

    def _signed(self) -> int:
        negative = False
        while sign := self._take("+", "-"):
            negative ^= sign == "-"
        power = self._power()
        return self._node(Operation.NEGATE, power) if negative else power

    def _power(self) -> int:
        base = self._primary()
        if not self._take("**"):
            return base
        self._enter()
        exponent = self._signed()
        self.open -= 1
        return self._node(Operation.POWER, base, exponent)

    def _primary(self) -> int:
        token = self._peek()
        self.next += 1
        if token.kind == "number":
            if not math.isfinite(float(token.text)):
                raise self._error(token, f"{token.text} is too large")
            return self._node(Operation.CONSTANT, value=float(token.text))
        if token.kind == "name":
            return self._named(token)
        if token.kind == "sign" and token.text == "(":
            inside = self._sum()
            self._expect(")")
            return inside
        self.next -= 1
        what = "the formula ends" if token.kind == "end" else f"{token.text!r} stands"
        raise self._error(token, f"{what} where a number, a name or a parenthesis should be")

    def _expect(self, sign: str) -> None:
        if not self._take(sign):
            raise self._error(self._peek(), f"{sign!r} is missing")

    def _named(self, token: _Token) -> int:
        name = token.text
        if name in FUNCTIONS:
            return self._function(token)
        if name in self.parameters:
            return self._node(Operation.CONSTANT, value=self.parameters[name])
        variables = {"t": Operation.TIME, "q": Operation.COORDINATE, "v": Operation.SPEED}
        if name == "pi":
            return self._node(Operation.CONSTANT, value=math.pi)
        if name in variables:
            return self._node(variables[name])
        known = ["t", "q", "v", "pi", *FUNCTIONS, *self.parameters]
        close = get_close_matches(name, known, n=1)
        hint = f"did you mean {close[0]!r}? " if close else ""
        raise self._error(token, f"{name!r} is unknown; {hint}known: {', '.join(known)}")

    def _function(self, token: _Token) -> int:
        operation = FUNCTIONS[token.text]
        if not self._take("("):
            raise self._error(self._peek(), f"{token.text} is a function; '(' is missing")
        result, n = self._sum(), 1
        while self._take(","):
            argument, n = self._sum(), n + 1
            if operation in _OF_SEVERAL:
                result = self._node(operation, result, argument)
        self._expect(")")
        if operation in _OF_SEVERAL and n > 1:
            return result
        if operation in _OF_SEVERAL or n > 1:
            allowed = "two arguments or more" if operation in _OF_SEVERAL else "one argument"
            raise self._error(token, f"{token.text} takes {allowed}, not {n}")
        return self._node(operation, result)
