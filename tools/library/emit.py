"""Machine code of an entry for a target: Numba's passes, with LLVM's description of another machine."""

from __future__ import annotations

from functools import cache
from typing import Any

import llvmlite.binding as llvm
from numba.core.registry import cpu_target

from tools.library.targets import Target


@cache
def _machine(target: Target) -> Any:
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    found = llvm.Target.from_triple(target.triple)
    return found.create_target_machine(cpu=target.cpu, opt=3, reloc="pic", codemodel="default")


def object_code(bitcode: bytes, target: Target) -> bytes:
    """An object file."""
    machine = _machine(target)
    module = llvm.parse_bitcode(bitcode)
    module.triple, module.data_layout = target.triple, str(machine.target_data)
    codegen = cpu_target.target_context.codegen()
    own, codegen._tm = codegen._tm, machine
    try:
        options = {"loop_vectorize": codegen._loopvect, "slp_vectorize": False, "opt": codegen._opt_level}
        for manager, builder in (codegen._module_pass_manager(**options, cost="cheap"), codegen._module_pass_manager()):
            manager.run(module, builder)
    finally:
        codegen._tm = own
    return bytes(machine.emit_object(module))
