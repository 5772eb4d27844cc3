"""Objects of a target become its shared library: with Zig's linker, which knows all targets, or with the system's."""

from __future__ import annotations

import importlib.util
import json
import platform
import shutil
import subprocess
import sys
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import llvmlite.binding as llvm
from llvmlite import ir

from polycontact.kernels.library_file.library_key import sources_key
from polycontact.kernels.library_file.python_calls import CALLS, TABLE
from polycontact.kernels.library_file.shared_library import C_FOLDER, INDEX, level
from tools.library.emit import object_code
from tools.library.targets import Target

_BYTE = ir.IntType(8)
_ADDRESS = _BYTE.as_pointer()
_OF_SYSTEM = {
    "linux": ("-fPIC", "-lm", "-Wl,-z,defs"),
    "darwin": ("-fPIC",),
    "win32": ("-Wl,--export-all-symbols",),  # entries too, which Python looks up by their names
}


class LinkError(Exception):
    """Nothing here can link for a target; the message says what to do."""


def own_target() -> str:
    """Name of the target of this machine."""
    return f"{sys.platform}-{level()}"


@cache
def linker(target: Target) -> tuple[str, ...]:
    """Command that links for a target."""
    if importlib.util.find_spec("ziglang") is not None:
        return (sys.executable, "-m", "ziglang", "cc", "-target", target.zig)
    same_system = target.name.rpartition("-")[0] if target.name.endswith("-v3") else target.name
    if own_target().startswith(same_system) and sys.platform != "win32":
        for name in ("cc", "gcc", "clang"):
            found = shutil.which(name)
            if found:
                return (found,)
    raise LinkError(f"nothing here can link for {target.name}: pip install ziglang")


def wheel_tag(target: Target) -> str:
    """Platform tag of a wheel with a library that is linked here: Zig links to old systems, others to this one."""
    is_zig = "-target" in linker(target)
    return target.wheel if is_zig or target.system != "linux" else f"linux_{platform.machine()}"


def index_object(target: Target, index: dict[str, Any], codes: dict[str, int]) -> bytes:
    """An object with the index of a library, the table by which it calls Python, and for `polycontact.c` the entries
    that take and give whole numbers: ``codes``, how many each takes."""
    module = ir.Module("index")
    _write_codes(module, codes)
    sources = bytearray(sources_key().encode() + b"\0")
    made_from = ir.GlobalVariable(module, ir.ArrayType(_BYTE, len(sources)), "polycontact_sources")
    made_from.initializer, made_from.global_constant = ir.Constant(made_from.value_type, sources), True
    text = bytearray(json.dumps(index, sort_keys=True).encode() + b"\0")
    kind = ir.ArrayType(ir.IntType(8), len(text))
    written = ir.GlobalVariable(module, kind, INDEX)
    written.initializer, written.global_constant = ir.Constant(kind, text), True
    table_kind = ir.ArrayType(ir.IntType(64), len(CALLS))
    ir.GlobalVariable(module, table_kind, TABLE).initializer = ir.Constant(table_kind, [0] * len(CALLS))
    return object_code(llvm.parse_assembly(str(module)).as_bitcode(), target)


def _write_codes(module: Any, codes: dict[str, int]) -> None:
    """The table of code: its name, where it is, and how many whole numbers it takes."""
    row = ir.LiteralStructType([_ADDRESS, _ADDRESS, ir.IntType(64)])
    rows = []
    for name, n in sorted(codes.items()):
        function = ir.Function(module, ir.FunctionType(ir.IntType(64), n * [ir.IntType(64)]), name)
        text = bytearray(name.encode() + b"\0")
        told = ir.GlobalVariable(module, ir.ArrayType(_BYTE, len(text)), f"name of {name}")
        told.initializer, told.linkage = ir.Constant(told.value_type, text), "internal"
        rows.append(
            ir.Constant(row, [told.bitcast(_ADDRESS), function.bitcast(_ADDRESS), ir.Constant(ir.IntType(64), n)])
        )
    table = ir.GlobalVariable(module, ir.ArrayType(row, len(rows)), "polycontact_codes")
    table.initializer, table.global_constant = ir.Constant(table.value_type, rows), True
    count = ir.GlobalVariable(module, ir.IntType(64), "polycontact_n_codes")
    count.initializer, count.global_constant = ir.Constant(ir.IntType(64), len(rows)), True


def link(target: Target, objects: Sequence[Path], made: Path) -> None:
    """Make a library of objects."""
    made.parent.mkdir(parents=True, exist_ok=True)
    response = made.with_name(made.name + ".objects")
    response.write_text("\n".join(f'"{each.as_posix()}"' for each in objects), encoding="utf-8")
    options = [
        "-shared",
        "-s",
        "-O2",
        "-std=c11",
        "-ffp-contract=off",
        "-fvisibility=hidden",
        *_OF_SYSTEM[target.system],
    ]
    command = [*linker(target), "-o", str(made), *map(str, sorted(C_FOLDER.glob("*.c"))), f"@{response}", *options]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8", check=False)
    response.unlink()
    if done.returncode != 0:
        raise LinkError(f"linking {made.name} failed:\n{done.stdout[-2000:]}")
