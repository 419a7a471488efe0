"""Serving the workbench, to this computer alone."""

import asyncio
import os
import socket
import sys
import tempfile
import threading
import webbrowser
from html import escape
from pathlib import Path

import uvicorn

from evosdc.errors import Fault, ParameterError
from evosdc_app.application import workbench
from evosdc_app.guard import Guard, Session

_LOOPBACK = ("127.0.0.1", "::1", "localhost")
OPENING = 60.0  # seconds that a browser has to open; then the page that leads it here goes
PATIENCE = 1  # seconds that open pages have when the server ends


def serve(folder: Path, host: str, port: int, tls: tuple[Path, Path] | None, browser: bool, most_upload: int) -> None:
    """Serve until Ctrl-C."""
    os.umask(0o077)  # what is written is for its owner alone, by commands too
    taken = _socket(host, port)
    session = Session(taken.getsockname()[1])
    guarded = guarded_workbench(folder, session, host, tls is not None, most_upload)
    config = uvicorn.Config(
        guarded,
        log_level="critical",
        access_log=False,
        server_header=False,
        lifespan="off",
        timeout_graceful_shutdown=PATIENCE,
        ssl_certfile=str(tls[0]) if tls else None,
        ssl_keyfile=str(tls[1]) if tls else None,
    )
    server = uvicorn.Server(config)
    address = f"{'https' if tls else 'http'}://{_name(host)}:{taken.getsockname()[1]}/enter?token={session.token}"
    print(f"The workbench for {folder.resolve()}. Open this address once, in one browser:\n{address}")
    print("Ctrl-C ends it; searches continue.", flush=True)
    if browser:
        threading.Thread(target=open_browser, args=(address, session), daemon=True).start()
    asyncio.run(server.serve(sockets=[taken]))


def open_browser(address: str, session: Session, patience: float = OPENING) -> None:
    """Open the address by a page of this user's own: words of a command line can be read by everybody."""
    handle, name = tempfile.mkstemp(prefix="evosdc-app-", suffix=".html")  # for its owner alone
    page = Path(name)
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(
                '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>evosdc</title>'
                '<meta name="referrer" content="no-referrer">'
                f'<meta http-equiv="refresh" content="0;url={escape(address)}">'
                "</head><body><p>One moment.</p></body></html>\n"
            )
        if webbrowser.open(page.as_uri()):
            session.used.wait(patience)
    finally:
        page.unlink(missing_ok=True)


def guarded_workbench(folder: Path, session: Session, host: str, secure: bool, most_upload: int) -> Guard:
    """Return the application behind its guard."""
    port = int(session.cookie_name.rpartition("-")[2])
    names = dict.fromkeys((_name(host), "127.0.0.1", "localhost", "[::1]") if host in _LOOPBACK else (_name(host),))
    hosts = [f"{name}:{port}" for name in names]
    if port == (443 if secure else 80):
        hosts += names
    return Guard(workbench(folder.resolve(), session), session, tuple(map(str.lower, hosts)), secure, most_upload)


def _socket(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    found = socket.socket(family, socket.SOCK_STREAM)
    if sys.platform != "win32":
        found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        found.bind((host, port))
        found.listen(128)  # from now on nobody is refused, though answers begin a moment later
    except OSError as error:
        found.close()
        given, wanted = f"{host}, port {port} ({error.strerror})", "an address of this computer and a free port"
        raise ParameterError(Fault("evosdc app", given, wanted, "Leave --port out for a free one.")) from None
    return found


def _name(host: str) -> str:
    return f"[{host}]" if ":" in host else host
