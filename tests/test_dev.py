"""`dev.py`, the checks before a change is accepted, and the README name the same commands."""

from __future__ import annotations

import ast
import importlib.util
import re
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="module")
def dev() -> ModuleType:
    spec = importlib.util.spec_from_file_location("dev", ROOT / "dev.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def commands(name: str) -> set[str]:
    """Words that follow dev.py in a file of the repository."""
    return set(re.findall(r"python3 dev\.py (\w+)", (ROOT / name).read_text(encoding="utf-8")))


def test_readme_names_every_command(dev: ModuleType) -> None:
    assert commands("README.md") == set(dev.COMMANDS)


@pytest.mark.parametrize("name", [".ci/run", ".pre-commit-config.yaml", "docs/releasing.md"])
def test_commands_are_those_of_the_readme(name: str) -> None:
    assert commands(name)
    assert commands(name) <= commands("README.md")


def test_coverage_is_told_for_each_package(dev: ModuleType) -> None:
    files = {
        f"src/polycontact/{path}": {"summary": {"num_statements": statements, "covered_lines": covered}}
        for path, statements, covered in (
            ("__init__.py", 10, 10),
            ("contact/laws.py", 1000, 600),
            ("contact/deep/more.py", 1000, 300),
            ("empty/__init__.py", 0, 0),
        )
    }
    rows = [line.split() for line in dev.coverage_table(files).splitlines()]
    assert rows[:-1] == [
        ["package", "statements", "run"],
        ["polycontact", "10", "100%"],
        ["polycontact.contact", "2,000", "45%"],
        ["polycontact.empty", "0", "0%"],
        ["all", "2,010", "45%"],
    ]


def test_coverage_of_one_package(dev: ModuleType) -> None:
    files = {
        f"src/polycontact/{path}": {"summary": {"num_statements": 10, "covered_lines": covered}}
        for path, covered in (("contact/laws.py", 1), ("kernels/jit.py", 2), ("kernels/contact/elements.py", 5))
    }
    rows = [line.split() for line in dev.coverage_table(files, "polycontact/kernels").splitlines()]
    assert [row[0] for row in rows[1:-1]] == ["polycontact.kernels", "polycontact.kernels.contact", "all"]
    assert rows[-2] == ["all", "20", "35%"]


# The tests ------------------------------------------------------------------------------------------------


@pytest.fixture
def called(dev: ModuleType, monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """Commands that a job calls, without their programs; none of them runs."""
    commands: list[list[str]] = []

    def call(*command: str) -> int:
        commands.append(list(command[1:]))
        return 0

    monkeypatch.setattr(dev, "call", call)
    monkeypatch.setattr(dev, "cores", lambda: 3)
    monkeypatch.setenv("OPENBLAS_NUM_THREADS", "1")  # set by the job, and put back
    return commands


def test_kernels_are_compiled_before_the_quick_tests_run_on_all_cores(dev: ModuleType, called: list[list[str]]) -> None:
    assert dev.test() == 0
    assert called[0] == ["-m", "tools.compile_kernels"]
    assert called[1][:3] == ["-m", "pytest", "-n3"]
    assert not any(word.startswith("--tier") for word in called[1])


def test_tiers_are_options_of_pytest(dev: ModuleType, called: list[list[str]]) -> None:
    dev.test("--all", "--record-times")
    dev.test("--turn")
    assert {"--tier=all", "--hypothesis-profile=thorough", "-n3", "--record-times"} <= set(called[1])
    assert {"--tier=turn", "-n3"} <= set(called[3])
    assert "--all" not in called[1]


@pytest.mark.parametrize("words", [("-k", "friction"), ("tests/contact",), ("tests/test_dev.py::test_tiers",)])
def test_tests_that_are_named_run_in_one_process(
    dev: ModuleType, called: list[list[str]], words: tuple[str, ...]
) -> None:
    dev.test(*words)
    assert called[1] == ["-m", "pytest", *words]


# The environment --------------------------------------------------------------------------------------------


class Installs:
    """Stands in for pip and venv: notes what was asked for, and fails where told to."""

    def __init__(self, dev: ModuleType) -> None:
        self.dev = dev
        self.asked: list[str] = []
        self.compiled: list[str] = []
        self.failing = ""

    def make_venv(self, path: Path) -> None:
        for stage in ("run", "package", "dev"):
            self.dev.stamp(stage).unlink(missing_ok=True)
        python = Path(self.dev.program("python", path))
        python.parent.mkdir(parents=True, exist_ok=True)
        python.touch()
        self.asked.append("venv")

    def pip_install(self, venv: Path, *arguments: str) -> None:
        what = Path(arguments[-1]).name if "-r" in arguments else "polycontact"
        self.asked.append(what)
        if what == self.failing:
            raise self.dev.SetupError("no network")

    def compile_bytecode(self, folder: Path) -> None:
        assert self.asked, "bytecode is written after something was installed"
        self.compiled.append(folder.name)

    def of(self, *, development: bool) -> list[str]:
        self.asked.clear()
        self.dev.prepare(development=development)
        return list(self.asked)


@pytest.fixture
def installs(dev: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Installs:
    """dev.py in a folder of its own, with pins that a test may change, and nothing installed."""
    for name, file in (("RUN_LOCK", "requirements.lock"), ("DEV_LOCK", "requirements-dev.lock"), ("PROJECT", "p.toml")):
        (tmp_path / file).write_text(name)
        monkeypatch.setattr(dev, name, tmp_path / file)
    monkeypatch.setattr(dev, "VENV", tmp_path / ".venv")
    monkeypatch.setattr(dev, "program", lambda name, venv=tmp_path / ".venv": str(venv / "bin" / name))
    made = Installs(dev)
    monkeypatch.setattr(dev, "make_venv", made.make_venv)
    monkeypatch.setattr(dev, "pip_install", made.pip_install)
    monkeypatch.setattr(dev, "compile_bytecode", made.compile_bytecode)
    return made


def test_demo_installs_what_it_runs_with_and_test_adds_the_rest(installs: Installs) -> None:
    assert installs.of(development=False) == ["venv", "requirements.lock", "polycontact"]
    assert installs.of(development=False) == []
    assert installs.of(development=True) == ["requirements-dev.lock"]
    assert installs.compiled == [".venv", "src", ".venv"]
    assert installs.of(development=True) == []
    assert installs.of(development=False) == []


def test_an_installation_that_failed_goes_on_where_it_stopped(installs: Installs) -> None:
    for failing in ("requirements.lock", "polycontact", "requirements-dev.lock"):
        installs.failing = failing
        with pytest.raises(installs.dev.SetupError):
            installs.of(development=True)
        assert installs.asked[-1] == failing
    installs.failing = ""
    assert installs.of(development=False) == []  # the first stage is whole
    assert installs.of(development=True) == ["requirements-dev.lock"]


def test_changed_pins_make_the_environment_anew_and_a_changed_project_does_not(installs: Installs) -> None:
    installs.of(development=True)
    installs.dev.PROJECT.write_text("another setting")
    assert installs.of(development=True) == ["polycontact"]
    installs.dev.DEV_LOCK.write_text("other pins")
    assert installs.of(development=False) == []  # the demo does not need them
    assert installs.of(development=True) == ["venv", "requirements.lock", "polycontact", "requirements-dev.lock"]
    installs.dev.RUN_LOCK.write_text("other pins")
    assert installs.of(development=False) == ["venv", "requirements.lock", "polycontact"]


def test_a_package_without_some_of_its_files_is_installed_again(
    dev: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    site = tmp_path / "lib" / "site-packages"
    for name, file in (("whole", "whole.py"), ("half", "half.py")):
        info = site / f"{name}-1.0.dist-info"
        info.mkdir(parents=True)
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
        (info / "RECORD").write_text(f"{file},,\n{info.name}/METADATA,,\n{info.name}/RECORD,,\n")
    (site / "torn-1.0.dist-info").mkdir()
    (site / "torn-1.0.dist-info" / "METADATA").write_text("Metadata-Version: 2.1\nName: torn\nVersion: 1.0\n")
    (site / "whole.py").touch()
    monkeypatch.setattr(dev, "VENV", tmp_path)
    dev.forget_half_installed()
    assert [path.name for path in site.glob("*.dist-info")] == ["whole-1.0.dist-info"]


@pytest.mark.parametrize(
    ("output", "told"),
    [
        (
            "Max retries exceeded with url: /simple/numpy/",
            "cannot reach the package index",
        ),
        ("ERROR: No matching distribution found for numba==0.68.1", "no wheel of a pinned package"),
        ("OSError: [Errno 28] No space left on device", "the disk is full"),
        ("something else", "Mend the cause"),
    ],
)
def test_a_failed_installation_says_what_to_do(dev: ModuleType, output: str, told: str) -> None:
    message = dev.reason_of_failure(output)
    assert told in message
    assert message.endswith("run the same command again: it goes on where it stopped")


def pins(name: str) -> set[str]:
    """Packages and versions of a lock."""
    return set(re.findall(r"^([\w.-]+==\S+)", (ROOT / name).read_text(encoding="utf-8"), re.MULTILINE))


def test_development_changes_no_version_that_polycontact_runs_with() -> None:
    assert pins("requirements.lock")
    assert pins("requirements.lock") < pins("requirements-dev.lock")


def test_an_old_python_can_read_as_far_as_the_message() -> None:
    ast.parse((ROOT / "dev.py").read_text(encoding="utf-8"), feature_version=(3, 6))
