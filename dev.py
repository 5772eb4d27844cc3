"""Run polycontact's jobs in an environment of their own, made when it is missing or out of date.

    python3 dev.py demo        (Windows: py dev.py demo)

Needs nothing but Python 3.11 or newer. The environment is `.venv` beside this file. It is filled in two stages: what
polycontact runs with (`requirements.lock`) and polycontact itself, editable, which is all that `demo` needs; then what
it is developed with (`requirements-dev.lock`), when another command first asks for it. Nothing outside `.venv` is
changed.

This file has to parse on old Pythons, so that they get a clear message: no syntax newer than Python 3.6.
"""

import csv
import hashlib
import importlib.util
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

OLDEST_PYTHON = (3, 11)
ROOT = Path(__file__).resolve().parent
VENV = ROOT / ".venv"
RUN_LOCK = ROOT / "requirements.lock"
DEV_LOCK = ROOT / "requirements-dev.lock"
PROJECT = ROOT / "pyproject.toml"
REPORT = ROOT / "build" / "coverage.json"
BUILT = Path("src", "polycontact", "kernels", "library_file", "built")
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


def stamp(stage: str) -> Path:
    """File that tells from what a finished stage of the environment was made."""
    return VENV / ("finished-" + stage)


def found(stage: str) -> str:
    """From what a stage was made; empty where it is not finished."""
    return stamp(stage).read_text() if stamp(stage).is_file() else ""


def wanted() -> "dict[str, str]":
    """What each stage is to be made from: the pins, with the Python and the place (installed scripts name it)."""
    place = sys.version.encode() + str(ROOT).encode()
    made_from = {
        "run": (RUN_LOCK.read_bytes(), place),
        "package": (PROJECT.read_bytes(),),
        "dev": (RUN_LOCK.read_bytes(), DEV_LOCK.read_bytes(), place),
    }
    return {stage: hashlib.sha256(b"\0".join(parts)).hexdigest() for stage, parts in made_from.items()}


def prepare(*, development: bool = True) -> None:
    """Finish the environment: what polycontact runs with, itself and, where asked for, what it is developed with.

    What is finished and up to date stays as it is. A stage that was interrupted goes on where it stopped; where pins,
    Python or the place have changed, the environment is made anew.
    """
    target = wanted()
    stages = ["run", "package", "dev"] if development else ["run", "package"]
    if os.path.exists(program("python")) and all(found(stage) == target[stage] for stage in stages):
        return
    started = time.monotonic()
    outdated = [stage for stage in ("run", "dev") if found(stage) not in ("", target[stage])]
    if outdated or not os.path.exists(program("python")):
        say("renewing the environment in .venv" if VENV.exists() else "making an environment in .venv, this once")
        make_venv(VENV)
    else:
        forget_half_installed()
    for stage in stages:
        if found(stage) != target[stage]:
            if stamp(stage).exists():
                stamp(stage).unlink()  # first, so that an interruption from here on leaves no stamp
            install(stage)
            stamp(stage).write_text(target[stage])
    say(f"environment ready after {time.monotonic() - started:.0f} s")


def install(stage: str) -> None:
    """Install what a stage adds to the environment."""
    if stage == "package":
        say("installing polycontact itself, editable")
        pip_install(VENV, "--no-deps", "--no-build-isolation", "--editable", str(ROOT))
        compile_bytecode(ROOT / "src")
        return
    lock = RUN_LOCK if stage == "run" else DEV_LOCK
    say("installing the packages of " + lock.name)
    # Wheels only: a package without one for this platform is named at once, not after a failed build. All cores write
    # the bytecode afterwards: where Python is told to write none, every start would compile what it imports.
    pip_install(VENV, "--no-deps", "--only-binary=:all:", "--no-compile", "-r", str(lock))
    compile_bytecode(VENV)


def compile_bytecode(folder: Path) -> None:
    """Write the bytecode of all modules in a folder; files that are no Python of this version are passed over."""
    command = [program("python"), "-m", "compileall", "-qq", "-j", "0", str(folder)]
    subprocess.run(command, env=clean_environment(), stdout=subprocess.DEVNULL, check=False)


def forget_half_installed() -> None:
    """Have pip install again what an interruption left without some of its files."""
    for info in VENV.glob("**/site-packages/*.dist-info"):
        record = info / "RECORD"  # comes last
        with_sums = record.read_text(encoding="utf-8").splitlines() if record.is_file() else []
        files = [row[0] for row in csv.reader(with_sums) if row and not row[0].endswith(".pyc")]
        if not files or not all((info.parent / file).exists() for file in files):
            shutil.rmtree(str(info), ignore_errors=True)


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
        raise SetupError(reason_of_failure("".join(output)))


def reason_of_failure(output: str) -> str:
    """What to do after pip failed with this output."""
    again = " Then run the same command again: it goes on where it stopped"
    if "No space left on device" in output:
        return "the disk is full, see above. The environment takes 0.5 GB, for development 2 GB." + again
    if any(word in output for word in ("ConnectionError", "TimeoutError", "Max retries exceeded", "ProxyError")):
        return (
            "pip cannot reach the package index, see above. Check the network; behind a proxy or with an index of your "
            "own, pip's settings (pip config list)." + again
        )
    if "No matching distribution found" in output:
        return (
            "pip found no wheel of a pinned package for this Python and platform, see above. Take another Python, "
            "64-bit and not brand new: python3.12 dev.py demo." + again
        )
    return "pip failed, see above. Mend the cause." + again


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


TIERS = {
    "--all": ["--tier=all", "--hypothesis-profile=thorough"],
    "--turn": ["--tier=turn", "--hypothesis-profile=thorough"],
}
"""Which tests run, for pytest; without one of these words the quick ones."""


def test(*arguments: str) -> int:
    """Run the quick tests; --all: every test; --turn: slow ones of what changed and others; --coverage: with a table.

    Further words go to pytest.
    """
    chosen = [option for word in arguments for option in TIERS.get(word, [])]
    words = [word for word in arguments if word not in TIERS and word != "--coverage"]
    compiled = call(program("python"), "-m", "tools.compile_kernels")  # once, before many processes want them
    if compiled != 0:
        return compiled
    if "--coverage" in arguments:
        return covered([*chosen, *words], "polycontact")
    # Each file goes to one process as a whole, those that take longest first. Tests that are named run in one process,
    # where a debugger works.
    named = any(
        word.startswith(("-k", "-n", "-s", "--pdb")) or Path(word.partition("::")[0]).exists() for word in words
    )
    spread = [] if named else [f"-n{cores()}", "--dist=loadfile", "--no-loadscope-reorder"]
    os.environ["OPENBLAS_NUM_THREADS"] = "1"  # the processes fill the cores
    return call(program("python"), "-m", "pytest", *chosen, *spread, *words)


def cores() -> int:
    """Cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


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


def library(*arguments: str) -> int:
    """Build the kernels ahead, as a library that needs no compiling; --help for all words."""
    return call(program("python"), "-m", "tools.library", *arguments)


def bench(*arguments: str) -> int:
    """Measure speed beside other programs; --quick for a first look, --help for all words."""
    return call(program("python"), "-m", "proof", "bench", *arguments)


def runs(*arguments: str) -> int:
    """Compare whole runs with the last release, and fail where one costs 5 % more; --help for all words."""
    return call(program("python"), "-m", "tools.compare_runs", *arguments)


def book(*arguments: str) -> int:
    """Make the verification book in the folder named; --help for all words."""
    return call(program("python"), "-m", "proof", "book", *arguments)


def validation(*arguments: str) -> int:
    """Simulate cases that others published and compare their numbers with ours; --help for all words."""
    return call(program("python"), "-m", "proof", "validation", *arguments)


def gallery(*arguments: str) -> int:
    """Make the gallery in the folder named: pictures, played pages, programs; --help for all words."""
    return call(program("python"), "-m", "proof", "gallery", *arguments)


def figures(*arguments: str) -> int:
    """Repeat the figure of a source that the scenario named is from; --help for all words."""
    return call(program("python"), "-m", "proof", "figures", *arguments)


def sbom(*arguments: str) -> int:
    """Write the bill of materials (CycloneDX, JSON) of what polycontact runs with."""
    return call(program("python"), "-m", "tools.sbom", *arguments)


def docs(*arguments: str) -> int:
    """Build the documentation in build/site, with warnings as errors."""
    return call(program("python"), "-m", "mkdocs", "build", "--strict", "--quiet", *arguments)


def package(*arguments: str) -> int:
    """Build sdist and wheel in dist/, install the wheel in an environment of its own and run the demo from it.

    --library: the wheel has the kernels for this platform, where they can be built here. Further words are a command of
    polycontact that is run in place of the demo.
    """
    platform = ""
    if "--library" in arguments:
        arguments = tuple(word for word in arguments if word != "--library")
        if library() == 0:
            platform = (ROOT / BUILT / "platform").read_text(encoding="utf-8")
        else:
            say("the wheel has no library of kernels, and fits every platform: they are compiled on first use")
    with tempfile.TemporaryDirectory() as scratch:
        wheel = build_distributions(ROOT / "dist", Path(scratch), platform)
        apart = Path(scratch) / "environment"
        say("installing " + wheel.name + " in an environment of its own")
        make_venv(apart)
        pip_install(apart, "--only-binary=:all:", "--no-compile", "--constraint", str(RUN_LOCK), str(wheel))
        command = [program("polycontact", apart), *(arguments or ["demo"])]
        say(" ".join(["outside the repository: polycontact", *command[1:]]))
        return subprocess.run(command, cwd=scratch, env=clean_environment(), check=False).returncode


def build_distributions(dist: Path, scratch: Path, platform: str) -> Path:
    """Build the sdist, and from nothing else but the library of kernels for a platform the wheel, which is returned."""
    shutil.rmtree(str(dist), ignore_errors=True)
    if call(program("python"), "-m", "hatchling", "build", "--target", "sdist", "--directory", str(dist)) != 0:
        raise SetupError("the sdist cannot be built, see above")
    (sdist,) = dist.glob("*.tar.gz")
    shutil.unpack_archive(str(sdist), str(scratch))
    unpacked = scratch / sdist.name[: -len(".tar.gz")]
    say("building the wheel from " + sdist.name)
    if platform:
        shutil.copytree(str(ROOT / BUILT), str(unpacked / BUILT))
    os.environ["POLYCONTACT_WHEEL"] = platform
    command = [program("python"), "-m", "hatchling", "build", "--target", "wheel", "--directory", str(dist)]
    if subprocess.run(command, cwd=str(unpacked), env=clean_environment(), check=False).returncode != 0:
        raise SetupError("the wheel cannot be built from the sdist, see above")
    (wheel,) = dist.glob("*.whl")
    return wheel


def lock(*arguments: str) -> int:
    """Pin the packages anew after a change of pyproject.toml; --upgrade takes the latest versions."""
    import tomllib

    # The build requirements are pinned too: polycontact itself is then installed without fetching anything.
    build = "\n".join([*tomllib.loads(PROJECT.read_text(encoding="utf-8"))["build-system"]["requires"], "editables"])
    with tempfile.TemporaryDirectory() as scratch:
        say("installing uv in a scratch environment")
        make_venv(Path(scratch))
        pip_install(Path(scratch), "uv")
        # One version of each package for all Pythons and platforms; the project itself is not a pin.
        options = ["--quiet", "--universal", "--python-version=3.11", "--fork-strategy=fewest"]
        options += ["--no-emit-package=polycontact", "--custom-compile-command=python3 dev.py lock", *arguments]
        # What development adds must not change the versions that polycontact runs with.
        for target, more in ((RUN_LOCK, []), (DEV_LOCK, ["--extra=dev", "--constraint=" + RUN_LOCK.name])):
            say("writing " + target.name)
            command = [program("uv", Path(scratch)), "pip", "compile", *options, *more, "--output-file=" + target.name]
            command += [PROJECT.name, "-"]
            done = subprocess.run(command, cwd=str(ROOT), input=build, encoding="utf-8", check=False)
            if done.returncode != 0:
                return done.returncode
    return 0


COMMANDS = {
    command.__name__: command
    for command in (
        demo,
        test,
        plain,
        lint,
        types,
        docs,
        library,
        package,
        bench,
        runs,
        book,
        validation,
        gallery,
        figures,
        sbom,
        lock,
    )
}


WITHOUT_DEVELOPMENT = ("demo", "library", "package", "sbom")
"""Commands that need only what polycontact runs with, and is built with."""


def usage() -> str:
    """List the commands."""
    lines = [f"  {name:10} {(command.__doc__ or '').splitlines()[0]}" for name, command in COMMANDS.items()]
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
            prepare(development=words[0] not in WITHOUT_DEVELOPMENT)
        return COMMANDS[words[0]](*words[1:])
    except SetupError as failure:
        say(str(failure))
        return 1
    except KeyboardInterrupt:
        say("interrupted; the same command goes on where it stopped")
        return 130


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
