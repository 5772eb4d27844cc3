"""Pages that nobody types: made by ``docs/generate.py`` when the site is built."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from generate import generated_files


def on_files(files: Files, config: Any, **_: Any) -> Files:
    """Add the generated pages to those in docs/."""
    for name, content in generated_files().items():
        files.append(File.generated(config, name, content=content))
    return files
