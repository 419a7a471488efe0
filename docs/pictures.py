"""Take the pictures of the report and the workbench anew: ``python -m docs.pictures [NAME ...]``, some minutes.

Needs Chromium and the extras ``app`` and ``test``. Everything is made from ``docs/files/patients.csv``.
The studies draw their pictures themselves (``experiments/*/study.py``); ``docs/rooms.py`` draws ``rooms.svg``.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.parse import urlsplit

DOCS = Path(__file__).resolve().parent
REPORTS = {
    "report-verdict": (1200, 900),
    "report-1400": (1400, 2600),
    "report-768": (768, 2700),
    "report-390": (390, 2700),
}
SCREENS = {
    "app-file": (1280, 1000),
    "app-hierarchy": (1280, 900),
    "app-risk": (1280, 1050),
    "app-goal": (1280, 1180),
    "app-search": (1280, 980),
    "app-search-390": (390, 844),
    "app-compare": (1280, 1500),
    "app-opinion": (1280, 1000),
    "app-history": (1280, 760),
}
"""Pictures with their widths and heights in pixels, in the order in which they are taken."""


@contextmanager
def chromium() -> Iterator[Any]:
    """A browser for the time of a block."""
    from playwright.sync_api import sync_playwright

    found = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    with sync_playwright() as driver:
        alone = ["--no-sandbox"] if os.geteuid() == 0 else []
        browser = driver.chromium.launch(executable_path=found, args=alone)
        yield browser
        browser.close()


def take_reports(browser: Any, names: list[str]) -> None:
    """Protect the patients, and take the report at several widths."""
    with TemporaryDirectory() as place:
        run, schema = Path(place) / "run", Path(place) / "schema.toml"
        shutil.copy(DOCS / "files" / "patients.csv", place)
        evosdc("init", "patients.csv", "-o", str(schema), folder=place)
        for name in ("job", "income"):
            evosdc("edit", str(schema), name, "role=drop", folder=place)
        words = ["patients.csv", "--schema", str(schema), "--time", "60s", "--quiet", "-o", str(run)]
        evosdc("protect", *words, folder=place)
        for name in names:
            width, height = REPORTS[name]
            page = browser.new_page(viewport={"width": width, "height": height})
            page.goto((run / "report.html").as_uri())
            page.wait_for_timeout(2000)
            page.screenshot(path=DOCS / f"{name}.png")
            page.close()


def evosdc(*words: str, folder: str) -> None:
    """Run a command in a folder."""
    subprocess.run([sys.executable, "-m", "evosdc", *words], cwd=folder, check=True)


@contextmanager
def workbench(folder: str) -> Iterator[str]:
    """A workbench on a folder; the address that lets a browser in."""
    words = [sys.executable, "-m", "evosdc", "app", folder, "--no-browser"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        said = next(line for line in process.stdout if "token=" in line)
        found = re.search(r"http\S+", said)
        assert found is not None
        yield found[0]
        process.terminate()


def take_screens(browser: Any, names: list[str]) -> None:
    """Go the whole road in the workbench, and take each screen on the way."""
    with TemporaryDirectory() as place, workbench(place) as address:
        shutil.copy(DOCS / "files" / "patients.csv", place)
        page = browser.new_page()
        page.set_default_timeout(300_000)

        def settled() -> None:
            page.wait_for_load_state()
            page.wait_for_timeout(300)
            page.wait_for_selector("[aria-busy]", state="detached")

        def take(name: str) -> None:
            settled()
            if name in names:
                page.set_viewport_size(dict(zip(("width", "height"), SCREENS[name], strict=True)))
                page.wait_for_timeout(300)
                page.screenshot(path=DOCS / f"{name}.png")

        origin = "{0.scheme}://{0.netloc}".format(urlsplit(address))
        page.goto(address)
        page.wait_for_url(f"{origin}/")
        page.goto(f"{origin}/file?data=patients.csv")
        page.get_by_role("button", name="Propose").click()
        settled()
        for column in ("job", "income"):
            page.get_by_label(f"Role of {column}", exact=True).select_option("drop")
            page.locator(".message", has_text=f"Saved: {column}").wait_for()
        page.wait_for_timeout(2000)  # then what is noticed is looked at again
        take("app-file")
        page.get_by_role("link", name="Hierarchy of age").click()
        take("app-hierarchy")
        for screen, name in (("Risk before", "app-risk"), ("Goal", "app-goal")):
            page.locator("header nav a", has_text=screen).click()
            take(name)
        begin_search(page)
        page.wait_for_selector("svg .s-front")
        take("app-search")
        take("app-search-390")
        page.wait_for_selector(".phase.finished")
        page.set_viewport_size({"width": 1280, "height": 900})
        page.locator("a.button", has_text="Choose a file of it").click()
        settled()
        page.locator("input[name=other]:visible").nth(3).check()
        page.get_by_role("button", name="Show").first.click()
        page.wait_for_url("**other=**")
        take("app-compare")
        page.locator("button", has_text="Ask judges about").first.click()
        page.wait_for_selector("[aria-label^='Second opinion on']")
        page.locator("#opinion").evaluate("heading => heading.scrollIntoView()")
        take("app-opinion")
        page.locator("header nav a", has_text="History").click()
        take("app-history")


def begin_search(page: Any) -> None:
    """Set a goal by generations, without tuning and judges, and begin."""
    for name in ("unhurried", "no-tune", "no-second-opinion"):
        field = page.locator(f"[name='{name}']").first
        if not field.is_visible():
            field.locator("xpath=ancestor::details").first.locator("summary").first.click()
        field.check()
    page.locator("[name='generations']").first.fill("120")
    page.wait_for_timeout(500)
    page.get_by_role("button", name="Begin the search").click()


def main() -> None:
    """Take the pictures that are asked for, by default all."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", choices=[[], *REPORTS, *SCREENS], default=[], metavar="NAME")
    chosen = parser.parse_args().names or [*REPORTS, *SCREENS]
    with chromium() as browser:
        for known, take in ((REPORTS, take_reports), (SCREENS, take_screens)):
            names = [name for name in chosen if name in known]
            if names:
                take(browser, names)
                print(f"Taken: {', '.join(names)}")


if __name__ == "__main__":
    main()
