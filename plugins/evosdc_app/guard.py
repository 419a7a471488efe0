"""Checks before every page: sender, origin and size of a request; and what a browser may do with the answer."""

import hmac
import logging
import secrets
import threading
import traceback
from collections.abc import Mapping
from html import escape
from http.cookies import CookieError, SimpleCookie
from urllib.parse import parse_qs, urlsplit

from starlette.exceptions import HTTPException
from starlette.responses import HTMLResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

_LOG = logging.getLogger("evosdc.app")

ENTRANCE = "/enter"
UPLOAD = "/upload"
MOST_FORM = 1_000_000  # bytes of a form, at most

READING = ("GET", "HEAD")
_HEADERS = {
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; font-src 'self'; connect-src 'self'; "
        "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), microphone=(), geolocation=(), payment=()",
    "cache-control": "no-store",
}
# of reports, which are complete in themselves: they run in a world of their own, without cookie or network
DOCUMENT_POLICY = (
    "sandbox allow-scripts; default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; "
    "img-src data: blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)


class Session:
    """Secrets that live as long as the server, and on no disk."""

    def __init__(self, port: int) -> None:
        self.cookie_name = f"evosdc-app-{port}"
        self.token = secrets.token_urlsafe(32)
        self.cookie = secrets.token_urlsafe(32)
        self.form = secrets.token_urlsafe(32)
        self.used = threading.Event()

    def enter(self, token: str) -> bool:
        """Take the token of the opened address; true once."""
        if self.used.is_set() or not _same(token, self.token):
            return False
        self.used.set()
        return True

    def knows(self, cookie: str) -> bool:
        """Whether a cookie is the one that was given out; before that no one is."""
        return self.used.is_set() and _same(cookie, self.cookie)

    def accepts(self, form: str) -> bool:
        """Whether what a form carries is what its page was given."""
        return _same(form, self.form)


def _same(given: str, wanted: str) -> bool:
    return hmac.compare_digest(given.encode(), wanted.encode())


class Guard:
    """ASGI middleware that lets only the browser in that opened the address, from this very site."""

    def __init__(
        self, inner: ASGIApp, session: Session, hosts: tuple[str, ...], secure: bool, most_upload: int
    ) -> None:
        self.inner, self.session, self.hosts, self.secure, self.most_upload = inner, session, hosts, secure, most_upload

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer, or refuse."""
        if scope["type"] == "lifespan":
            await self.inner(scope, receive, send)
            return
        if scope["type"] != "http":
            return  # no web sockets
        begun = False

        async def guarded(message: Message) -> None:
            nonlocal begun
            if message["type"] == "http.response.start":
                begun = True
                given = {name.lower() for name, _ in message["headers"]}
                further = [(k.encode(), v.encode()) for k, v in _HEADERS.items() if k.encode() not in given]
                message = {**message, "headers": [*message["headers"], *further]}
            await send(message)

        try:
            refusal = self._refusal(scope)
            if refusal is not None:
                await refusal(scope, receive, guarded)
            elif scope["path"] == ENTRANCE:
                await self._enter(scope)(scope, receive, guarded)
            else:
                await self.inner({**scope, "most_upload": self.most_upload}, self._bounded(scope, receive), guarded)
        except Exception as error:
            _LOG.error("%s", _place(error))
            if not begun:
                await _refused(500, defect(error))(scope, receive, guarded)

    def _refusal(self, scope: Scope) -> HTMLResponse | None:
        headers = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]}
        if headers.get("host", "").lower() not in self.hosts:
            return _refused(421, "This server answers under its own address alone.")
        origin, site = headers.get("origin"), headers.get("sec-fetch-site", "same-origin")
        entering = scope["path"] == ENTRANCE and scope["method"] == "GET"
        if (origin is not None and not self._own(origin)) or (site not in ("same-origin", "none") and not entering):
            return _refused(403, "Another site sent this request.")
        if scope["method"] not in (*READING, "POST"):
            return _refused(405, "That cannot be done here.")
        if entering:
            return None
        if not self.session.knows(_cookie(headers, self.session.cookie_name)):
            return _refused(403, "Open the address that evosdc app printed, in one browser; it works once.")
        if scope["method"] == "POST" and origin is None:
            return _refused(403, "A browser tells where a form comes from; this one did not.")
        length = headers.get("content-length", "0")
        if not length.isdigit() or int(length) > self._most(scope):
            return _refused(413, _too_large(self._most(scope)))
        return None

    def _own(self, origin: str) -> bool:
        try:
            parts = urlsplit(origin)
        except ValueError:
            return False  # no browser writes such a one
        return parts.scheme == ("https" if self.secure else "http") and parts.netloc.lower() in self.hosts

    def _enter(self, scope: Scope) -> HTMLResponse:
        token = parse_qs(scope["query_string"].decode("latin-1")).get("token", [""])[0]
        if not self.session.enter(token):
            return _refused(403, "This address was used already, or is not the one. Begin again with evosdc app.")
        # A redirect in the headers would count as sent by the linking site, and come without the cookie.
        head = '<meta http-equiv="refresh" content="0;url=/"><link rel="icon" href="/static/icon.svg">'
        page = _page("Welcome", "One moment.", head)
        name, value = self.session.cookie_name, self.session.cookie
        page.set_cookie(name, value, path="/", httponly=True, samesite="strict", secure=self.secure)
        return page

    def _most(self, scope: Scope) -> int:
        return self.most_upload if scope["path"] == UPLOAD else MOST_FORM

    def _bounded(self, scope: Scope, receive: Receive) -> Receive:
        most, come = self._most(scope), 0

        async def counted() -> Message:
            nonlocal come
            message = await receive()
            come += len(message.get("body", b""))
            if come > most:
                raise HTTPException(413, _too_large(most))
            return message

        return counted


def _cookie(headers: Mapping[str, str], name: str) -> str:
    try:
        found = SimpleCookie(headers.get("cookie", "")).get(name)
    except CookieError:
        return ""
    return "" if found is None else found.value


def _refused(status: int, text: str) -> HTMLResponse:
    page = _page("evosdc", text)
    page.status_code = status
    return page


def _page(title: str, text: str, head: str = "") -> HTMLResponse:
    return HTMLResponse(
        f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">{head}<title>{escape(title)}</title></head>'
        f"<body><main><h1>{escape(title)}</h1><p>{escape(text)}</p></main></body></html>\n"
    )


def _too_large(most: int) -> str:
    return f"It is too large: at most {most:,} bytes are taken."


def defect(error: Exception) -> str:
    """Return the report of an unexpected error, without its message: that may hold values of records."""
    return f"{type(error).__name__} in evosdc or a plugin; this is a defect. The terminal says where."


def _place(error: Exception) -> str:
    """Return which error came from where: never its message, which may hold values of records."""
    frames = traceback.extract_tb(error.__traceback__)
    where = f"{frames[-1].filename}, line {frames[-1].lineno}" if frames else "nowhere"
    return f"{type(error).__name__} in {where}"
