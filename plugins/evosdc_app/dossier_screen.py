"""The dossier of a release: its questions as a form, and the page that a run's facts and the answers make."""

from anyio import to_thread
from starlette.responses import Response

from evosdc.files.atomic import write_text
from evosdc.report.dossier import Answers, write_dossier
from evosdc.runs.layout import DOSSIER, RELEASE_FORM
from evosdc.runs.status import require_complete
from evosdc_app.folder import RUNS, line_of
from evosdc_app.workbench import Form, Routes, Workbench, away


async def dossier(bench: Workbench, form: Form) -> Response:
    """Show the questions about a release with the answers so far."""
    run = bench.folder.run(form.one("run"))
    require_complete([run])
    file = run / RELEASE_FORM
    answers = await to_thread.run_sync(Answers.read, file) if file.exists() else Answers()
    return bench.page(
        "dossier.html", "choose", "Dossier", data=form.one("data"), run=run.name,
        questions=[(name, field.description, getattr(answers, name)) for name, field in Answers.model_fields.items()],
        open_questions=answers.open_questions, written=(run / DOSSIER).exists(), page=DOSSIER,
        command=line_of(["dossier", f"{RUNS}/{run.name}"]),
    )  # fmt: skip


async def write(bench: Workbench, form: Form) -> Response:
    """Keep the answers, and write the dossier with them."""
    run = bench.folder.run(form.one("run"))
    require_complete([run])
    answers = Answers(**{name: form.one(name) for name in Answers.model_fields})
    async with bench.writing:
        await to_thread.run_sync(write_text, run / RELEASE_FORM, answers.as_form())
        await to_thread.run_sync(write_dossier, run)
    return away("/dossier", {"data": form.one("data"), "run": run.name})


ROUTES: Routes = {
    ("GET", "/dossier"): dossier,
    ("POST", "/dossier"): write,
}
