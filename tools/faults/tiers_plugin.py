"""A plugin of pytest that writes which tests there are and which of them are slow, to the file ``FAULTS_TIERS``."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest


def pytest_collection_finish(session: pytest.Session) -> None:
    """Write the tests that were found."""
    found = {item.nodeid: item.get_closest_marker("slow") is not None for item in session.items}
    Path(os.environ["FAULTS_TIERS"]).write_text(json.dumps(found), encoding="utf-8")
