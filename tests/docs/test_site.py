"""The site is built by one command, without a warning and without a network, and is searched without a server."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from docs.generation.keys import undescribed
from docs.generation.pages import generated_pages
from evosdc.cli import COMMANDS
from evosdc.plugins.kinds import KINDS
from evosdc.plugins.registry import default_registry
from tests.docs.commands import ROOT

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
pytestmark = pytest.mark.packaging
LOADED = re.compile(r"""<(?:script|img|iframe)[^>]*\ssrc="([^"]+)"|<link[^>]*rel="stylesheet"[^>]*href="([^"]+)""")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("sphinx", reason="sphinx is not installed: pip install 'evosdc[docs]'")
    folder = tmp_path_factory.mktemp("site") / "html"
    words = [sys.executable, "-m", "docs.build", "-o", str(folder)]
    # A proxy that nobody listens at: whatever is asked of the network fails.
    closed = dict.fromkeys(("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY"), "http://127.0.0.1:9")
    done = subprocess.run(words, cwd=ROOT, env=os.environ | closed, text=True, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr + done.stdout
    return folder


@pytest.mark.studies
def test_the_site_has_all_parts_and_loads_nothing_from_elsewhere(site: Path) -> None:
    for page in ("index", "docs/index", "docs/start", "docs/howto/README", "experiments/thesis-ch3/README", "search"):
        assert (site / f"{page}.html").exists()
    pages = list(site.rglob("*.html"))
    assert len(pages) > 100
    loaded = {url for page in pages for pair in LOADED.findall(page.read_text(encoding="utf-8")) for url in pair if url}
    assert [url for url in sorted(loaded) if re.match(r"(?:[a-z]+:)?//", url)] == []
    assert "<math" in (site / "docs" / "methods" / "measures.html").read_text(encoding="utf-8")
    commands = (site / "docs" / "reference" / "generated" / "commands.html").read_text(encoding="utf-8")
    assert [name for name in COMMANDS if f"evosdc-{name}" not in commands] == []


@pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium on this machine (Debian: apt install chromium)")
@pytest.mark.studies
def test_the_search_works_from_a_file(site: Path) -> None:
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    with playwright.sync_playwright() as driver:
        alone = ["--no-sandbox"] if os.geteuid() == 0 else []
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=alone)
        page = browser.new_page()
        page.set_default_timeout(120_000)
        asked: list[str] = []
        page.on("request", lambda request: asked.append(request.url))
        page.goto(f"{(site / 'search.html').as_uri()}?q=microaggregation")
        page.locator("#search-results li a", has_text="mdav").first.wait_for()  # they come one after the other
        browser.close()
    assert [url for url in asked if not url.startswith(("file:", "data:"))] == []


def test_every_plugin_stands_on_the_page_of_its_kind() -> None:
    pages = generated_pages()
    registry = default_registry()
    for kind in KINDS:
        missing = [name for name in registry.names(kind) if f"## `{name}`" not in pages[f"plugins/{kind}.md"]]
        assert missing == []


def test_every_masking_method_is_on_the_page_that_helps_to_choose() -> None:
    page = (ROOT / "docs" / "masking" / "README.md").read_text(encoding="utf-8")
    assert [name for name in default_registry().names("masking-method") if f"`{name}`" not in page] == []


def test_every_key_of_experiment_files_is_described() -> None:
    assert undescribed() == []


def test_the_sidebar_is_made_of_titles_and_of_what_lies_below_them() -> None:
    nodes = pytest.importorskip("docutils.nodes", reason="sphinx is not installed: pip install 'evosdc[docs]'")
    from sphinx.addnodes import compact_paragraph, toctree

    from docs.generation.sidebar import titles

    def entry(text: str, *below: object) -> object:
        inner = (nodes.bullet_list("", *below),) if below else ()
        return nodes.list_item("", compact_paragraph("", "", nodes.Text(text)), *inner)

    headings = nodes.bullet_list("", entry("page", entry("one", entry("two", toctree(hidden=True))), entry("three")))
    whole = headings.pformat()
    assert titles(headings).pformat() == nodes.bullet_list("", entry("page", toctree(hidden=True))).pformat()
    assert headings.pformat() == whole
    assert titles(nodes.bullet_list("", entry("page", entry("one")))).pformat() == (
        nodes.bullet_list("", entry("page")).pformat()
    )
