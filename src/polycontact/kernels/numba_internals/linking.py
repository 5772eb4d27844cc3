"""How kernels become machine code: each entry once as a whole, with all the parts that it calls.

Numba by itself optimises every function together with all that it calls and turns it into machine code, wrappers for
Python included: a function ten calls deep is compiled ten times. Here a part stays as it was lowered, and only an
entry, which Python or an address calls, links the parts below it, is optimised and becomes code. The parts are the
same, and so are the numbers that come out; compilation takes half the time, and what is cached a tenth of the room.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

from llvmlite.binding import Linkage
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler
from numba.core.registry import CPUDispatcher


class _PartLibrary(JITCodeLibrary):
    """Code of a part: its own only, as it was lowered, without machine code."""

    def finalize(self) -> None:
        self._raise_if_finalized()
        self._finalize_dynamic_globals()
        self._finalized = True

    def _own_module(self) -> Any:
        return super()._get_module_for_linking()

    @cached_property
    def _whole_module(self) -> Any:
        whole = self._own_module().clone()
        for below in _reached_from(self._linking_libraries):
            module = below._own_module() if isinstance(below, _PartLibrary) else below._get_module_for_linking()
            whole.link_in(module, preserve=True)
        return whole

    def whole_module(self) -> Any:
        """Its code with all parts below it, each once."""
        return self._whole_module

    def _get_module_for_linking(self) -> Any:
        """With all parts below it, for libraries of Numba's own (of parallel loops), which link what they call only."""
        return self._whole_module


class _ApartLibrary(_PartLibrary):
    """Code of a part that never becomes a piece of its callers."""

    def add_ir_module(self, ir_module: Any) -> None:
        for function in ir_module.functions:
            if not function.is_declaration:
                function.attributes.add("noinline")
        super().add_ir_module(ir_module)


class _EntryLibrary(JITCodeLibrary):
    """Code of an entry and of every part below it, each once."""

    def finalize(self) -> None:
        self._linking_libraries = [
            _Own(each) if isinstance(each, _PartLibrary) else each for each in _reached_from(self._linking_libraries)
        ]
        super().finalize()

    def _optimize_final_module(self) -> None:
        """Parts are called from here only: their calls need pass no more than is used, and what is called once becomes
        a piece of its caller."""
        for function in self._final_module.functions:
            if not function.is_declaration and function.linkage == Linkage.linkonce_odr:
                function.linkage = Linkage.internal
        super()._optimize_final_module()

    def _verify_declare_only_symbols(self) -> None:
        """Refuse code that calls what was not linked: LLVM would end the process."""
        for function in self._final_module.functions:
            if function.is_declaration and function.name.startswith("_ZN"):
                raise AssertionError(f"{function.name} is called but not linked")


class _Own:
    """A part as the linker of an entry meets it: without the parts below, which it meets by themselves."""

    def __init__(self, library: _PartLibrary) -> None:
        self._reload_init: set[Any] = getattr(library, "_reload_init", set())  # since Numba 0.63
        self._get_module_for_linking = library._own_module


def _reached_from(libraries: Sequence[Any]) -> list[Any]:
    """Libraries and all that the parts among them call, each once and after every part that calls it: the linker
    leaves out what nothing before it calls."""
    finished: dict[Any, None] = {}

    def finish(library: Any) -> None:
        if library not in finished:
            if isinstance(library, _PartLibrary):
                for below in library._linking_libraries:
                    finish(below)
            finished[library] = None

    for library in libraries:
        finish(library)
    return list(reversed(finished))


class _PartCode:
    """Stands for a part where Numba wants something that Python could call."""


class _PartCompiler(Compiler):
    """Stops before machine code."""

    library_kind: type[_PartLibrary] = _PartLibrary

    def __init__(self, typing: Any, target: Any, library: Any, args: Any, result: Any, flags: Any, names: Any) -> None:
        flags.no_compile = True
        super().__init__(typing, target, self.library_kind(target.codegen(), "part"), args, result, flags, names)

    def _compile_core(self) -> Any:
        target = self.state.targetctx
        compiled = super()._compile_core()._replace(entry_point=_PartCode())
        target.insert_user_function(compiled.entry_point, compiled.fndesc, [compiled.library])
        return compiled


class _ApartCompiler(_PartCompiler):
    """Of parts that are called where they are needed."""

    library_kind = _ApartLibrary


class EntryCompiler(Compiler):
    """Links all parts, optimises them together and makes machine code."""

    def __init__(self, typing: Any, target: Any, library: Any, args: Any, result: Any, flags: Any, names: Any) -> None:
        library = _EntryLibrary(target.codegen(), "entry")
        library.enable_object_caching()
        super().__init__(typing, target, library, args, result, flags, names)

    def _compile_core(self) -> Any:
        compiled = super()._compile_core()
        for environment in compiled._find_referenced_environments():
            compiled.library.codegen.set_env(environment.env_name, environment)
        return compiled


class Part(CPUDispatcher):
    """A function that entries call. Python may call it too: then it is compiled as an entry of its own, with
    ``make_entry``."""

    make_entry: Callable[[], Any]
    compiler: type[_PartCompiler] = _PartCompiler

    def __init__(self, py_func: Any, locals: Any = None, targetoptions: Any = None) -> None:
        options = {**(targetoptions or {}), "nopython": True, "no_cpython_wrapper": True, "no_cfunc_wrapper": True}
        super().__init__(py_func, locals or {}, options, self.compiler)

    def add_overload(self, compiled: Any) -> None:
        """Remember a form of it, which Python cannot call."""
        self.overloads[tuple(compiled.signature.args)] = compiled

    @cached_property
    def entry(self) -> Any:
        """The same function, as Python calls it."""
        return self.make_entry()

    def _compile_for_args(self, *args: Any, **kws: Any) -> Any:
        code = self.entry._compile_for_args(*args, **kws)
        typed: list[Any] = [self.typeof_pyval(each) for each in args]
        remember: Any = super().__getattribute__("_insert")
        remember([each._code for each in typed], code, False)
        return code


class ApartPart(Part):
    """A function that stays apart from its callers, whose code is shorter then."""

    compiler = _ApartCompiler


class AheadEntry(Part):
    """An entry that is lowered and no more, for a library; it has no code, so that its address means nothing."""

    address = 0

    def lowered(self, kinds: Sequence[Any]) -> Any:
        """It and all that it calls, not optimised and for no processor: Numba's result, whose library has a
        `whole_module`."""
        self.compile(tuple(kinds))
        (compiled,) = self.overloads.values()
        return compiled
