"""The whole job in Chromium: files, roles, goal, search, choice, export, and all of it again by the commands shown."""

from __future__ import annotations

import html
import os
import re
import shlex
import shutil
import signal
from contextlib import chdir, contextmanager

import pytest

from evosdc.cli import main
from tests.plugins.app.conftest import serving
from tests.plugins.app.test_pages import run_folder

playwright = pytest.importorskip(
    "playwright.sync_api", reason="playwright is not installed: pip install 'evosdc[test]'"
)
axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe-playwright-python is not installed")

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
pytestmark = pytest.mark.skipif(
    CHROMIUM is None, reason="there is no Chromium on this machine (Debian: apt install chromium)"
)

WIDTHS = (390, 2560)


@pytest.fixture(scope="module")
def chromium():
    with playwright.sync_playwright() as driver:
        # In containers, where tests often run as root, Chromium has no sandbox of its own.
        found = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"] if os.geteuid() == 0 else [])
        yield found
        found.close()


class Watched:
    """A tab of a browser, and everything that it asked for and complained of."""

    def __init__(self, browser, server):
        self.server = server
        self.context = browser.new_context(viewport={"width": 1280, "height": 900})
        self.context.grant_permissions(["clipboard-read", "clipboard-write"])
        self.asked, self.complaints = [], []
        self.page = self.tab()

    def tab(self):
        page = self.context.new_page()
        page.set_default_timeout(120_000)
        page.on("request", lambda request: self.asked.append(request.url))
        page.on(
            "console", lambda said: self.complaints.append(said.text) if said.type in ("error", "warning") else None
        )
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        return page

    def enter(self):
        self.page.goto(f"{self.server.origin}/enter?token={self.server.token}")
        self.page.wait_for_url(f"{self.server.origin}/")

    def settled(self):
        """Wait until all parts of the page are there."""
        self.page.wait_for_load_state()
        self.page.wait_for_timeout(50)
        self.page.wait_for_selector("[aria-busy]", state="detached")

    def screen(self, name):
        """Go to a screen by its link, and look whether everybody can use it."""
        self.page.locator("header nav a", has_text=name).click()
        self.settled()
        self.check()

    def check(self):
        """Ask axe, and let the page be narrow and wide, light and dark."""
        # Of what is in order axe would tell every element, thousands of them on pages of tables.
        for scheme, rules in (("light", {}), ("dark", {"runOnly": ["color-contrast"]})):
            self.page.emulate_media(color_scheme=scheme)
            asked = {"resultTypes": ["violations"]} | rules
            found = axe.Axe().run(self.page, options=asked).response["violations"]
            told = [(one["id"], [node["html"][:200] for node in one["nodes"]][:3]) for one in found]
            assert told == [], (self.page.url, scheme)
        for width in WIDTHS:
            self.page.set_viewport_size({"width": width, "height": 900})
            over = self.page.evaluate("document.documentElement.scrollWidth - innerWidth")
            assert over <= 0, f"{self.page.url} at {width} is {over} wider than the window"
        self.page.set_viewport_size({"width": 1280, "height": 900})
        self.page.emulate_media(color_scheme="light")

    def commands(self):
        """Return the commands that the page shows."""
        return [html.unescape(text) for text in self.page.locator("code.copied").all_text_contents()]

    def innocent(self):
        """Nothing came from elsewhere, and the browser had nothing to complain of."""
        assert {re.match(r"\w+://[^/]+", url)[0] for url in self.asked} == {self.server.origin}
        assert self.complaints == []


@contextmanager
def watched(browser, server):
    found = Watched(browser, server)
    try:
        yield found
    finally:
        found.context.close()


def search(tab, *wishes):
    """Set a goal, begin, and wait until the search has ended, without loading the page again."""
    for field, value in wishes:
        place = tab.page.locator(f"[name='{field}']").first
        if not place.is_visible():
            place.locator("xpath=ancestor::details").first.locator("summary").first.click()
        if value is True:
            place.check()
        else:
            place.fill(str(value))
    tab.page.wait_for_timeout(400)
    tab.settled()
    (shown,) = [line for line in tab.commands() if line.startswith("evosdc protect")]
    tab.page.get_by_role("button", name="Begin the search").click()
    tab.page.wait_for_selector(".phase.running, .phase.waiting, .phase.finished")
    tab.page.wait_for_selector(".phase.finished")
    tab.check()
    return shown


def export(tab, name):
    """Point at a file of the front, export it, and return the command shown."""
    tab.page.locator("a.button", has_text="Choose a file of it").click()
    tab.settled()
    tab.check()
    tab.page.set_viewport_size({"width": 390, "height": 900})
    stays = """box => { box.scrollLeft = 60; const cell = box.querySelector("tbody th");
        return [box.scrollLeft, cell.getBoundingClientRect().left - box.getBoundingClientRect().left]; }"""
    moved, apart = tab.page.locator(".scroll:has(table.front)").evaluate(stays)
    assert moved > 0
    assert abs(apart) < 1, "which file a row is about stays in sight"
    tab.page.set_viewport_size({"width": 1280, "height": 900})
    before = tab.page.url
    tab.page.locator("svg a[href]").first.dispatch_event("click")
    tab.page.wait_for_url(lambda url: url != before)
    tab.settled()
    tab.page.locator("#output").fill(name)
    tab.page.get_by_role("button", name="Export", exact=True).click()
    tab.page.wait_for_selector("h1:text('Exported')")
    tab.settled()
    (command,) = [line for line in tab.commands() if line.startswith("evosdc export")]
    return command


@pytest.mark.endurance
def test_the_embedded_survey_by_keys_alone_and_in_two_tabs(chromium, tmp_path):
    folder = tmp_path / "folder"
    folder.mkdir()
    with serving(folder) as server, watched(chromium, server) as tab:
        tab.enter()
        tab.check()
        press(tab, "housing")
        tab.settled()
        tab.check()
        press(tab, "Set the goal")
        tab.settled()
        other = tab.tab()
        focus(tab, "[name=unhurried]")
        tab.page.keyboard.press("Space")
        focus(tab, "[name=generations]")
        tab.page.keyboard.type("9")
        focus(tab, "summary:text('Settings')")
        tab.page.keyboard.press("Enter")
        for name in ("no-tune", "no-second-opinion"):
            focus(tab, f"[name={name}]")
            tab.page.keyboard.press("Space")
        focus(tab, "button:text('Begin the search')")
        tab.page.keyboard.press("Enter")
        tab.page.wait_for_selector(".run")
        other.goto(tab.page.url)
        for page in (tab.page, other):
            page.wait_for_selector(".phase.finished")
        parts = [page.locator("[data-part=live]").inner_html() for page in (tab.page, other)]
        assert parts[0] == parts[1]
        assert tab.page.locator("svg .s-front, svg .s-best").count() > 2
        press(tab, "Choose a file of it")
        tab.settled()
        focus(tab, "input[name=other]:visible")
        tab.page.keyboard.press("Space")
        focus(tab, "button:text('Show')")
        tab.page.keyboard.press("Enter")
        tab.page.wait_for_url("**other=**")
        tab.settled()
        tab.check()
        term = tab.page.locator(".figure .term").first
        term.focus()
        assert term.locator(".tip").is_visible(), "what a measure means is told to those who go by keys"
        focus(tab, "button:text('Export'):not(.plain)")
        tab.page.keyboard.press("Enter")
        tab.page.wait_for_selector("h1:text('Exported')")
        focus(tab, "main a:text-is('History')")
        tab.page.keyboard.press("Enter")
        tab.page.wait_for_selector("h1:text('History')")
        command = tab.commands()[-1]
        tab.innocent()
    name = shlex.split(command)[-1]
    typed(folder, command.replace(name, "again.csv"))
    assert (folder / name).read_bytes() == (folder / "again.csv").read_bytes()


def test_a_wide_table_is_scrolled_within_itself_with_its_first_column_in_sight(chromium, tmp_path):
    folder = tmp_path / "folder"
    folder.mkdir()
    names = [f"q{k:02d}_what_the_household_said_of_its_budget_in_the_last_{'long_' * (k % 5)}month" for k in range(64)]
    row = "said that they neither agree nor disagree with this,5," * 32
    lines = [",".join(["age", *names]), *(f"{20 + k % 60},{row[:-1]}" for k in range(40))]
    (folder / "wide.csv").write_text("\n".join(lines) + "\n")
    typed(folder, "evosdc init wide.csv -o wide.schema.toml --no-ask")
    look = """box => { box.scrollLeft = 150; box.scrollTop = 90;
        const at = (one, side) => one.getBoundingClientRect()[side] - box.getBoundingClientRect()[side];
        const cut = [...box.querySelectorAll("th, td")].filter(
            one => getComputedStyle(one).overflowX != "visible" && one.scrollWidth > one.clientWidth + 1);
        const first = box.querySelector("tbody th"), share = first.offsetWidth / box.clientWidth;
        return [at(first, "left"), at(box.querySelector("thead th"), "top"), cut.length, share, box.scrollLeft]; }"""
    with serving(folder) as server, watched(chromium, server) as tab:
        tab.enter()
        tab.page.goto(f"{server.origin}/file?data=wide.csv")
        for width in (1400, 768, 390):
            tab.page.set_viewport_size({"width": width, "height": 900})
            tab.settled()
            assert tab.page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
            for table in ("attributes", "data"):
                left, top, cut, share, moved = tab.page.locator(f".scroll:has(table.{table})").evaluate(look)
                assert (abs(left) < 1, abs(top) < 1, cut) == (True, True, 0), (width, table)
                assert share < 0.5, (width, table)
                assert moved > 0 or table == "attributes", (width, table)
        tab.check()


def press(tab, text):
    """Go to a link by keys and follow it."""
    focus(tab, f"main a:text-is('{text}')")
    tab.page.keyboard.press("Enter")
    tab.page.wait_for_load_state()


def focus(tab, selector):
    """Go to an element by the tab key alone."""
    wanted = tab.page.locator(selector).first.element_handle()
    for _ in range(400):
        tab.page.keyboard.press("Tab")
        if tab.page.evaluate("one => document.activeElement === one", wanted):
            return
    raise AssertionError(f"{selector} cannot be reached by keys")


@pytest.mark.endurance
def test_an_excerpt_of_the_states_survey(chromium, tmp_path, data_sets):
    source = data_sets.path("nist_acs_excerpts/ma2019.csv")
    folder = tmp_path / "folder"
    folder.mkdir()
    with serving(folder) as server, watched(chromium, server) as tab:
        tab.enter()
        tab.page.locator("#upload").set_input_files(source)
        tab.page.get_by_role("button", name="Add", exact=True).click()
        tab.page.wait_for_url("**/file?data=ma2019.csv")
        assert (folder / "ma2019.csv").read_bytes() == source.read_bytes()
        tab.page.get_by_role("button", name="Propose").click()
        tab.settled()
        tab.check()
        tab.page.set_viewport_size({"width": 390, "height": 900})
        rows = tab.page.locator("table.attributes tbody tr")
        heights = rows.evaluate_all("rows => rows.map(row => row.getBoundingClientRect().height)")
        assert max(heights) - min(heights) < 4, "no row is high for words that are out of sight"
        tab.page.set_viewport_size({"width": 1280, "height": 900})
        for name in ("PUMA", "AGEP", "HISP", "NOC", "NPF", "HOUSING_TYPE", "OWN_RENT", "EDU"):
            tab.page.get_by_label(f"Role of {name}", exact=True).select_option("other")
            tab.page.locator(".message", has_text=f"Saved: {name}.").wait_for()
        tab.page.reload()
        tab.settled()
        assert tab.page.get_by_label("Role of PUMA").input_value() == "other"
        tab.page.get_by_role("link", name="Hierarchy of AGEP").click()
        tab.settled()
        tab.check()
        tab.screen("Risk before")
        assert "%) are unique" in tab.page.locator("main").inner_text()
        tab.screen("Goal")
        tab.page.locator("#linked").fill("30")
        assert tab.page.locator("[name=linked_on]").is_checked(), "who moves a slider means it"
        command = search(tab, ("unhurried", True), ("generations", 3), ("no-tune", True), ("no-second-opinion", True))
        assert "--require 'two-way-linkage <= 30'" in command
        exported = export(tab, "published.csv")
        tab.check()
        tab.screen("History")
        tab.page.get_by_role("button", name="Copy").first.click()
        assert tab.page.evaluate("navigator.clipboard.readText()") == tab.commands()[0]
        commands = tab.commands()
        assert commands[-2] == exported
        assert commands[-1].startswith("evosdc choose "), "the first point of the front is not the best file"
        assert command in commands
        assert len(commands) == 12
        tab.innocent()
    again = tmp_path / "again"
    again.mkdir()
    shutil.copy(source, again)
    repeated(folder, again, commands)


def typed(folder, command):
    """Carry a command out as a user types it, in this process, which is quicker."""
    with chdir(folder), pytest.raises(SystemExit) as caught:
        main(shlex.split(command)[1:])
    assert caught.value.code in (0, 1, None), command


def repeated(folder, again, commands):
    """Carry out all commands in another folder, searches by the keys of the first ones, and find the same files."""
    again.mkdir(exist_ok=True)
    for command in commands:
        key = f" --key {folder / shlex.split(command)[-1] / 'key'}" if command.startswith("evosdc protect") else ""
        typed(again, f"{command}{key}")
    (exported,) = (shlex.split(command)[-1] for command in commands if command.startswith("evosdc export"))
    files = [path for run in (folder / "runs").iterdir() for path in (*run.glob("best*.csv"), run / "front.csv")]
    for name in (exported, *(str(path.relative_to(folder)) for path in files)):
        assert (again / name).read_bytes() == (folder / name).read_bytes(), name


@pytest.fixture
def ended(tmp_path):
    """A folder with a search that seems to have been stopped."""
    folder = tmp_path / "folder"
    run_folder(folder, "some", {"state": "interrupted", "message": "stopped by the user"})
    return folder


@pytest.mark.endurance
def test_a_page_says_that_the_connection_is_lost_and_takes_up_again(chromium, ended):
    with serving(ended) as server, watched(chromium, server) as tab:
        tab.enter()
        tab.page.goto(f"{server.origin}/search?run=some")
        tab.settled()
        assert tab.page.locator("[role=alert]").count() == 0
        server.end(signal.SIGKILL)
        lost = tab.page.locator("[role=alert]")
        lost.filter(has_text="connection to the workbench is lost").wait_for()
        with serving(ended, "--port", str(server.port)) as again:
            lost.filter(has_text="was restarted").wait_for()
            (ended / "runs" / "some" / "status.json").write_text('{"state": "failed", "message": "out of memory"}')
            other = tab.tab()
            other.goto(f"{again.origin}/enter?token={again.token}")
            other.wait_for_url(f"{again.origin}/")
            tab.page.wait_for_selector(".phase.failed")
            assert lost.count() == 0


@pytest.mark.endurance
def test_a_page_that_was_open_takes_the_forms_of_the_next_server(chromium, ended):
    with serving(ended) as server, watched(chromium, server) as tab:
        tab.enter()
        tab.page.goto(f"{server.origin}/search?run=some")
        tab.settled()
        before = tab.page.locator("meta[name=form]").get_attribute("content")
        server.end(signal.SIGKILL)
        tab.page.locator("[role=alert]").filter(has_text="connection to the workbench is lost").wait_for()
        other = tab.tab()
        with serving(ended, "--port", str(server.port)) as again:
            other.goto(f"{again.origin}/enter?token={again.token}")  # before the page sees that it is another server
            other.wait_for_url(f"{again.origin}/")
            now = other.locator("meta[name=form]").get_attribute("content")
            tab.page.wait_for_selector(f"meta[name=form][content='{now}']", state="attached")
            assert now != before


@pytest.mark.endurance
def test_what_is_shown_is_saved_however_fast_it_is_chosen(chromium, tmp_path):
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "small.csv").write_text("job,sex\n" + "a,m\nb,f\nc,m\n" * 20)
    with serving(folder) as server, watched(chromium, server) as tab:
        tab.enter()
        tab.page.goto(f"{server.origin}/file?data=small.csv")
        tab.page.get_by_role("button", name="Propose").click()
        tab.settled()
        order = tab.page.get_by_label("Order of job", exact=True)
        assert not order.is_visible()
        tab.page.get_by_label("Scale of job", exact=True).select_option("ordinal")
        order.wait_for(state="visible")
        role = tab.page.get_by_label("Role of job", exact=True)
        first = role.input_value()
        for choices in (["sensitive", first], ["identifier", "sensitive", "other"]):
            role.evaluate(
                "(one, choices) => choices.forEach(choice => {"
                " one.value = choice; one.dispatchEvent(new Event('change', {bubbles: true})); })",
                choices,
            )
            tab.page.locator(".message", has_text="Saved: job.").wait_for()
            tab.page.wait_for_load_state("networkidle")
            shown = role.input_value()
            assert shown == choices[-1]
            tab.page.reload()
            tab.settled()
            assert role.input_value() == shown
        tab.innocent()


@pytest.mark.endurance
def test_nine_tabs_are_all_told_and_none_is_frozen(chromium, ended):
    with serving(ended) as server, watched(chromium, server) as tab:
        tab.enter()
        tabs = [tab.page, *(tab.tab() for _ in range(8))]
        for page in tabs:
            page.goto(f"{server.origin}/search?run=some")
        (ended / "runs" / "some" / "status.json").write_text('{"state": "failed", "message": "out of memory"}')
        for page in tabs:
            page.wait_for_selector(".phase.failed")
        tabs[-1].goto(f"{server.origin}/history")
        hide(tabs[0])
        (ended / "runs" / "some" / "status.json").write_text('{"state": "done", "message": "12 seconds"}')
        tabs[1].wait_for_selector(".phase.finished")
        assert tabs[0].locator(".phase.failed").count() == 1, "a page that nobody looks at asks for nothing"
        hide(tabs[0], hidden=False)
        tabs[0].wait_for_selector(".phase.finished")


def hide(page, hidden=True):
    """Have a page take itself for one behind others; headless tabs are all in front."""
    page.evaluate(
        "hidden => { Object.defineProperty(document, 'hidden', {value: hidden, configurable: true});"
        " document.dispatchEvent(new Event('visibilitychange')); }",
        hidden,
    )
