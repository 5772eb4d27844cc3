"""Run polycontact's jobs in an environment of their own, made when it is missing or out of date.

    python3 dev.py demo        (Windows: py dev.py demo)

Needs nothing but Python 3.11 or newer. The environment is `.venv` beside this file: the packages pinned in
`requirements-dev.lock` and polycontact itself, editable. Nothing outside `.venv` is changed.

This file has to parse on old Pythons, so that they get a clear message: no syntax newer than Python 3.6.
"""

import hashlib
import importlib.util
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

OLDEST_PYTHON = (3, 11)
ROOT = Path(__file__).resolve().parent
VENV = ROOT / ".venv"
STAMP = VENV / "complete"
LOCK = ROOT / "requirements-dev.lock"
PROJECT = ROOT / "pyproject.toml"
REPORT = ROOT / "build" / "coverage.json"
ON_WINDOWS = os.name == "nt"


class SetupError(Exception):
    """Something that ends the run, with a message that says what to do."""


def say(message: str) -> None:
    """Tell what is being done, on stderr: stdout belongs to the command."""
    print("dev: " + message, file=sys.stderr, flush=True)


def program(name: str, venv: Path = VENV) -> str:
    """Path of an executable installed in ``venv``."""
    return str(venv / "Scripts" / (name + ".exe") if ON_WINDOWS else venv / "bin" / name)


def clean_environment() -> "dict[str, str]":
    """The caller's environment variables without those that leak other installations into ours."""
    variables = dict(os.environ)
    for name in ("PYTHONHOME", "PYTHONPATH"):
        variables.pop(name, None)
    variables["PIP_USER"] = "0"  # pip refuses a user install, which some configurations ask for, in a venv
    variables["NO_MKDOCS_2_WARNING"] = "1"  # an announcement, which is no fault of our pages
    variables["PYTHONUTF8"] = "1"  # the same text on every console and in every pipe
    return variables


def call(*command: str) -> int:
    """Run a command in the repository, showing it, and return its exit status."""
    say(" ".join([Path(command[0]).stem, *command[1:]]))
    return subprocess.run(command, cwd=str(ROOT), env=clean_environment(), check=False).returncode


# The environment ------------------------------------------------------------------------------------------


def fingerprint() -> "list[str]":
    """What the environment is made from, in two parts: a new setting need not fetch every package again.

    The first is the pins, the Python and the place (installed scripts name it), the second the project file.
    """
    packages = (LOCK.read_bytes(), sys.version.encode(), str(ROOT).encode())
    return [hashlib.sha256(part).hexdigest() for part in (b"\0".join(packages), PROJECT.read_bytes())]


def prepare() -> None:
    """Make the environment unless it is complete and up to date."""
    wanted = fingerprint()
    usable = STAMP.is_file() and os.path.exists(program("python"))
    found = STAMP.read_text().split() if usable else []
    if found == wanted:
        return
    started = time.monotonic()
    if STAMP.exists():
        STAMP.unlink()  # first, so that an interruption from here on leaves no stamp
    if found[:1] != wanted[:1]:
        say("renewing the environment in .venv" if VENV.exists() else "making an environment in .venv, this once")
        make_venv(VENV)
        say("installing the packages of " + LOCK.name)
        # Wheels only: a package without one for this platform is named at once, not after a failed build.
        pip_install(VENV, "--no-deps", "--only-binary=:all:", "-r", str(LOCK))
    say("installing polycontact itself, editable")
    pip_install(VENV, "--no-deps", "--no-build-isolation", "--editable", str(ROOT))
    STAMP.write_text("\n".join(wanted))
    say(f"environment ready after {time.monotonic() - started:.0f} s")


def make_venv(path: Path) -> None:
    """An empty environment with pip at ``path``; what was there before is removed."""
    hint = "\n  On Debian and Ubuntu: sudo apt install python3-venv"
    if importlib.util.find_spec("ensurepip") is None:
        raise SetupError("this Python cannot make environments: its module ensurepip is missing." + hint)
    # From within .venv itself, use the Python it was made from: the environment is about to be removed.
    python = getattr(sys, "_base_executable", None) or sys.executable
    done = subprocess.run([python, "-m", "venv", "--clear", str(path)], env=clean_environment(), check=False)
    if done.returncode != 0:
        raise SetupError(f"could not make an environment in {path}, see above.{hint}")


def pip_install(venv: Path, *arguments: str) -> None:
    """Run pip install in ``venv``, with one line for each package fetched and all of it if it fails."""
    options = ["--disable-pip-version-check", "--no-input", "--progress-bar=off"]
    pip = subprocess.Popen(
        [program("python", venv), "-m", "pip", "install", *options, *arguments],
        cwd=str(ROOT),
        env=clean_environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        errors="replace",
    )
    output = []
    with pip:
        for line in pip.stdout:
            output.append(line)
            show_progress(line.split())
    if pip.returncode != 0:
        sys.stderr.write("".join(output[-30:]))
        raise SetupError("pip failed, see above. Mend the cause and run the same command again")


def show_progress(words: "list[str]") -> None:
    """Name the wheel that a line of pip's output says is being fetched, with its size."""
    if "cached" in words[:2]:
        words = words[1:]
    if words[:1] in (["Downloading"], ["cached"]) and len(words) > 1 and words[1].endswith(".whl"):
        name, version = words[1].rsplit("/", 1)[-1].split("-")[:2]
        say(" ".join(["  " + name, version, *words[2:]]))
    elif words[:2] == ["Installing", "collected"]:
        say("  unpacking")


# The commands ---------------------------------------------------------------------------------------------


def demo(*arguments: str) -> int:
    """Run the bubbles, print their cost beside the paper's, and verify the model against closed forms."""
    return call(program("polycontact"), "demo", *arguments)


def test(*arguments: str) -> int:
    """Run the tests; --coverage: and tell how much of each package they ran; further words go to pytest."""
    if "--coverage" in arguments:
        return covered([word for word in arguments if word != "--coverage"], "polycontact")
    return call(program("python"), "-m", "pytest", *arguments)


def plain(*arguments: str) -> int:
    """Run small cases with the JIT off, as plain Python, and tell how much of the kernels they reach."""
    os.environ["NUMBA_DISABLE_JIT"] = "1"
    return covered([*(arguments or ["tests/plain"])], "polycontact/kernels")


def covered(arguments: "list[str]", package: str) -> int:
    """Run tests under coverage and show a table of the parts of a package."""
    REPORT.parent.mkdir(exist_ok=True)
    status = call(program("python"), "-m", "coverage", "run", "-m", "pytest", *arguments)
    if call(program("python"), "-m", "coverage", "json", "-q", "-o", str(REPORT)) == 0:
        print(coverage_table(json.loads(REPORT.read_text(encoding="utf-8"))["files"], package))
    return status


def coverage_table(files: "dict[str, dict]", package: str = "polycontact") -> str:
    """Statements of each part of a package and the share that was run, from coverage's record of each file."""
    counts: dict[str, list[int]] = {}
    for path, record in files.items():
        inside = Path(path).as_posix().partition(package + "/")[2].split("/")
        if inside == [""]:
            continue
        part = package.replace("/", ".") + ("." + inside[0] if len(inside) > 1 else "")
        for name in (part, "all"):
            row = counts.setdefault(name, [0, 0])
            row[0] += record["summary"]["num_statements"]
            row[1] += record["summary"]["covered_lines"]
    order = sorted(counts, key=lambda name: (name == "all", name))
    rows = [f"{name:30}{counts[name][0]:>12,}{counts[name][1] / max(counts[name][0], 1):>8.0%}" for name in order]
    note = "Not seen: compiled kernels (python3 dev.py plain shows them), and commands that tests start as processes."
    return "\n".join([f"{'package':30}{'statements':>12}{'run':>8}", *rows, note])


def lint(*arguments: str) -> int:
    """Check style and formatting with ruff."""
    style = call(program("ruff"), "check", *arguments)
    return call(program("ruff"), "format", "--check", *arguments) or style


def types(*arguments: str) -> int:
    """Check the types with mypy."""
    return call(program("mypy"), *arguments)


def bench(*arguments: str) -> int:
    """Measure speed; further words go to polycontact bench."""
    return call(program("polycontact"), "bench", *arguments)


def docs(*arguments: str) -> int:
    """Build the documentation in build/site, with warnings as errors."""
    return call(program("python"), "-m", "mkdocs", "build", "--strict", "--quiet", *arguments)


def lock(*arguments: str) -> int:
    """Pin the packages anew after a change of pyproject.toml; --upgrade takes the latest versions."""
    import tomllib

    # The build requirements are pinned too: polycontact itself is then installed without fetching anything.
    build = [*tomllib.loads(PROJECT.read_text(encoding="utf-8"))["build-system"]["requires"], "editables"]
    with tempfile.TemporaryDirectory() as scratch:
        say("installing uv in a scratch environment")
        make_venv(Path(scratch))
        pip_install(Path(scratch), "uv")
        say("writing " + LOCK.name)
        # One version of each package for all Pythons and platforms; the project itself is not a pin.
        options = ["--quiet", "--universal", "--python-version=3.11", "--fork-strategy=fewest", "--extra=dev"]
        options += ["--no-emit-package=polycontact", "--custom-compile-command=python3 dev.py lock"]
        options += [f"--output-file={LOCK.name}", *arguments]
        command = [program("uv", Path(scratch)), "pip", "compile", *options, PROJECT.name, "-"]
        done = subprocess.run(command, cwd=str(ROOT), input="\n".join(build), encoding="utf-8", check=False)
    return done.returncode


COMMANDS = {command.__name__: command for command in (demo, test, plain, lint, types, bench, docs, lock)}


def usage() -> str:
    """List the commands."""
    lines = [f"  {name:8} {command.__doc__}" for name, command in COMMANDS.items()]
    return "\n".join(["usage: python3 dev.py COMMAND [ARGUMENTS]", "", *lines])


def main(words: "list[str]") -> int:
    """Run the command that ``words`` ask for and return the exit status."""
    if sys.version_info < OLDEST_PYTHON:
        needed, found = (".".join(map(str, version[:3])) for version in (OLDEST_PYTHON, sys.version_info))
        say(f"polycontact needs Python {needed} or newer, this is {found} ({sys.executable}).")
        say(f"Install a newer one and name it, for example: python{needed} dev.py demo")
        return 2
    if words[:1] in (["-h"], ["--help"]):
        print(usage())
        return 0
    if not words or words[0] not in COMMANDS:
        say("no command given" if not words else "there is no command " + repr(words[0]))
        print(usage(), file=sys.stderr)
        return 2
    try:
        if words[0] != "lock":
            prepare()
        return COMMANDS[words[0]](*words[1:])
    except SetupError as failure:
        say(str(failure))
        return 1
    except KeyboardInterrupt:
        say("interrupted")
        return 130


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
