"""The public names of polycontact with their signatures, as text that is the same on every Python.

    python tests/golden/public_api.py        write api.txt anew, beside this file

Annotations are taken as they stand in the source, not as an interpreter prints what they mean, and of classes only what
is ours: members that Python adds to enums, exceptions and tuples differ from version to version.
"""

from __future__ import annotations

import ast
import dataclasses
import enum
import functools
import inspect
import re
import textwrap
import types
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import polycontact as pc

FILE = Path(__file__).with_name("api.txt")
PROPERTIES = (property, functools.cached_property)


def public_api() -> str:
    """Every public name with its signature; under a class or module its public members, indented."""
    lines = [line for name in sorted(pc.__all__) for line in described(name, getattr(pc, name))]
    return "\n".join([*lines, ""])


def described(name: str, value: Any) -> Iterator[str]:
    """Lines of one name."""
    if isinstance(value, types.ModuleType):
        yield f"module {name}"
        for member in public_members(value):
            yield from (f"    {line}" for line in described(member, getattr(value, member)))
    elif inspect.isclass(value):
        yield from class_lines(name, value)
    elif inspect.isroutine(value):
        yield f"def {name}{signature_text(value)}"
    else:
        yield f"{name}: {type(value).__name__}"


def public_members(module: types.ModuleType) -> list[str]:
    """Public names of a package; all classes where it does not tell."""
    own = [name for name, value in vars(module).items() if inspect.isclass(value)]
    return sorted(getattr(module, "__all__", own))


def class_lines(name: str, cls: type) -> Iterator[str]:
    """A class with its bases, how it is made, and the members that it and our classes below it define."""
    bases = ", ".join(base.__name__ for base in cls.__bases__ if base is not object)
    yield f"class {name}({bases})" if bases else f"class {name}"
    if issubclass(cls, enum.Enum):
        yield from (f"    {member} = {each.value!r}" for member, each in cls.__members__.items())
    elif any(is_ours(base) and {"__init__", "__new__"} & set(vars(base)) for base in cls.__mro__):
        yield f"    {signature_text(cls)}"
    for member, definition in sorted(members(cls).items()):
        yield f"    {member_line(member, definition)}"


def is_ours(cls: type) -> bool:
    return cls.__module__.partition(".")[0] == "polycontact"


def members(cls: type) -> dict[str, Any]:
    """Public members by name: annotations, attributes that the constructor sets, methods and properties."""
    found: dict[str, Any] = {}
    for base in reversed([base for base in cls.__mro__ if is_ours(base)]):
        annotations = dict(vars(base).get("__annotations__", {}))
        defined = {name: value for name, value in vars(base).items() if name not in annotations}
        found |= annotations | attributes_set(base) | defined
    values = cls.__members__ if issubclass(cls, enum.Enum) else {}
    return {name: value for name, value in found.items() if not name.startswith("_") and name not in values}


def attributes_set(cls: type) -> dict[str, str]:
    """Attributes of self that the constructor of a class sets, with their annotations where they have one."""
    constructor = vars(cls).get("__init__")
    if constructor is None or dataclasses.is_dataclass(cls):
        return {}
    tree = ast.parse(textwrap.dedent(inspect.getsource(constructor)))
    found = {}
    for node in ast.walk(tree):
        targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
        for target in ast.walk(ast.Tuple([each for each in targets if isinstance(each, ast.expr)])):
            if isinstance(target, ast.Attribute) and ast.unparse(target.value) == "self":
                annotated = isinstance(node, ast.AnnAssign)
                found[target.attr] = ast.unparse(node.annotation) if annotated else ""
    return found


def member_line(name: str, definition: Any) -> str:
    if isinstance(definition, str):  # an annotation, or an attribute without one
        return f"{name}: {normal(definition)}" if definition else name
    if isinstance(definition, PROPERTIES):
        getter: Any = definition.fget if isinstance(definition, property) else definition.func
        return f"{name} -> {normal(inspect.signature(getter).return_annotation)}"
    kind = {classmethod: "classmethod ", staticmethod: "staticmethod "}.get(type(definition), "")
    function = getattr(definition, "__func__", definition)
    if inspect.isroutine(function):
        return f"{kind}def {name}{signature_text(function)}"
    return f"{name}: {type(definition).__name__}"


class Text:
    """Stands in a signature for an annotation or a default, and is printed as it is."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __repr__(self) -> str:
        return self.text


def signature_text(value: Any) -> str:
    """Parameters with annotations and defaults, and what comes back."""
    signature = inspect.signature(value)
    parameters = [
        parameter.replace(
            annotation=given(parameter.annotation, normal), default=given(parameter.default, default_text)
        )
        for parameter in signature.parameters.values()
    ]
    back = signature.empty if inspect.isclass(value) else given(signature.return_annotation, normal)
    return str(signature.replace(parameters=parameters, return_annotation=back))


def given(value: Any, spelled: Callable[[Any], str]) -> Any:
    """What stands in the source, spelled out; nothing where nothing stands."""
    return value if value is inspect.Signature.empty else Text(spelled(value))


def normal(annotation: Any) -> str:
    """An annotation as it stands in the source, in one spelling of quotes and spaces."""
    if annotation is None or annotation is type(None):
        return "None"
    if not isinstance(annotation, str):
        raise TypeError(f"annotation {annotation!r}: begin its module with 'from __future__ import annotations'")
    return ast.unparse(ast.parse(annotation, mode="eval"))


def default_text(value: Any) -> str:
    """A default as one would write it: nothing that depends on addresses or on how a Python prints enums."""
    if isinstance(value, enum.Enum):
        return f"{type(value).__name__}.{value.name}"
    if inspect.isroutine(value) or inspect.isclass(value):
        return str(value.__name__)
    return re.sub(r" at 0x[0-9a-f]+", "", repr(value))


if __name__ == "__main__":
    FILE.write_text(public_api(), encoding="utf-8", newline="\n")
