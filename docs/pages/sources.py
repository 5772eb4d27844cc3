"""Pages made from files of the repository: changelog, decisions, examples."""

from __future__ import annotations

import ast
import re
from pathlib import Path

from pages.tables import table

ROOT = Path(__file__).resolve().parents[2]


def changelog() -> str:
    """CHANGELOG.md as it is."""
    return (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


def decisions() -> str:
    """List of the decision records with their question."""
    rows = []
    for path in sorted((ROOT / "docs" / "decisions").glob("*.md")):
        if path.name.startswith("0000"):
            continue
        text = path.read_text(encoding="utf-8")
        number, title = re.match(r"# (\d+): (.+)", text).groups()  # type: ignore[union-attr]
        question = re.search(r"## Question\n\n(.+?)(?:\.\s|\n\n|\Z)", text, re.DOTALL)
        asked = " ".join(question[1].split()) if question else ""
        rows.append([f"[{number}]({path.name})", title, asked.rstrip(".") + "."])
    intro = "# Decisions\n\nOne page for each choice that someone will ask about: what was decided and why.\n\n"
    return intro + table(["", "decision", "question"], rows)


def example_names() -> list[str]:
    """Names of the examples."""
    return sorted(path.stem for path in (ROOT / "examples").glob("*.py"))


def examples() -> str:
    """List of the examples with their first sentence."""
    rows = [[f"[{name}.py]({name}.md)", _docstring(name).partition("\n")[0]] for name in example_names()]
    intro = (
        "# Examples\n\nPrograms in the folder `examples`, which the tests run. Each returns a number that is checked "
        "against a closed form or an invariant.\n\n"
    )
    return intro + table(["program", "shows"], rows)


def example(name: str) -> str:
    """An example with its source."""
    source = (ROOT / "examples" / f"{name}.py").read_text(encoding="utf-8")
    program = source.split('"""', 2)[2].lstrip("\n")
    text = re.sub(r"^    (python .+)$", r"```bash\n\1\n```", _docstring(name), flags=re.MULTILINE)
    return f"# {name}.py\n\n{text}\n\n```python\n{program}```\n"


def _docstring(name: str) -> str:
    source = (ROOT / "examples" / f"{name}.py").read_text(encoding="utf-8")
    return ast.get_docstring(ast.parse(source)) or ""
