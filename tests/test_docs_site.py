"""The documentation site builds without a warning, and its pages ask no other server for anything."""

from __future__ import annotations

import functools
import http.server
import os
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from browser import ARGUMENTS, BROWSER

pytest.importorskip("mkdocs", reason="needs mkdocs, which builds the site")
pytest.importorskip("mkdocstrings", reason="needs mkdocstrings, which reads the docstrings")
pytest.importorskip("latex2mathml", reason="needs latex2mathml, which makes the equations")
pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[1]
SHOWN = (
    "index.html",
    "tutorial.html",
    "theory.html",
    "reference/api/contact.html",
    "reference/benchmark.html",
    "reference/validation.html",
)
"""Pages that are opened: pictures, code, equations, generated names and tables."""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(folder)]
    variables = os.environ | {"NO_MKDOCS_2_WARNING": "1", "PYTHONPATH": str(ROOT / "src")}
    done = subprocess.run(command, cwd=ROOT, env=variables, capture_output=True, encoding="utf-8", check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


def test_every_document_is_a_page(site: Path) -> None:
    for path in (ROOT / "docs").rglob("*.md"):
        if not path.name.startswith("0000"):
            page = path.relative_to(ROOT / "docs").with_suffix(".html")
            assert (site / page).is_file(), page


def test_nothing_is_left_of_the_workshop(site: Path) -> None:
    assert not list(site.rglob("*.py"))
    assert not (site / "benchmark.json").exists()
    assert not (site / "validation.json").exists()


def test_equations_are_mathml(site: Path) -> None:
    for path in site.rglob("*.html"):
        assert "arithmatex" not in path.read_text(encoding="utf-8"), path.name
    assert "<mfrac>" in (site / "theory.html").read_text(encoding="utf-8")


def test_nothing_is_fetched_from_elsewhere(site: Path) -> None:
    """No script, style, font or picture of another server stands in any page or style."""
    for path in site.rglob("*.html"):
        text = path.read_text(encoding="utf-8")
        assert not re.findall(r"<(?:script|img|link|iframe)[^>]+(?:src|href)=\"?(?:https?:)?//[^>]+>", text), path.name
    for path in site.rglob("*.css"):
        assert not re.findall(r"url\((?!['\"]?data:)['\"]?(?:https?:)?//", path.read_text(encoding="utf-8"))


def test_every_closed_form_is_met(site: Path) -> None:
    text = (site / "reference" / "verification.html").read_text(encoding="utf-8")
    assert "All are met." in text
    assert "not met" not in text


class _Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_: Any) -> None:
        """Say nothing."""


@pytest.fixture(scope="module")
def address(site: Path) -> Iterator[str]:
    """The site on a server of this machine."""
    handler = functools.partial(_Quiet, directory=str(site))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    if BROWSER is None:
        pytest.skip("no Chromium on this machine")
    api = pytest.importorskip("playwright.sync_api", reason="needs playwright, which drives the browser")
    with api.sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=BROWSER, args=list(ARGUMENTS))
        yield started
        started.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_pages_in_a_browser(browser: Any, address: str, scheme: str) -> None:
    """They load without a complaint, ask this machine only, have equations of some height, and can be searched."""
    complaints: list[str] = []
    requests: list[str] = []
    page = browser.new_page(color_scheme=scheme, viewport={"width": 1280, "height": 720})
    page.on("request", lambda request: requests.append(request.url))
    page.on("console", lambda line: line.type in ("error", "warning") and complaints.append(line.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    for name in SHOWN:
        page.goto(address + name, wait_until="networkidle")
        wide = page.evaluate("document.documentElement.scrollWidth - window.innerWidth")
        assert wide <= 0, f"{name} is wider than the window"
    page.goto(address + "theory.html", wait_until="networkidle")
    assert page.locator("math mfrac").first.bounding_box()["height"] > 20
    page.locator("input.md-search__input").click()
    page.keyboard.type("penetration lines")
    page.wait_for_selector(".md-search-result__link", timeout=120_000)
    page.close()
    assert complaints == []
    outside = [url for url in requests if not url.startswith((address, "data:", "blob:"))]
    assert outside == []


@pytest.mark.parametrize("name", ["index.html", "reference/api/contact.html"])
def test_search_in_pages_opened_from_a_folder(browser: Any, site: Path, name: str) -> None:
    complaints: list[str] = []
    page = browser.new_page(viewport={"width": 1280, "height": 720})
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.goto((site / name).as_uri(), wait_until="load")
    page.locator("input.md-search__input").click()
    page.keyboard.type("penetration lines")
    page.wait_for_selector(".md-search-result__link", timeout=120_000)
    found = page.locator(".md-search-result__link").first.get_attribute("href")
    assert found is not None
    assert found.startswith("file://")
    page.close()
    assert complaints == []
