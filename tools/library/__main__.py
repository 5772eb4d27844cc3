"""Build the kernels ahead: ``python3 dev.py library [TARGET …]``.

Without a name the libraries for this machine's system are built, of every kind of its processors; "all" builds for all
systems, for which Zig's linker is needed (``pip install ziglang``).
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from pathlib import Path

os.environ["POLYCONTACT_LIBRARY"] = "no"

from polycontact.kernels.library_file.shared_library import FOLDER
from tools.library.build import build
from tools.library.link import LinkError, own_target, wheel_tag
from tools.library.targets import TARGETS


def main(words: list[str]) -> int:
    """Build what is asked for; the exit status."""
    parser = argparse.ArgumentParser(prog="dev.py library", description=__doc__)
    parser.add_argument("targets", nargs="*", metavar="TARGET", help=f"all, or of {', '.join(TARGETS)}")
    parser.add_argument("--folder", type=Path, default=FOLDER, help="where libraries are put; where they are found")
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--module", action="append", default=[], help="with entries of this module only; may repeat")
    given = parser.parse_args(words)
    names = list(TARGETS) if given.targets == ["all"] else given.targets or _of_this_system()
    unknown = sorted(set(names) - set(TARGETS))
    if unknown or not names:
        said = f"there is no target {unknown[0]!r}" if unknown else f"no library is built for {own_target()}"
        print(f"{said}; there are {', '.join(TARGETS)}", file=sys.stderr)
        return 2
    started = time.perf_counter()
    try:
        made = build(names, given.folder, given.processes, given.module)
    except LinkError as failure:
        print(f"no library is built: {failure}", file=sys.stderr)
        return 1
    if not given.targets:
        kind = f"{own_target().removesuffix('-v3')} {wheel_tag(TARGETS[names[0]])}"
        (given.folder / "platform").write_text(kind, encoding="utf-8")
    for path in made:
        print(f"{path}  {path.stat().st_size / 1e6:.1f} MB")
    print(f"built in {time.perf_counter() - started:.0f} s", file=sys.stderr)
    return 0


def _of_this_system() -> list[str]:
    base = own_target().removesuffix("-v3")
    return [name for name in TARGETS if name.removesuffix("-v3") == base]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
