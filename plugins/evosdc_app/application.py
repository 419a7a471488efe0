"""The addresses of the workbench."""

from functools import partial
from importlib.resources import files
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from evosdc.errors import EvosdcError
from evosdc_app import (
    choice_screen,
    dossier_screen,
    file_screen,
    goal_screen,
    hierarchy_screen,
    history_screen,
    risk_screen,
    search_screen,
)
from evosdc_app.calls import sentences
from evosdc_app.guard import Session, defect
from evosdc_app.workbench import Workbench

SCREENS = (
    file_screen,
    hierarchy_screen,
    risk_screen,
    goal_screen,
    search_screen,
    choice_screen,
    dossier_screen,
    history_screen,
)
_TYPES = {".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}


def workbench(root: Path, session: Session) -> Starlette:
    """Return the application for a folder, without the guard that has to stand before it."""
    bench = Workbench(root, session)
    routes = [
        Route(path, partial(_answered, bench, handler), methods=[method])
        for screen in SCREENS
        for (method, path), handler in screen.ROUTES.items()
    ]
    routes.append(Route("/static/{name}", _static))
    handlers: dict[Any, Any] = dict.fromkeys((EvosdcError, HTTPException, Exception), partial(_failed, bench))
    return Starlette(routes=routes, exception_handlers=handlers)


async def _answered(bench: Workbench, handler: Any, request: Request) -> Response:
    answer: Response = await handler(bench, await bench.form(request))
    return answer


async def _static(request: Request) -> Response:
    name = request.path_params["name"]
    folder = files("evosdc_app").joinpath("static")
    if name not in {entry.name for entry in folder.iterdir()}:
        raise HTTPException(404)
    return Response(folder.joinpath(name).read_bytes(), media_type=_TYPES[Path(name).suffix])


async def _failed(bench: Workbench, request: Request, error: Exception) -> Response:
    """Say what the command line would say of bad input, or that a page or a program is none."""
    faults, status = [defect(error)], 500
    if isinstance(error, EvosdcError):
        faults, status = sentences(error), 400
    elif isinstance(error, HTTPException):
        texts = {"Not Found": "There is no such page.", "Method Not Allowed": "That cannot be done here."}
        faults, status = [texts.get(error.detail, error.detail)], error.status_code
    if request.url.path.startswith("/fragment/"):
        response = bench.fragment("faults.html", faults=faults)
        response.status_code = status
        return response
    return bench.page("error.html", "", "That did not work", status, faults=faults)
