"""Screen 2: what the file reveals as it is."""

from collections.abc import Awaitable, Callable
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from evosdc.plugins.registry import default_registry
from evosdc_app.calls import Answer
from evosdc_app.choice_screen import meanings
from evosdc_app.file_screen import data_words
from evosdc_app.folder import line_of
from evosdc_app.workbench import Workbench, asked, number_asked

LISTED = 1000
"""Records that are listed."""

PAGE = 25
"""Records on a page of them."""


async def risk(bench: Workbench, request: Request) -> Response:
    """Show the page; figures come as soon as they are there."""
    data = asked(request, "data")
    if not data:
        return bench.no_file("risk")
    words, _ = data_words(bench, data)
    return bench.page("risk.html", "risk", "Risk before", data=data, command=line_of(_words(words)))


async def figures(bench: Workbench, request: Request) -> Response:
    """Show what `evosdc risk` says."""
    answer = await _answer(bench, request)
    return bench.fragment("risk_figures.html", faults=answer.faults, **_told(answer.document), **_page(answer, request))


async def standing(bench: Workbench, request: Request) -> Response:
    """Show a page of the records that stand out."""
    answer = await _answer(bench, request)
    out = answer.document.get("standing_out") or {"records": 0, "listed": []}
    return bench.fragment("standing.html", faults=answer.faults, standing=out, **_page(answer, request))


async def _answer(bench: Workbench, request: Request) -> Answer:
    words, depends = data_words(bench, asked(request, "data"))
    return await bench.calls.ask([*_words(words), "--json"], *depends)


def _page(answer: Answer, request: Request) -> dict[str, Any]:
    """Return the records of a page, and where it stands."""
    listed = (answer.document.get("standing_out") or {}).get("listed") or []
    pages = max(1, -(-len(listed) // PAGE))
    number = max(1, min(number_asked(request, "page", 1), pages))
    shown = listed[(number - 1) * PAGE : number * PAGE]
    return {"data": asked(request, "data"), "listed": shown, "number": number, "pages": pages}


def _words(words: list[str]) -> list[str]:
    return ["risk", *words, "--standing-out", str(LISTED)]


def _told(document: dict[str, Any]) -> dict[str, Any]:
    registry = default_registry()
    rows = []
    for name in registry.names("privacy-model"):
        if name in document:
            model = registry.build("privacy-model", name, {})
            summary = registry.spec("privacy-model", name).summary
            rows.append((name, summary, model.in_words(document[name]), model.verdict(document)))
    # The columns' shares come from whichever model tells them.
    shares: dict[str, float] = next(
        (document[n]["contributions"] for n, *_ in rows if "contributions" in document[n]), {}
    )
    columns = sorted(shares.items(), key=lambda entry: -entry[1])
    out = document.get("standing_out") or {}
    return {
        "models": rows,
        "lacking": sorted((document.get("not_applicable") or {}).items()),
        "columns": [(name, share, round(max(0.0, min(share, 100.0)), 2)) for name, share in columns],
        "standing": out,
        "intruder": out.get("intruder"),
        "meaning": meanings([str((out.get("intruder") or {}).get("measure"))]).get(
            str((out.get("intruder") or {}).get("measure")), ""
        ),
        "records": document.get("records", 0),
        "known": document.get("quasi_identifiers", []),
    }


ROUTES: dict[tuple[str, str], Callable[[Workbench, Request], Awaitable[Response]]] = {
    ("GET", "/risk"): risk,
    ("GET", "/fragment/risk"): figures,
    ("GET", "/fragment/standing"): standing,
}
