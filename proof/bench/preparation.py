"""Loads, checks and prepares a surface and prints what that cost; run as a process, its memory is its own."""

from __future__ import annotations

import json
import sys
import time
from itertools import pairwise
from pathlib import Path


def main(path: str) -> None:
    """Print CPU times (s) and peak memory (MB) for the mesh in a file as a JSON object."""
    from polycontact.surfaces.check import check_surface
    from polycontact.surfaces.mesh_loading import load_surface
    from proof.bench.contest import make_pairing

    times = [time.process_time()]
    surface = load_surface(path)
    times.append(time.process_time())
    report = check_surface(surface)
    times.append(time.process_time())
    make_pairing(surface, surface)
    times.append(time.process_time())
    if not report.ok:
        raise SystemExit(f"{path}: {report.verdict}")
    load, check, prepare = (stop - start for start, stop in pairwise(times))
    record = {"triangles": surface.n_triangles, "load": load, "check": check, "prepare": prepare}
    print(json.dumps(record | {"total": time.process_time(), "peak": _peak_memory()}))


def _peak_memory() -> float | None:
    """Largest resident memory of this process, MB.

    Linux' getrusage includes that of the parent before exec, hence the file.
    """
    status = Path("/proc/self/status")
    if status.exists():
        for line in status.read_text(encoding="ascii", errors="replace").splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024 / 1e6
    if sys.platform == "darwin":
        import resource

        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    return None


if __name__ == "__main__":
    main(sys.argv[1])
