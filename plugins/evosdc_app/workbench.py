"""What all screens share: folder, commands, files that were read, templates, forms."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlencode

import jinja2
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from evosdc._version import __version__
from evosdc.printing import printable
from evosdc_app.calls import Calls, Jobs
from evosdc_app.folder import WorkFolder
from evosdc_app.guard import UPLOAD, Session

STEPS = (
    ("file", "File"), ("risk", "Risk before"), ("goal", "Goal"), ("search", "Search"), ("choose", "Choose"),
    ("history", "History"),
)  # fmt: skip
"""The screens in their order, by path."""

_MOST_FIELDS = 50_000


class Form(dict[str, list[str]]):
    """The fields of an address, or of a form that was sent, each with all its values."""

    request: Request

    @property
    def page(self) -> int:
        """The number of a page; anything else is the first one."""
        text = self.one("page")
        return int(text) if text.isdecimal() and len(text) < 10 else 1

    def one(self, name: str, otherwise: str = "") -> str:
        """Return the last value of a field."""
        return self.get(name, [otherwise])[-1]


Routes = dict[tuple[str, str], Callable[["Workbench", Form], Awaitable[Response]]]
"""What answers to which method and path of a screen."""


class Workbench:
    """What screens work with; what it remembers can all be lost."""

    def __init__(self, root: Path, session: Session) -> None:
        self.folder = WorkFolder(root)
        self.session = session
        self.calls = Calls(root)
        self.jobs = Jobs(root)
        self.exporting: set[str] = set()
        self.writing = asyncio.Lock()  # of schema files: two tabs read, change and write one after the other
        self.templates = jinja2.Environment(
            loader=jinja2.PackageLoader("evosdc_app"),
            autoescape=True,
            trim_blocks=True,
            lstrip_blocks=True,
            undefined=jinja2.StrictUndefined,
        )
        self.templates.globals.update(link=link, version=__version__)
        self.templates.filters["printable"] = printable

    @cached_property
    def limits(self) -> Any:
        """The limits of runs that are known and requested."""
        from evosdc_app.goal_screen import RunLimits

        return RunLimits(self)

    @cached_property
    def sources(self) -> Any:
        """The files viewed last."""
        from evosdc_app.sources import Sources

        return Sources(self.folder)

    def page(self, name: str, screen: str, title: str, status: int = 200, **context: Any) -> HTMLResponse:
        """Return a whole page."""
        shared = {"screen": screen, "title": title, "steps": STEPS, "form": self.session.form, "data": "", "run": ""}
        return HTMLResponse(self.text(name, **(shared | context)), status)

    def no_file(self, screen: str) -> HTMLResponse:
        """Return the message of a screen before a file is chosen."""
        return self.page("no_file.html", screen, dict(STEPS)[screen])

    def fragment(self, name: str, **context: Any) -> HTMLResponse:
        """Return a part of a page."""
        return HTMLResponse(self.text(name, **({"form": self.session.form} | context)))

    def text(self, name: str, **context: Any) -> str:
        """Return a template filled in; faults tell no path of this computer."""
        if "faults" in context:
            context["faults"] = list(map(self.folder.without_root, context["faults"]))
        return self.templates.get_template(name).render(context)

    async def form(self, request: Request) -> Form:
        """Return the fields of a request; raises `HTTPException` for a sent form that no page of this server holds."""
        posted, upload = request.method == "POST", request.url.path == UPLOAD
        try:
            pairs = request.query_params.multi_items()
            if posted and not upload:
                text = (await request.body()).decode()
                pairs = parse_qsl(text, keep_blank_values=True, max_num_fields=_MOST_FIELDS, errors="strict")
        except UnicodeDecodeError:
            raise HTTPException(400, "This form holds bytes that are no text in UTF-8.") from None
        except ValueError:
            raise HTTPException(413, f"This form is too large: at most {_MOST_FIELDS:,} fields are taken.") from None
        found = Form()
        for name, value in pairs:
            found.setdefault(name, []).append(value)
        if posted and not self.session.accepts(request.headers.get("x-form", "") if upload else found.one("form")):
            raise HTTPException(403, "This form is from another time or place. Load its page again.")
        found.request = request
        return found


def link(path: str, /, **query: Any) -> str:
    """Return an address on this server; None or empty parts are left out."""
    given = {key: value for key, value in query.items() if value not in (None, "")}
    return f"{path}?{urlencode(given, doseq=True)}" if given else path


def away(path: str, query: Mapping[str, Any] | None = None, place: str = "") -> RedirectResponse:
    """Return where a form leads when it was carried out."""
    return RedirectResponse(link(path, **(query or {})) + (f"#{place}" if place else ""), 303)
