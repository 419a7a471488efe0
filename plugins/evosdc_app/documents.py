"""Files of the folder as they are: to be saved, and reports to be read."""

from collections.abc import Awaitable, Callable

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, Response

from evosdc.files.atomic import GENERATOR
from evosdc.runs.layout import EXPERIMENT, FOR_USERS, RECIPE, REPORT
from evosdc.runs.publication_check import is_secret
from evosdc_app.guard import DOCUMENT_POLICY
from evosdc_app.workbench import Workbench, asked

_HEAD = 4096


async def save(bench: Workbench, request: Request) -> Response:
    """Send a file to be saved: what was exported, its manifest, and what a run leaves for people; never a secret."""
    path = bench.folder.file(asked(request, "file"))
    exported = {
        file for manifest, said in bench.folder.exports()
        for file in (manifest, manifest.with_name(str((said.get("output") or {}).get("name", ""))))
    }  # fmt: skip
    of_run = path.parent in bench.folder.runs() and path.name in (REPORT, FOR_USERS, RECIPE, EXPERIMENT)
    if (path not in exported and not of_run) or is_secret(path):
        raise HTTPException(404)
    return FileResponse(path, media_type="application/octet-stream", filename=path.name)


async def report(bench: Workbench, request: Request) -> Response:
    """Show a page that evosdc wrote about a run, shut off from this one."""
    name = asked(request, "page", REPORT)
    path = bench.folder.run(asked(request, "run")) / name
    if name not in (REPORT, FOR_USERS) or not path.is_file() or not path.resolve().is_relative_to(bench.folder.root):
        raise HTTPException(404)
    with path.open("rb") as file:
        if GENERATOR.encode() not in file.read(_HEAD):
            raise HTTPException(404)
    headers = {"content-security-policy": DOCUMENT_POLICY}
    return FileResponse(path, media_type="text/html; charset=utf-8", headers=headers)


ROUTES: dict[tuple[str, str], Callable[[Workbench, Request], Awaitable[Response]]] = {
    ("GET", "/save"): save,
    ("GET", "/report"): report,
}
