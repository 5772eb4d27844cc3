"""The kinds of fault: what a slip of the hand makes of an expression or a statement.

Each kind looks at one node of the syntax tree and gives what may stand there instead; none where it has nothing to say.
A change that alters nothing (``max(a, b)`` for ``max(b, a)``) or fails wherever it is run (a name that was never set)
is not offered.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Iterator

Change = tuple[ast.AST, ast.AST]
"""The node that is replaced, and what stands there then."""

_COMPARISONS: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Lt: (ast.LtE, ast.Gt),
    ast.LtE: (ast.Lt, ast.GtE),
    ast.Gt: (ast.GtE, ast.Lt),
    ast.GtE: (ast.Gt, ast.LtE),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
}
_OTHER_EXTREME = {
    "min": "max",
    "minimum": "maximum",
    "fmin": "fmax",
    "argmin": "argmax",
    "amin": "amax",
    "nanmin": "nanmax",
    "max": "min",
    "maximum": "minimum",
    "fmax": "fmin",
    "argmax": "argmin",
    "amax": "amin",
    "nanmax": "nanmin",
}
_SYMMETRIC = {
    *_OTHER_EXTREME,
    *("hypot", "dot", "gcd", "isclose", "allclose", "array_equal", "logical_and", "logical_or", "dot3", "distance"),
    *("multiply", "add", "intersect1d", "union1d", "bitwise_and", "bitwise_or"),
    *("isinstance", "getattr", "hasattr", "issubclass"),
}
"""Functions to which the order of two arguments is all one, or that fail at once."""


def flipped_sign(node: ast.AST) -> Iterator[Change]:
    """a + b and a - b for each other, also in place; x for -x."""
    if isinstance(node, ast.BinOp | ast.AugAssign) and isinstance(node.op, ast.Add | ast.Sub):
        operands = (node.left, node.right) if isinstance(node, ast.BinOp) else (node.target, node.value)
        if not any(_is_text_or_list(each) for each in operands):
            changed = copy.deepcopy(node)
            changed.op = ast.Sub() if isinstance(node.op, ast.Add) else ast.Add()
            yield node, changed
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub) and not _is_zero(node.operand):
        yield node, node.operand


def _is_text_or_list(node: ast.AST) -> bool:
    if isinstance(node, ast.BinOp):
        return _is_text_or_list(node.left) or _is_text_or_list(node.right)
    is_text = isinstance(node, ast.Constant) and isinstance(node.value, str | bytes)
    return is_text or isinstance(node, ast.JoinedStr | ast.List | ast.Tuple | ast.ListComp)


def _is_zero(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and node.value == 0


def comparison_changed(node: ast.AST) -> Iterator[Change]:
    """< to <= or >, == to !=, and the like."""
    if isinstance(node, ast.Compare):
        for i, operator in enumerate(node.ops):
            for other in _COMPARISONS[type(operator)]:
                changed = copy.deepcopy(node)
                changed.ops[i] = other()
                yield node, changed


def off_by_one(node: ast.AST) -> Iterator[Change]:
    """An integer one greater or less; the end of a range one greater or less."""
    if isinstance(node, ast.Constant) and type(node.value) is int and abs(node.value) < 1000:
        for step in (1, -1):
            if node.value + step >= 0:
                yield node, ast.Constant(node.value + step)
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "range" and node.args:
        end = 0 if len(node.args) == 1 else 1
        if isinstance(node.args[end], ast.Constant | ast.UnaryOp):
            return
        for operator in (ast.Add(), ast.Sub()):
            changed = copy.deepcopy(node)
            changed.args[end] = ast.BinOp(changed.args[end], operator, ast.Constant(1))
            yield node, changed


def constant_changed(node: ast.AST) -> Iterator[Change]:
    """A number twice as large or a tenth smaller."""
    if isinstance(node, ast.Constant) and type(node.value) is float and node.value != 0.0:
        for factor in (2.0, 0.9):
            yield node, ast.Constant(node.value * factor)


def arguments_swapped(node: ast.AST) -> Iterator[Change]:
    """Two neighbouring arguments of a call in each other's place, unless they are of different types as annotated."""
    if not isinstance(node, ast.FunctionDef):
        return
    given = node.args
    types = {each.arg: ast.dump(each.annotation) for each in (*given.args, *given.kwonlyargs) if each.annotation}
    for call in ast.walk(node):
        if isinstance(call, ast.Call) and _called(call) not in _SYMMETRIC:
            for i in range(len(call.args) - 1):
                if _can_be_swapped(call.args[i], call.args[i + 1], types):
                    changed = copy.deepcopy(call)
                    changed.args[i : i + 2] = reversed(changed.args[i : i + 2])
                    yield call, changed


def _can_be_swapped(a: ast.expr, b: ast.expr, types: dict[str, str]) -> bool:
    """Whether a slip of the hand may swap two arguments, and a type checker would not tell."""
    plain = all(isinstance(each, ast.Name | ast.Attribute | ast.Subscript | ast.BinOp) for each in (a, b))
    kinds = {types.get(each.id, "") for each in (a, b) if isinstance(each, ast.Name)} - {""}
    return plain and ast.dump(a) != ast.dump(b) and len(kinds) < 2


def _called(node: ast.Call) -> str:
    """Name of a called function or method, without what is before its last dot."""
    if isinstance(node.func, ast.Attribute):
        return node.func.attr
    return node.func.id if isinstance(node.func, ast.Name) else ""


def statement_dropped(node: ast.AST) -> Iterator[Change]:
    """A call whose result is not used, a change in place, an error that is raised, or a jump left out."""
    parts = ("body", "orelse", "finalbody")
    for statement in (each for part in parts for each in _statements(node, part)):
        in_place = isinstance(statement, ast.Assign) and all(
            isinstance(target, ast.Subscript | ast.Attribute) for target in statement.targets
        )
        call = isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call)
        if in_place or call or isinstance(statement, ast.AugAssign | ast.Continue | ast.Break | ast.Raise):
            yield statement, ast.Pass()
        elif isinstance(statement, ast.If) and not statement.orelse:
            yield from _second_assignment(node, statement)


def _statements(node: ast.AST, part: str) -> list[ast.stmt]:
    found = getattr(node, part, None)
    return found if isinstance(found, list) else []


def _second_assignment(node: ast.AST, condition: ast.If) -> Iterator[Change]:
    """``x = …`` left out after ``if``, where x has a value before."""
    before = {
        name.id
        for part in ("body", "orelse")
        for statement in _statements(node, part)
        if statement.lineno < condition.lineno
        for name in ast.walk(statement)
        if isinstance(name, ast.Name) and isinstance(name.ctx, ast.Store)
    }
    for statement in condition.body:
        if isinstance(statement, ast.Assign):
            targets = statement.targets
            if all(isinstance(target, ast.Name) and target.id in before for target in targets):
                yield statement, ast.Pass()


def and_or_swapped(node: ast.AST) -> Iterator[Change]:
    """And for or, or for and."""
    if isinstance(node, ast.BoolOp):
        changed = copy.deepcopy(node)
        changed.op = ast.Or() if isinstance(node.op, ast.And) else ast.And()
        yield node, changed


def min_max_swapped(node: ast.AST) -> Iterator[Change]:
    """The least for the greatest."""
    if isinstance(node, ast.Call) and _called(node) in _OTHER_EXTREME:
        changed = copy.deepcopy(node)
        if isinstance(changed.func, ast.Name):
            changed.func.id = _OTHER_EXTREME[changed.func.id]
        elif isinstance(changed.func, ast.Attribute):
            changed.func.attr = _OTHER_EXTREME[changed.func.attr]
        yield node, changed


def wrong_boolean(node: ast.AST) -> Iterator[Change]:
    """True returned for False and False for True; the opposite of what a function annotated with bool returns."""
    if isinstance(node, ast.FunctionDef) and isinstance(node.returns, ast.Name) and node.returns.id == "bool":
        for inner in ast.walk(node):
            if isinstance(inner, ast.Return) and inner.value is not None:
                value = inner.value
                if isinstance(value, ast.Constant):
                    if isinstance(value.value, bool):
                        yield value, ast.Constant(not value.value)
                else:
                    yield value, ast.UnaryOp(ast.Not(), value)


KINDS: dict[str, Callable[[ast.AST], Iterator[Change]]] = {
    "flipped sign": flipped_sign,
    "comparison changed": comparison_changed,
    "off by one": off_by_one,
    "constant changed": constant_changed,
    "arguments swapped": arguments_swapped,
    "statement dropped": statement_dropped,
    "and/or swapped": and_or_swapped,
    "min/max swapped": min_max_swapped,
    "wrong boolean": wrong_boolean,
}
