"""Roles and scales are proposed, and the proposal is taken back; a part of screens 1 and 6."""

import filecmp
import tempfile
from collections.abc import Awaitable, Callable
from pathlib import Path

from anyio import to_thread
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from evosdc.files.schema.schema_edits import schema_steps
from evosdc.runs.status import read_run_status
from evosdc_app.calls import error_sentences
from evosdc_app.workbench import Workbench, away


def init_words(bench: Workbench, data: str) -> list[str]:
    """Return the command that proposes a schema."""
    schema = bench.folder.name(bench.folder.schema_of(data))
    return ["init", bench.folder.word(data), "-o", schema, "--no-ask"]


async def done(bench: Workbench, words: list[str]) -> str:
    """Carry out a command that writes files and return what it printed; what it refuses is raised in its own words."""
    answer = await bench.calls.carry_out(words)
    if answer.status:
        raise HTTPException(400, " ".join(error_sentences(answer.err)))
    return answer.out


async def propose(bench: Workbench, request: Request) -> Response:
    """Carry out `evosdc init`."""
    form = await bench.form(request)
    data = form.one("data")
    bench.folder.data_file(data)
    await done(bench, init_words(bench, data))
    return away("/file", {"data": data}, "attributes")


async def take_back(bench: Workbench, request: Request) -> Response:
    """Take a proposal away with the hierarchies that came with it, as long as it is what it was."""
    form = await bench.form(request)
    data = form.one("data")
    async with bench.writing:
        schema = bench.folder.schema_of(data)
        name = bench.folder.name(schema)
        if not schema.exists():
            raise HTTPException(400, f"{name}: there is no proposal to take back.")
        if await to_thread.run_sync(schema_steps, schema):
            raise HTTPException(400, f"{name}: it was edited since it was proposed. Take these steps back first.")
        if any(read_run_status(run).active or bench.jobs.active(run) for run in bench.folder.runs(data)):
            raise HTTPException(400, f"{name}: a search on {data} goes on. Stop it first.")
        for file in await _unchanged(bench, data, schema):
            file.unlink()
    return away("/file", {"data": data})


async def _unchanged(bench: Workbench, data: str, schema: Path) -> list[Path]:
    """Return the files of a proposal; raise where they are not those that `evosdc init` writes."""
    with tempfile.TemporaryDirectory(prefix=".", dir=schema.parent) as folder:  # for its owner alone
        again = Path(folder, schema.name)
        await done(bench, ["init", bench.folder.word(data), "-o", str(again), "--no-ask"])
        proposed = [path.name for path in sorted(Path(folder).iterdir())]
        files = [schema.with_name(name) for name in proposed]
        if any(path.is_symlink() or not path.is_file() for path in files) or any(
            not filecmp.cmp(path, again.with_name(path.name), shallow=False) for path in files
        ):
            raise HTTPException(
                400,
                f"{bench.folder.name(schema)}: it is not what evosdc init proposes, so somebody wrote in it, and it "
                "stays. Delete the file by hand if it is not needed.",
            )
    return files


ROUTES: dict[tuple[str, str], Callable[[Workbench, Request], Awaitable[Response]]] = {
    ("POST", "/init"): propose,
    ("POST", "/unpropose"): take_back,
}
