"""A web server on loopback that serves, truncates, forgets or refuses."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

CONTENT = bytes(range(256)) * 4096


class Shelf(ThreadingHTTPServer):
    """Serves CONTENT under several names; `asked` keeps path and Range header of every request."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Desk)
        self.asked: list[tuple[str, str | None]] = []

    def url(self, name: str) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/{name}"


class Desk(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        assert isinstance(self.server, Shelf)
        wanted = self.headers.get("Range")
        self.server.asked.append((self.path, wanted))
        start = int(wanted.removeprefix("bytes=").rstrip("-")) if wanted and self.path != "/rangeless" else 0
        if self.path == "/none":
            self.send_error(404)
        elif self.path == "/stalled":
            self.connection.settimeout(5)
            self.rfile.read(1)
        elif start >= len(CONTENT):
            self.send_error(416)
        else:
            self.send_response(206 if start else 200)
            self.send_header("Content-Length", str(len(CONTENT) - start))
            if start:
                self.send_header("Content-Range", f"bytes {start}-{len(CONTENT) - 1}/{len(CONTENT)}")
            self.end_headers()
            body = CONTENT[start:]
            self.wfile.write(body[: len(body) // 2] if self.path == "/broken" else body)

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture
def shelf() -> Iterator[Shelf]:
    server = Shelf()
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()
