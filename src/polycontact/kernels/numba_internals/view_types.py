"""What views are to compiled code: an address, behind which counts, numbers, arrays and other views lie."""

from __future__ import annotations

import hashlib
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numba
import numpy as np
from llvmlite import ir
from numba.core import types
from numba.core.datamodel import models
from numba.core.extending import lower_getattr_generic, lower_setattr_generic
from numba.core.typing.templates import AttributeTemplate
from numba.extending import NativeValue, infer_getattr, intrinsic, register_model, typeof_impl, unbox
from numba.np.arrayobj import populate_array

if TYPE_CHECKING:
    from polycontact.kernels.views import Field, View


class ViewType(types.Type):
    """To compiled code, a view is the address of its first slot."""

    def __init__(self, view: type[View]) -> None:
        self.view = view
        self.layout = _layout(view)
        super().__init__(name=f"{view.__module__}.{view.__qualname__} {self.layout}")

    def __reduce__(self) -> Any:
        return _named_view_type, (self.view.__module__, self.view.__qualname__, self.layout)


def _layout(view: type[View]) -> str:
    """What distinguishes views of one name, of an edited cell of a notebook for example: a digest of their fields."""
    known = view.__dict__.get("_digest")
    if known is None:
        lines = [
            (field.name, field.kind, str(field.dtype), field.shape, field.slot, field.view and _layout(field.view))
            for field in view.fields.values()
        ]
        known = hashlib.blake2b(repr(lines).encode(), digest_size=6).hexdigest()
        view._digest = known
    return known


def _named_view_type(module: str, name: str, layout: str = "") -> Any:
    """The type of a view that a cache file names; of one that is no more so, something that matches nothing."""
    try:
        found = ViewType(getattr(import_module(module), name))
    except (ImportError, AttributeError):
        found = None
    return found if found is not None and found.layout == layout else types.Opaque(f"no view {module}.{name} {layout}")


@register_model(ViewType)
class _ViewModel(models.PrimitiveModel):
    def __init__(self, manager: Any, kind: ViewType) -> None:
        super().__init__(manager, kind, ir.IntType(64))


def _compiled_type(field: Field) -> Any:
    """What an attribute is to compiled code."""
    if field.kind == "count":
        return types.int64
    if field.kind == "number":
        return types.float64
    if field.view is not None:
        return ViewType(field.view)
    return types.Array(numba.from_dtype(np.dtype(field.dtype)), len(field.shape), "C")


@infer_getattr
class _ViewAttributes(AttributeTemplate):
    key = ViewType

    def generic_resolve(self, kind: ViewType, name: str) -> Any:  # type: ignore[override]  # numba's stub is a flag
        """Type of an attribute; None where there is none of that name."""
        field = kind.view.fields.get(name)
        return None if field is None else _compiled_type(field)


def _slot_address(builder: Any, base: Any, field: Field) -> Any:
    return builder.add(base, ir.Constant(ir.IntType(64), 8 * field.slot))


def _pointer(builder: Any, address: Any, kind: Any) -> Any:
    return builder.inttoptr(address, kind.as_pointer())


def _load_count(builder: Any, base: Any, field: Field) -> Any:
    return builder.load(_pointer(builder, _slot_address(builder, base, field), ir.IntType(64)))


@lower_getattr_generic(ViewType)
def _read_attribute(context: Any, builder: Any, kind: ViewType, base: Any, name: str) -> Any:
    """Load a count or a number, open an array, or find a view."""
    fields = kind.view.fields
    field = fields[name]
    if field.kind == "nested":
        return _slot_address(builder, base, field)
    if field.kind in ("count", "reference"):
        return _load_count(builder, base, field)
    if field.kind == "number":
        return builder.load(_pointer(builder, _slot_address(builder, base, field), ir.DoubleType()))
    array_type = _compiled_type(field)
    array = context.make_array(array_type)(context, builder)
    size = np.dtype(field.dtype).itemsize
    word = context.get_value_type(types.intp)
    shape = [word(n) if isinstance(n, int) else _load_count(builder, base, fields[n]) for n in field.shape]
    strides = [word(size)]
    for length in reversed(shape[1:]):
        strides.insert(0, builder.mul(length, strides[0]))
    if field.kind == "inline":
        address = _slot_address(builder, base, field)
    else:
        address = _load_count(builder, base, field)
    data = builder.inttoptr(address, array.data.type)
    populate_array(array, data=data, shape=shape, strides=strides, itemsize=word(size), meminfo=None)
    return array._getvalue()


@lower_setattr_generic(ViewType)
def _write_attribute(context: Any, builder: Any, signature: Any, arguments: Any, name: str) -> None:
    """Store a count or a number."""
    kind, value_type = signature.args
    base, value = arguments
    field = kind.view.fields[name]
    if field.kind not in ("count", "number"):
        raise TypeError(f"{kind.name}.{name} is an array or a view; kernels write into it, not over it")
    target = _compiled_type(field)
    value = context.cast(builder, value, value_type, target)
    word = ir.IntType(64) if field.kind == "count" else ir.DoubleType()
    builder.store(value, _pointer(builder, _slot_address(builder, base, field), word))


@unbox(ViewType)
def _unbox_view(kind: ViewType, view: Any, context: Any) -> Any:
    """A view handed to a kernel from Python: for tests and slow paths; entries take rows."""
    address = context.pyapi.object_getattr_string(view, "address")
    value = context.pyapi.long_as_longlong(address)
    context.pyapi.decref(address)
    return NativeValue(value)


def accept_views(view: type[View]) -> None:
    """Let compiled functions be called with views from Python: objects of classes that extend ``view``."""

    @typeof_impl.register(view)
    def type_of_view(view: View, context: Any) -> ViewType:
        return ViewType(type(view))


def compiled_cast(view: type[View]) -> Any:
    """An intrinsic that takes a row of slots, or its address, and gives the view that lies there."""
    kind = ViewType(view)

    @intrinsic
    def cast_row(typing_context: Any, row: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            if isinstance(row, types.Integer):
                return arguments[0]
            array = context.make_array(row)(context, builder, arguments[0])
            return builder.ptrtoint(array.data, ir.IntType(64))

        return kind(row), generate

    return cast_row
