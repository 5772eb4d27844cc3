"""An entry as LLVM's bitcode, with all the parts that it calls and what calls it: for no processor yet.

Every entry gets two functions. One is plain C: numbers as they are, an array as its address and its lengths
(`_c_function`). The other is a method of CPython's, of the kind METH_FASTCALL (`python_call.py`).
"""

from __future__ import annotations

from typing import Any

import llvmlite.binding as llvm
from llvmlite import ir
from numba.core import sigutils, types
from numba.core.registry import cpu_target

from polycontact.kernels.numba_internals.linking import AheadEntry
from tools.library.python_call import write_python_function


def bitcode_of(entry: AheadEntry, signature: Any, name: str) -> bytes:
    """An entry with its callers; nothing where an argument or the result is of a kind that does not cross."""
    kinds, _ = sigutils.normalize_signature(signature)
    if not all(map(crosses, kinds)):
        return b""
    compiled = entry.lowered(kinds)
    result = compiled.signature.return_type
    if not (_is_number(result) or isinstance(result, types.NoneType)):
        return b""
    module = llvm.parse_assembly(_with_callers(compiled, name))
    module.link_in(compiled.library.whole_module(), preserve=True)
    keep_only(module, {name, name + PYTHON})
    return bytes(module.as_bitcode())


FAILED = "polycontact_entry_failed"
"""What is called where an entry ends with an error of Numba's, as where memory has run out; with its name."""
PYTHON = "_py"
"""What the name of an entry's method ends with."""


def crosses(kind: Any) -> bool:
    """Whether arguments of a type are handed on: numbers, contiguous arrays of them, and tuples of equal numbers."""
    if isinstance(kind, types.Array):
        return bool(kind.layout == "C") and _is_number(kind.dtype)
    if isinstance(kind, types.UniTuple):
        return _is_number(kind.dtype)
    return _is_number(kind)


def _is_number(kind: Any) -> bool:
    return isinstance(kind, types.Integer | types.Float | types.Boolean)


def keep_only(module: Any, names: set[str]) -> None:
    """Make all but some functions internal, so that what is not called goes."""
    for function in module.functions:
        if not function.is_declaration and function.name not in names:
            function.linkage = llvm.Linkage.internal
    for variable in module.global_variables:
        if not variable.is_declaration and variable.name not in names:
            variable.linkage = llvm.Linkage.internal


def _with_callers(compiled: Any, name: str) -> str:
    """IR of the two functions that call an entry."""
    context = cpu_target.target_context
    module = context.create_module(name)
    description = compiled.fndesc
    native = context.declare_function(module, description)
    made = _c_function(context, module, native, description, name)
    write_python_function(context, module, made, description, name + PYTHON)
    return str(module)


def _flat_types(context: Any, kind: Any) -> list[Any]:
    """What an argument is to C: LLVM types."""
    if isinstance(kind, types.Array):
        return [context.get_data_type(kind.dtype).as_pointer(), *kind.ndim * [ir.IntType(64)]]
    if isinstance(kind, types.UniTuple):
        return [context.get_value_type(kind.dtype) for _ in range(kind.count)]
    return [context.get_data_type(kind) if isinstance(kind, types.Boolean) else context.get_value_type(kind)]


def _c_function(context: Any, module: Any, native: Any, description: Any, name: str) -> Any:
    """Numbers and addresses in, number out."""
    from numba.np.arrayobj import populate_array

    flat = [_flat_types(context, kind) for kind in description.argtypes]
    nothing = isinstance(description.restype, types.NoneType)
    result = ir.VoidType() if nothing else context.get_data_type(description.restype)
    function = ir.Function(module, ir.FunctionType(result, [each for group in flat for each in group]), name)
    builder = ir.IRBuilder(function.append_basic_block())
    given = iter(function.args)
    values = []
    for kind, group in zip(description.argtypes, flat, strict=True):
        own = [next(given) for _ in group]
        if isinstance(kind, types.Array):
            array = context.make_array(kind)(context, builder)
            size = context.get_constant(types.intp, kind.dtype.bitwidth // 8 if kind.dtype != types.boolean else 1)
            strides = [size]
            for length in reversed(own[2:]):
                strides.insert(0, builder.mul(length, strides[0]))
            populate_array(array, data=own[0], shape=own[1:], strides=strides, itemsize=size, meminfo=None)
            values.append(array._getvalue())
        elif isinstance(kind, types.UniTuple):
            values.append(context.make_tuple(builder, kind, own))
        elif isinstance(kind, types.Boolean):
            values.append(builder.icmp_unsigned("!=", own[0], own[0].type(0)))
        else:
            values.append(own[0])
    status, found = context.call_conv.call_function(builder, native, description.restype, description.argtypes, values)
    with builder.if_then(status.is_error, likely=False):
        told = ir.Function(module, ir.FunctionType(ir.VoidType(), [ir.IntType(8).as_pointer()]), FAILED)
        builder.call(told, [context.insert_const_string(module, name)])
    if nothing:
        builder.ret_void()
    else:
        builder.ret(context.data_model_manager[description.restype].as_data(builder, found))
    return function
