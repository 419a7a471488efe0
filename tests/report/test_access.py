"""What readers need who see little, print, or hold a phone: contrast, names of regions, width, sheets of paper."""

from __future__ import annotations

import html as markup
import re
import shutil
import subprocess
from itertools import product
from pathlib import Path

import pytest

from evosdc.report.page import render
from evosdc.report.resources import resource
from evosdc.runs.reader import read_run_folders
from tests.report.synthetic import amend, write_run

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
in_browser = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium is installed, in which the page is looked at")


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = write_run(tmp_path_factory.mktemp("access") / "run", generations=20)
    amend(folder, warnings=["One.", "Two."], changed={"savings": 10})
    return render(read_run_folders([folder]))


def colours_of(block: str) -> dict[str, str]:
    return dict(re.findall(r"--([a-z-]+): (#[0-9a-f]{3,6}|\d+ \d+ \d+);", block))


def schemes() -> list[dict[str, str]]:
    style = resource("style.css")
    light, dark = style.split("prefers-color-scheme: dark", 1)
    return [colours_of(light), colours_of(dark.split("}", 1)[0])]


def channels(colour: str) -> tuple[float, float, float]:
    if " " in colour:
        red, green, blue = (int(part) / 255 for part in colour.split())
        return red, green, blue
    digits = colour[1:] if len(colour) == 7 else "".join(2 * digit for digit in colour[1:])
    red, green, blue = (int(digits[place : place + 2], 16) / 255 for place in (0, 2, 4))
    return red, green, blue


def luminance(colour: tuple[float, float, float]) -> float:
    """As the Web Content Accessibility Guidelines define it."""
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in colour]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(first: tuple[float, float, float], second: tuple[float, float, float]) -> float:
    lighter, darker = sorted((luminance(first), luminance(second)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


@pytest.mark.parametrize("scheme", schemes(), ids=["light", "dark"])
def test_text_stands_out_from_what_it_stands_on(scheme: dict[str, str]) -> None:
    papers = ["paper", "faint", "good-paper", "fair-paper", "bad-paper"]
    for text, paper in product(["ink", "quiet"], papers):
        assert contrast(channels(scheme[text]), channels(scheme[paper])) >= 4.5, (text, paper)
    for text, paper in (("good", "good-paper"), ("fair", "fair-paper"), ("bad", "bad-paper"), ("accent", "paper")):
        assert contrast(channels(scheme[text]), channels(scheme[paper])) >= 4.5, (text, paper)
    for text in ("good", "bad"):
        assert contrast(channels(scheme[text]), channels(scheme["paper"])) >= 4.5, text
    heat, paper = channels(scheme["heat"]), channels(scheme["paper"])
    for share in (0.0, 0.25, 0.5, 0.75, 1.0):
        red, green, blue = (0.62 * share * a + (1 - 0.62 * share) * b for a, b in zip(heat, paper, strict=True))
        assert contrast(channels(scheme["ink"]), (red, green, blue)) >= 4.5, share


def test_regions_have_names_of_their_own_and_can_be_reached_by_keyboard(page: str) -> None:
    regions = re.findall(r'<div class="scroll"([^>]*)>', page)
    names = [re.search(r'aria-label="([^"]*)"', region) for region in regions]
    assert all(names)
    assert len({name[1] for name in names if name}) == len(names)
    assert all('tabindex="0"' in region for region in regions)
    plots = re.findall(r'<div class="plot[^>]*>', page)
    assert plots
    assert all('role="group"' in plot and 'aria-label="' in plot for plot in plots)


def test_tables_tell_what_their_headings_are_of(page: str) -> None:
    heads = re.findall(r"<th\b([^>]*)>", page)
    assert heads
    assert all("scope=" in head for head in heads)
    assert '<html lang="en">' in page


def run_chromium(*arguments: str) -> str:
    assert CHROMIUM is not None
    command = [CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=30000", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=True).stdout


@pytest.mark.endurance
@in_browser
def test_the_page_never_scrolls_sideways(page: str, tmp_path: Path) -> None:
    frames = "".join(
        f'<iframe id="w{width}" style="width:{width}px;height:900px;border:0" srcdoc="{markup.escape(page)}"></iframe>'
        for width in (390, 768)
    )
    measure = (
        "const frames = [...document.querySelectorAll('iframe')];"
        "const drawn = f => f.contentDocument.querySelectorAll('.plot .main-svg').length;"
        "const waiting = setInterval(() => { if (!frames.every(drawn)) return; clearInterval(waiting);"
        "setTimeout(() => frames.forEach(f => {"
        "f.title = [f.contentDocument.documentElement.scrollWidth, drawn(f)].join(' '); f.removeAttribute('srcdoc')"
        "}), 1000) }, 100)"
    )
    (tmp_path / "frames.html").write_text(f"<!doctype html>{frames}<script>{measure}</script>", encoding="utf-8")
    found = re.findall(
        r'id="w(\d+)"[^>]*title="(\d+) (\d+)"', run_chromium("--dump-dom", f"file://{tmp_path}/frames.html")
    )
    assert [width for width, *_ in found] == ["390", "768"]
    for width, scrolled, drawn in found:
        assert int(scrolled) <= int(width)
        assert int(drawn) > 0


@pytest.mark.endurance
@in_browser
def test_it_fits_a_few_sheets_of_paper(page: str, tmp_path: Path) -> None:
    (tmp_path / "page.html").write_text(page, encoding="utf-8")
    run_chromium(f"--print-to-pdf={tmp_path}/page.pdf", "--no-pdf-header-footer", f"file://{tmp_path}/page.html")
    sheets = re.findall(rb"/Type\s*/Page\b(?!s)", (tmp_path / "page.pdf").read_bytes())
    assert 1 <= len(sheets) <= 8
