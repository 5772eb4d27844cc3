"""Where the time of a run goes, by compiled function: ``python tools/kernel_profile.py nut_on_bolt [--end-time 0.5]``.

Linux's ``perf`` samples the process while a scenario runs; a map of the compiled functions, which ``perf`` looks for
where a program makes code by itself, gives their names. What the compiler has made a piece of its caller counts there.
Sampling needs no counters of the processor, so that it works on shared machines too.
"""

from __future__ import annotations

import argparse
import gc
import os
import re
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from numba.core.codegen import JITCodeLibrary
from numba.core.registry import CPUDispatcher

SAMPLES_PER_SECOND = 4000
_SYMBOL_TABLE, _FUNCTION = 2, 2
"""Type of a section with symbols, and of a symbol that is a function, in ELF files."""

_objects: dict[int, bytes] = {}
"""Object files of the libraries that were made or read from the cache, by their identity."""


def main() -> None:
    """Run the beginning of the scenario to compile, then all of it with samples, and print the shares of functions."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("scenario", help="a built-in scenario, or a file")
    parser.add_argument("--end-time", type=float, help="end of the run, s; that of the scenario if not given")
    parser.add_argument("--least", type=float, default=0.5, help="smallest share that is printed, %%")
    given = parser.parse_args()
    if sys.platform != "linux":
        sys.exit(f"perf samples on Linux only; this is {sys.platform}")
    if shutil.which("perf") is None:
        sys.exit("perf is not installed: it is in the package linux-perf or linux-tools of Linux distributions")
    _keep_objects()
    import polycontact as pc

    scenario = pc.load_scenario(given.scenario)
    settings = dict(scenario.settings)
    if given.end_time is not None:
        settings["end_time"] = given.end_time
    system = scenario.build()
    pc.simulate(system, **{**settings, "end_time": 0.02 * settings["end_time"]})
    names = Path(f"/tmp/perf-{os.getpid()}.map")  # where perf looks for it
    names.write_text("".join(_lines_of_map()), encoding="ascii")
    try:
        with tempfile.TemporaryDirectory() as folder:
            samples = Path(folder) / "perf.data"
            recording = _start_recording(samples)
            cost = pc.simulate(system, **settings).statistics
            recording.send_signal(signal.SIGINT)
            recording.wait()
            shares = _shares_of(samples)
    finally:
        names.unlink()
    print(f"{given.scenario}: {cost.evaluations} evaluations, {cost.cpu_seconds:.2f} s of CPU")
    for name, share in shares.items():
        if share >= given.least:
            print(f"{share:6.1f} %  {name}")
    print(f"{sum(share for share in shares.values() if share < given.least):6.1f} %  all others")


def _keep_objects() -> None:
    """Keep the object file of everything that is compiled or read from the cache from now on."""
    libraries: Any = JITCodeLibrary
    take = libraries._set_compiled_object

    def keep(library: Any, value: bytes) -> None:
        _objects[id(library)] = value
        take(library, value)

    libraries._set_compiled_object = keep


def _lines_of_map() -> Iterator[str]:
    """Address, size and name of every compiled function in memory, as perf reads them."""
    dispatchers: list[Any] = [each for each in gc.get_objects() if isinstance(each, CPUDispatcher)]
    for dispatcher in dispatchers:
        for compiled in dispatcher.overloads.values():
            data = _objects.get(id(compiled.library))
            entry = compiled.fndesc.llvm_cfunc_wrapper_name
            functions = {} if data is None else dict(_functions_in(data))
            if entry in functions:
                base = compiled.library.get_pointer_to_function(entry) - functions[entry][0]
                for name, (offset, size) in functions.items():
                    yield f"{base + offset:x} {size:x} {name}\n"


def _functions_in(data: bytes) -> Iterator[tuple[str, tuple[int, int]]]:
    """Name, address and size of the functions of an ELF object file of 64 bits."""
    (headers,) = struct.unpack_from("<Q", data, 0x28)
    width, number = struct.unpack_from("<HH", data, 0x3A)
    sections = [struct.unpack_from("<IIQQQQII", data, headers + k * width) for k in range(number)]
    for _, kind, _, _, start, size, link, _ in sections:
        if kind == _SYMBOL_TABLE:
            texts = sections[link][4]
            for place in range(start, start + size, 24):
                name, info, _, _, value, extent = struct.unpack_from("<IBBHQQ", data, place)
                if info & 15 == _FUNCTION:
                    end = data.index(b"\0", texts + name)
                    yield data[texts + name : end].decode("ascii"), (value, extent)


def _start_recording(samples: Path) -> subprocess.Popen[bytes]:
    """Samples of this process from now on."""
    frequency = str(SAMPLES_PER_SECOND)
    recording = subprocess.Popen(
        ["perf", "record", "-q", "-e", "cpu-clock", "-F", frequency, "-p", str(os.getpid()), "-o", str(samples)],
        stderr=subprocess.DEVNULL,
    )
    time.sleep(1.0)
    if recording.poll() is not None:
        sys.exit("perf cannot sample this process: see kernel.perf_event_paranoid, or run it as root")
    return recording


def _shares_of(samples: Path) -> dict[str, float]:
    """Share of each function in the samples, %, largest first."""
    listed = subprocess.run(
        ["perf", "report", "-i", str(samples), "--stdio", "-F", "overhead,symbol"],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        check=True,
    ).stdout
    shares: dict[str, float] = {}
    for share, where, symbol in re.findall(r"^\s*([\d.]+)%\s+\[(.)\]\s+(\S+)", listed, re.MULTILINE):
        name = "kernel of the system" if where == "k" else _readable(symbol)
        shares[name] = shares.get(name, 0.0) + float(share)
    return dict(sorted(shares.items(), key=lambda item: -item[1]))


def _readable(symbol: str) -> str:
    """Module and name of a compiled function, whose symbol has them with their lengths; other symbols as they are."""
    place, names = symbol.removeprefix("_ZN"), []
    while symbol.startswith("_ZN") and (found := re.match(r"\d+", place)):
        begin, length = found.end(), int(found[0])
        names.append(place[begin : begin + length])
        place = place[begin + length :]
    return ".".join(names[-2:]) if names else symbol


if __name__ == "__main__":
    main()
