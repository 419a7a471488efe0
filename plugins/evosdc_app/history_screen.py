"""Screen 6: every step, its command, and how it is taken back; files to be saved, and reports to be read."""

from typing import Any

from anyio import to_thread
from starlette.exceptions import HTTPException
from starlette.responses import FileResponse, Response

from evosdc.files.atomic import GENERATOR
from evosdc.files.schema.schema_edits import Step, schema_steps
from evosdc.files.schema.schema_file import value_text
from evosdc.runs.layout import DOSSIER, ENVIRONMENT, EXPERIMENT, FOR_USERS, RECIPE, REPORT, RESOLVED, object_if_readable
from evosdc.runs.publication_check import is_secret
from evosdc.runs.status import read_run_status
from evosdc_app.file_screen import init_words
from evosdc_app.folder import RUNS, line_of, text_or_empty
from evosdc_app.guard import DOCUMENT_POLICY
from evosdc_app.search_screen import standing_of
from evosdc_app.sources import is_dataset
from evosdc_app.workbench import Form, Routes, Workbench

_MOST_TEXT = 200_000


async def history(bench: Workbench, form: Form) -> Response:
    """Show all that was done about a file, the first step first."""
    data = form.one("data")
    steps = await to_thread.run_sync(_steps, bench, data)
    schema = ""
    if data and not is_dataset(data, bench.folder):
        schema = text_or_empty(bench.folder.schema_of(data))[:_MOST_TEXT]
    return bench.page("history.html", "history", "History", data=data, entries=steps, schema=schema)


def _steps(bench: Workbench, data: str) -> list[dict[str, Any]]:
    entries: list[dict[str, Any]] = []
    if data and not is_dataset(data, bench.folder):
        path = bench.folder.schema_of(data)
        if path.exists():
            name = bench.folder.name(path)
            edits = schema_steps(path)
            entry = _entry("", f"Roles and scales were proposed in {name}.", line_of(init_words(bench, data)))
            entries.append(entry | {"undo": "" if edits else "/unpropose", "kind": "init"})
            for number, step in enumerate(edits, 1):
                changes = ", ".join(f"{key} {_shown(value)}" for key, value in step.changes.items())
                entry = _entry(
                    step.when,
                    f"{step.attribute}: {changes}.",
                    line_of(["edit", name, step.attribute, *_settings(step)]),
                )
                labels = step.changes.get("hierarchy")
                if isinstance(labels, str) and (path.parent / labels).is_file():
                    file = bench.folder.name(path.parent / labels)
                    entry["text"] += f" Its labels were typed: no command makes {file}, so take that file along."
                    entry |= {"toml": text_or_empty(path.parent / labels)[:_MOST_TEXT], "summary": f"Labels in {file}"}
                entries.append(
                    entry | {"undo": "/undo" if number == len(edits) else "", "kind": "edit", "step": number}
                )
    for run in bench.folder.runs(data or None):
        environment = object_if_readable(run / ENVIRONMENT)
        command = str(environment.get("command") or line_of(["run", f"{RUNS}/{run.name}/{EXPERIMENT}"]))
        phase = read_run_status(run).phase
        words, colour = standing_of(run)
        entry = _entry(str(environment.get("date", "")), _of_run(run.name, environment.get("chosen")), command)
        entry |= {"standing": words, "colour": colour}
        undo = "" if phase == "running" else "/remove"
        resumable = phase not in ("running", "waiting", "finished") and (run / RESOLVED).exists()
        can = [("/finish", "Finish now"), ("/stop", "Stop")] if phase == "running" else []
        can += [("/resume", "Go on")] if resumable else []
        toml = text_or_empty(run / EXPERIMENT)[:_MOST_TEXT]
        entry |= {"can": can, "undo": undo, "kind": "run", "run": run.name, "toml": toml}
        entries.append(entry)
    names = {run.name for run in bench.folder.runs(data or None)}
    for manifest, said in bench.folder.exports():
        if not data or said.get("run") in names:
            output = str((said.get("output") or {}).get("name", ""))
            text = f"File {said['member']} of {said.get('run')} was exported as {output}."
            entry = _entry(str(said.get("date", "")), text, str(said.get("command", "")))
            entries.append(entry | {"undo": "/withdraw", "kind": "export", "manifest": bench.folder.name(manifest)})
    return sorted(entries, key=lambda entry: str(entry["when"]))  # of one second: in the order of the steps


def _of_run(name: str, chosen: Any) -> str:
    if isinstance(chosen, dict):
        return f"File {chosen.get('member')} of {chosen.get('run')} has a run folder of its own, {name}:"
    return f"Search {name}:"


def _entry(when: str, text: str, command: str) -> dict[str, Any]:
    known = {"when": when[:19].replace("T", " "), "text": text, "command": command}
    empty = dict.fromkeys(("undo", "kind", "toml", "run", "manifest", "step", "standing", "colour"), "")
    return known | empty | {"summary": "Experiment as TOML", "can": []}


def _shown(value: Any) -> str:
    if value is None:
        return "taken away"
    text = value if isinstance(value, str) else value_text(value)
    return f"is now {text if len(text) < 80 else text[:79] + '…'}"


def _settings(step: Step) -> list[str]:
    found = []
    for key, value in step.changes.items():
        plain = isinstance(value, str) and value.replace("-", "").isalpha()
        found.append(f"{key}=" if value is None else f"{key}={value if plain else value_text(value)}")
    return found


_HEAD = 4096


async def save(bench: Workbench, form: Form) -> Response:
    """Send a file to be saved: an export, its manifest, and the reports of a run; never a secret."""
    path = bench.folder.file(form.one("file"))
    exported = {
        file for manifest, said in bench.folder.exports()
        for file in (manifest, manifest.with_name(str((said.get("output") or {}).get("name", ""))))
    }  # fmt: skip
    of_run = path.parent in bench.folder.runs() and path.name in (REPORT, FOR_USERS, DOSSIER, RECIPE, EXPERIMENT)
    if (path not in exported and not of_run) or is_secret(path):
        raise HTTPException(404)
    return FileResponse(path, media_type="application/octet-stream", filename=path.name)


async def report(bench: Workbench, form: Form) -> Response:
    """Show a page that evosdc wrote about a run, shut off from this one."""
    name = form.one("page", REPORT)
    path = bench.folder.run(form.one("run")) / name
    if (
        name not in (REPORT, FOR_USERS, DOSSIER)
        or not path.is_file()
        or not path.resolve().is_relative_to(bench.folder.root)
    ):
        raise HTTPException(404)
    with path.open("rb") as file:
        if GENERATOR.encode() not in file.read(_HEAD):
            raise HTTPException(404)
    headers = {"content-security-policy": DOCUMENT_POLICY}
    return FileResponse(path, media_type="text/html; charset=utf-8", headers=headers)


ROUTES: Routes = {
    ("GET", "/history"): history,
    ("GET", "/save"): save,
    ("GET", "/report"): report,
}
