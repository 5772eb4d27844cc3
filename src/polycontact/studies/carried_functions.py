"""Functions of users on their way to worker processes: by name where a module has them, else by value."""

from __future__ import annotations

import pickle
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from polycontact.errors import StudyError
from polycontact.studies.results import Result

if TYPE_CHECKING:
    from polycontact.simulation.run_result import Run


class CarriedFunction:
    """A function as bytes, which is loaded where it is first called."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._function: Any = None

    def __eq__(self, other: object) -> bool:
        return isinstance(other, CarriedFunction) and other._data == self._data

    def __hash__(self) -> int:
        return hash(self._data)

    def __getstate__(self) -> bytes:
        return self._data

    def __setstate__(self, data: bytes) -> None:
        self._data, self._function = data, None

    def __call__(self, run: Run) -> float:
        """What the function makes of a run."""
        if self._function is None:
            self._function = pickle.loads(self._data)
        return float(self._function(run))


def carried(result: Result) -> Result:
    """The result with a function that worker processes can load."""
    function = result.function
    if function is None:
        return result
    try:
        if getattr(function, "__module__", "__main__") != "__main__":
            pickle.dumps(function)
            return result
    except Exception:  # pickle raises what it likes; by value it may go
        pass
    try:
        import cloudpickle  # type: ignore[import-untyped]
    except ImportError as error:
        raise StudyError(
            f"result {result.name!r}: its function is not in a module that workers could import; put it into one, or "
            "get 'polycontact[cluster]', which can send it, or take workers=0"
        ) from error
    try:
        return replace(result, function=CarriedFunction(cloudpickle.dumps(function)))
    except Exception as error:
        raise StudyError(f"result {result.name!r}: its function cannot be sent to workers: {error}") from error
