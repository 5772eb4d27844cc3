"""The C functions of SUNDIALS by their addresses, from the libraries that scikit-sundae brings.

Compiled code calls them directly, and they call compiled code. Where they cannot be found (a build of scikit-sundae
that hides them), steps are made through its Python objects: the same methods and tolerances, slower.
"""

from __future__ import annotations

import ctypes
import importlib.util
import os
import sys
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

WITHOUT_ADDRESSES = "POLYCONTACT_SUNDIALS_BY_ADDRESS"
"""Environment variable: "no" lets integrators use the Python objects of scikit-sundae."""

_ADDRESS = ctypes.c_void_p
_DOUBLE = ctypes.c_double

_NEEDED = (
    "SUNContext_Create",
    "SUNContext_ClearErrHandlers",
    "SUNContext_PushErrHandler",
    "N_VMake_Serial",
    "N_VGetArrayPointer",
    "SUNDenseMatrix",
    "SUNDenseMatrix_Data",
    "SUNLinSol_Dense",
)
"""Functions that an integrator needs besides its own."""

_BUNDLED = ("core", "nvecserial", "sunmatrixdense", "sunlinsoldense", "cvode", "ida")
"""Libraries in which these are."""

_OPERATIONS = 15
"""Functions of a linear solver of SUNDIALS 7."""

_STEPPING = ("SetStopTime", "ClearStopTime", "GetDky", "ReInit", "SetInitStep", "GetCurrentStep", "GetLastOrder")
_SETTING = ("Create", "Init", "Free", "SetUserData", "SVtolerances", "SetMinStep", "SetMaxStep", "SetMaxOrd")
_MORE = ("SetMaxConvFails", "SetLinearSolver", "SetJacFn", "GetNumErrTestFails", "GetNumNonlinSolvIters")


class SundialsLibrary:
    """Functions of some libraries, by name."""

    def __init__(self, libraries: Sequence[ctypes.CDLL], index: Any) -> None:
        self._libraries = libraries
        self.index = index
        """The type of an index in C."""
        self.solver_slots: tuple[int, int, int, int] | None = None
        """Where a linear solver keeps the address of its functions, and among these those that tell its type, set it up
        and solve, if that is known."""

    def function(self, name: str, result: Any = ctypes.c_int) -> Any:
        """A C function, to be called from Python with arguments of types of ctypes."""
        for library in self._libraries:
            try:
                found = library[name]
            except AttributeError:
                continue
            found.restype = result
            return found
        raise LookupError(f"SUNDIALS has no function {name}")

    def address(self, name: str) -> int:
        """Where the code of a function begins."""
        return ctypes.cast(self.function(name), _ADDRESS).value or 0


@cache
def sundials_library() -> SundialsLibrary | None:
    """The libraries with all that integrators need; None, with a line that says so, where they are not found."""
    if os.environ.get(WITHOUT_ADDRESSES) == "no":
        return None
    missing: Exception = LookupError("scikit-sundae is not installed")
    for files in (_bundled_files, _files_of_modules):
        try:
            return _checked(files())
        except (ImportError, LookupError) as error:
            missing = error
    print(f"polycontact: {missing}: cvode and ida make their steps through Python, which is slower", file=sys.stderr)
    return None


def _bundled_files() -> list[Path]:
    """Libraries that a wheel for Linux brings, which need nothing else of it.

    Its modules import scipy.optimize and more, which takes as long as all the rest that starts a run.
    """
    found = importlib.util.find_spec("sksundae")
    if found is None or found.origin is None:
        raise LookupError("scikit-sundae is not installed")
    folder = Path(found.origin).parent.parent / "scikit_sundae.libs"
    return [file for name in _BUNDLED for file in sorted(folder.glob(f"libsundials_{name}-*"))]


def _files_of_modules() -> list[Path]:
    """Its extension modules, and what stands beside them; importing them loads the libraries that they stand on."""
    import sksundae
    from sksundae import _cy_cvode, _cy_ida

    folder = Path(sksundae.__file__).parent
    files = [Path(_cy_cvode.__file__), Path(_cy_ida.__file__)]
    files += sorted((folder.parent / "scikit_sundae.libs").glob("*sundials*"))
    return files + sorted(folder.glob(".dylibs/*sundials*"))


def _checked(files: Sequence[Path]) -> SundialsLibrary:
    """The libraries in files, or an error where they lack something or take other arguments than they are given."""
    libraries = []
    for file in files:
        try:
            libraries.append(ctypes.CDLL(str(file)))
        except OSError:
            continue
    library = SundialsLibrary(libraries, ctypes.c_int64)
    names = [*_NEEDED, *(prefix + name for prefix in ("CVode", "IDA") for name in (*_STEPPING, *_SETTING, *_MORE))]
    for name in names:
        library.function(name)
    _check(library)
    return library


def _check(library: SundialsLibrary) -> None:
    """Find the type of an index, and raise an error where vectors or matrices are not as they are taken here."""
    context = make_context(library)
    numbers = np.arange(3.0)
    vector = library.function("N_VMake_Serial", _ADDRESS)(library.index(3), _pointer(numbers), context)
    matrix = library.function("SUNDenseMatrix", _ADDRESS)(library.index(3), library.index(2), context)
    # A dense matrix begins with the address of its content, and that with the numbers of its rows and columns.
    content = ctypes.cast(matrix, ctypes.POINTER(ctypes.POINTER(ctypes.c_int32)))[0]
    library.index = ctypes.c_int32 if content[1] == 2 else ctypes.c_int64
    library.solver_slots = _find_solver_slots(library, vector, context)
    found = library.function("N_VGetArrayPointer", _ADDRESS)(_ADDRESS(vector))
    size = library.function("SUNDenseMatrix_LData", library.index)(_ADDRESS(matrix))
    length = library.function("N_VGetLength", library.index)(_ADDRESS(vector))
    total = library.function("N_VL1Norm", _DOUBLE)(_ADDRESS(vector))
    library.function("N_VDestroy", None)(_ADDRESS(vector))
    library.function("SUNMatDestroy", None)(_ADDRESS(matrix))
    library.function("SUNContext_Free")(ctypes.byref(context))
    if found != numbers.ctypes.data or size != 6 or length != 3:
        raise LookupError("SUNDIALS takes other arguments than those of version 7")
    if total != 3.0:
        raise LookupError("SUNDIALS has numbers of another precision")


def _find_solver_slots(library: SundialsLibrary, vector: int, context: Any) -> tuple[int, int, int, int] | None:
    """Where the functions of a linear solver stand, as its own dense one has them; None where that cannot be found."""
    names = [f"SUNLinSol{what}_Dense" for what in ("GetType", "Setup", "Solve")]
    try:
        wanted = [library.address(name) for name in names]
        for name in ("SUNLinSolNewEmpty", "SUNLinSolFreeEmpty", "CVodeSetLinSysFn"):
            library.function(name)
    except LookupError:
        return None
    square = library.function("SUNDenseMatrix", _ADDRESS)(library.index(3), library.index(3), context)
    solver = library.function("SUNLinSol_Dense", _ADDRESS)(_ADDRESS(vector), _ADDRESS(square), context)
    parts = ctypes.cast(_ADDRESS(solver), ctypes.POINTER(_ADDRESS))
    # It begins with its content; versions differ in whether its functions come next.
    at = 1 if parts[1] else 2
    functions = ctypes.cast(parts[at], ctypes.POINTER(_ADDRESS))[:_OPERATIONS]
    library.function("SUNLinSolFree")(_ADDRESS(solver))
    library.function("SUNMatDestroy", None)(_ADDRESS(square))
    if not all(address in functions for address in wanted):
        return None
    kind, set_up, solve = map(functions.index, wanted)
    return at, kind, set_up, solve


def make_context(library: SundialsLibrary) -> ctypes.c_void_p:
    """A context of SUNDIALS that prints nothing."""
    context = _ADDRESS()
    library.function("SUNContext_Create")(ctypes.c_int(0), ctypes.byref(context))
    library.function("SUNContext_ClearErrHandlers")(context)
    return context


def _pointer(numbers: np.ndarray[Any, np.dtype[np.float64]]) -> ctypes.c_void_p:
    return _ADDRESS(numbers.ctypes.data)


class SundialsMemory:
    """What the library allocates for one integrator: vectors over our numbers, a matrix, a solver; freed with it."""

    def __init__(self, library: SundialsLibrary, prefix: str) -> None:
        self.library = library
        self.prefix = prefix
        self._context = make_context(library)
        self._freed: list[tuple[Any, ctypes.c_void_p]] = []
        self.memory = _ADDRESS()

    def call(self, name: str, *arguments: Any) -> None:
        """Call a function of the integrator by its name without the prefix, with its memory as first argument."""
        flag = self.library.function(self.prefix + name)(self.memory, *arguments)
        if flag < 0:
            raise RuntimeError(f"{self.prefix}{name} of SUNDIALS returned {flag}")

    def tell_errors(self, handler: int, place: int) -> None:
        """Let the library call a handler, by its address, with ``place`` where it has an error."""
        self.library.function("SUNContext_PushErrHandler")(self._context, _ADDRESS(handler), _ADDRESS(place))

    def address(self, name: str) -> int:
        """Address of a function of the integrator."""
        return self.library.address(self.prefix + name)

    def create(self, *arguments: Any) -> int:
        """Make the integrator's memory."""
        made = self.library.function(f"{self.prefix}Create", _ADDRESS)(*arguments, self._context)
        self.memory = _ADDRESS(made)
        return int(made)

    def vector(self, numbers: np.ndarray[Any, np.dtype[np.float64]]) -> int:
        """A vector whose numbers are those of an array, which must live as long."""
        made = self.library.function("N_VMake_Serial", _ADDRESS)(
            self.library.index(len(numbers)), _pointer(numbers), self._context
        )
        self._freed.append((self.library.function("N_VDestroy", None), _ADDRESS(made)))
        return int(made)

    def add_dense_solver(self, n: int, vector: int) -> None:
        """Let the integrator solve linear systems with a dense matrix (n, n)."""
        index, library = self.library.index, self.library
        matrix = _ADDRESS(library.function("SUNDenseMatrix", _ADDRESS)(index(n), index(n), self._context))
        self._freed.append((library.function("SUNMatDestroy", None), matrix))
        solver = _ADDRESS(library.function("SUNLinSol_Dense", _ADDRESS)(_ADDRESS(vector), matrix, self._context))
        self._freed.append((library.function("SUNLinSolFree"), solver))
        self.call("SetLinearSolver", solver, matrix)

    @property
    def takes_own_solvers(self) -> bool:
        """Whether a linear solver of our own can be made for the integrator."""
        return self.library.solver_slots is not None

    def add_own_solver(self, content: int, set_up: int, solve: int) -> None:
        """Let the integrator solve linear systems by functions at addresses; ``content``: with what they begin.

        The matrix of the library has one number, which nobody reads.
        """
        library = self.library
        assert library.solver_slots is not None
        matrix = _ADDRESS(
            library.function("SUNDenseMatrix", _ADDRESS)(library.index(1), library.index(1), self._context)
        )
        self._freed.append((library.function("SUNMatDestroy", None), matrix))
        made = library.function("SUNLinSolNewEmpty", _ADDRESS)(self._context)
        self._freed.append((library.function("SUNLinSolFreeEmpty", None), _ADDRESS(made)))
        parts = ctypes.cast(_ADDRESS(made), ctypes.POINTER(_ADDRESS))
        parts[0] = content
        at, *slots = library.solver_slots
        operations = ctypes.cast(parts[at], ctypes.POINTER(_ADDRESS))
        functions = (library.address("SUNLinSolGetType_Dense"), set_up, solve)
        for slot, function in zip(slots, functions, strict=True):
            operations[slot] = function
        self.call("SetLinearSolver", _ADDRESS(made), matrix)

    def __del__(self) -> None:
        if self.memory:
            self.library.function(f"{self.prefix}Free", None)(ctypes.byref(self.memory))
        for free, what in reversed(self._freed):
            free(what)
        self.library.function("SUNContext_Free")(ctypes.byref(self._context))
