"""The workbench as it is started, and a client that can also be an attacker."""

from __future__ import annotations

import http.client
import random
import re
import signal
import subprocess
import sys
import time
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlencode, urlsplit

import pytest

pytest.importorskip("starlette", reason="the workbench needs the extra app")
pytest.importorskip("uvicorn", reason="the workbench needs the extra app")

MARK = "Zyx4711Q"
"""A value of the file that may stand on pages of records, and nowhere else."""

_DRAWN = random.Random(1)
ROWS = "".join(
    f"{_DRAWN.choice('mf')},{_DRAWN.randrange(20, 50)},{_DRAWN.choice('abcd')},{_DRAWN.randrange(4)}\n"
    for _ in range(120)
)


@dataclass
class Answer:
    """What came back."""

    status: int
    headers: dict[str, str]
    text: str


@dataclass
class Server:
    """A workbench of its own process."""

    folder: Path
    options: tuple[str, ...] = ()
    cookie: str = ""
    form: str = ""
    process: subprocess.Popen = field(init=False)

    def __post_init__(self):
        self.log = self.folder.parent / f"{self.folder.name}-log.txt"
        words = [sys.executable, "-m", "evosdc", "app", str(self.folder), "--no-browser", *self.options]
        with self.log.open("a") as log:
            self.process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=log, text=True)
        self.said = ""
        while "token=" not in self.said:
            line = self.process.stdout.readline()
            assert line, self.log.read_text()
            self.said += line
        address = urlsplit(re.search(r"http\S+", self.said)[0])
        self.port, self.token = address.port, address.query.removeprefix("token=")
        self.origin = f"{address.scheme}://{address.netloc}"

    def ask(self, method, path, body=None, *, known=True, **headers):
        """Send a request as it is told, with the cookie unless `known` is false."""
        sent = {"Host": f"127.0.0.1:{self.port}"} | ({"Cookie": self.cookie} if known and self.cookie else {})
        sent |= {name.replace("_", "-"): value for name, value in headers.items()}
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)
        try:
            connection.request(method, path, body, {name: value for name, value in sent.items() if value is not None})
            answer = connection.getresponse()
            text = answer.read().decode(errors="replace")
            return Answer(answer.status, {k.lower(): v for k, v in answer.getheaders()}, text)
        finally:
            connection.close()

    def enter(self):
        """Enter as the browser does that was opened."""
        answer = self.ask("GET", f"/enter?token={self.token}")
        assert answer.status == 200
        self.cookie = answer.headers["set-cookie"].partition(";")[0]
        self.form = re.search(r'<meta name="form" content="([^"]+)"', self.get("/").text)[1]
        return self

    def get(self, path, **query):
        """Return a page."""
        return self.ask("GET", path + (f"?{urlencode(query, doseq=True)}" if query else ""))

    def post(self, path, **fields):
        """Send a form as its page does."""
        body = urlencode({"form": self.form} | fields, doseq=True)
        kind = "application/x-www-form-urlencoded"
        return self.ask("POST", path, body, Origin=self.origin, Content_Type=kind)

    def wait(self, run, *phases, seconds=240.0):
        """Wait until a run is in a phase."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            page = self.get("/search", run=run).text
            found = re.search(r'<p class="phase (\w+)[ "]', page)
            if found and found[1] in phases:
                return page
            time.sleep(0.2)
        raise AssertionError(f"{run} is not {phases}: {re.sub('<[^>]+>', ' ', page)[:2000]}")

    def end(self, number=signal.SIGINT):
        """End it."""
        self.process.send_signal(number)
        self.process.wait(240)
        self.process.stdout.close()


@contextmanager
def serving(folder, *options):
    """A workbench for the time of a block."""
    server = Server(folder, options)
    try:
        yield server
    finally:
        if server.process.poll() is None:
            server.end(signal.SIGTERM)


def fill(folder):
    """Write a small survey with a value that must not get about."""
    folder.mkdir(exist_ok=True)
    (folder / "survey.csv").write_text("sex,age,town,children\n" + ROWS + f"m,25,{MARK},1\n")
    return folder


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """A workbench that was entered, with a file that has a schema."""
    folder = fill(tmp_path_factory.mktemp("work") / "folder")
    with serving(folder) as found:
        yield found.enter()
