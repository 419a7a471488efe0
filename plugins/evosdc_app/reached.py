"""What classical methods reach on a file with numbers, which has no limit; a part of screen 3."""

from collections.abc import Awaitable, Callable
from typing import Any

from anyio import to_thread
from starlette.requests import Request
from starlette.responses import Response

from evosdc_app.file_screen import data_words
from evosdc_app.folder import line_of
from evosdc_app.limits import attributes_of, protected_words, wish_of
from evosdc_app.plane import Plane, points_of
from evosdc_app.workbench import Workbench, asked

TIME = "5s"
"""What the methods may be tuned for."""


async def reached(bench: Workbench, request: Request) -> Response:
    """Show what `evosdc tune` finds at once, judged as the search judges, and what was asked for."""
    data = asked(request, "data")
    words, depends = await to_thread.run_sync(data_words, bench, data)
    _, chosen = await to_thread.run_sync(attributes_of, bench, data)
    command = ["tune", *words, *protected_words(request.query_params.getlist("protect"), chosen), "--time", TIME]
    answer = await bench.calls.ask([*command, "--json"], *depends)
    found: list[dict[str, Any]] = answer.document.get("methods") or []
    points = points_of(found, "classical")
    wish = wish_of(request)
    within = [point for point in points if wish is not None and point.dr <= wish]
    return bench.fragment(
        "reached.html", faults=answer.faults, command=line_of(command), wish=wish,
        drawing=Plane(points, (), wish).drawing() if points else None,
        least=min(within, key=lambda point: point.il) if within else None,
    )  # fmt: skip


ROUTES: dict[tuple[str, str], Callable[[Workbench, Request], Awaitable[Response]]] = {
    ("GET", "/fragment/reached"): reached
}
