"""A web server on loopback that serves, truncates, forgets or refuses."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

CONTENT = bytes(range(256)) * 4096


class Shelf(ThreadingHTTPServer):
    """Serves CONTENT under several names; `asked` keeps the path of every request."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Desk)
        self.asked: list[str] = []

    def url(self, name: str) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/{name}"


class Desk(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        assert isinstance(self.server, Shelf)
        self.server.asked.append(self.path)
        if self.path == "/none":
            self.send_error(404)
        elif self.path == "/stalled":
            self.connection.settimeout(5)
            self.rfile.read(1)
        else:
            self.send_response(200)
            self.send_header("Content-Length", str(len(CONTENT)))
            self.end_headers()
            self.wfile.write(CONTENT[: len(CONTENT) // 2] if self.path == "/broken" else CONTENT)

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
