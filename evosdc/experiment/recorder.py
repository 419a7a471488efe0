"""Journal, checkpoints and status of a run while it searches."""

from collections.abc import Mapping
from time import monotonic
from typing import Any

from evosdc.engine.checkpoint import checkpoints_after, save_checkpoint
from evosdc.engine.loop import SearchState
from evosdc.experiment.assembly import Assembly
from evosdc.experiment.display import Display
from evosdc.experiment.trials import Trials
from evosdc.model import Individual
from evosdc.runs.journal import Journal, cut_journal
from evosdc.runs.layout import JOURNAL, REPORT, STATUS, RunFolder
from evosdc.runs.status import EndRequested, end_if_requested, end_requested
from evosdc.secret import public
from evosdc.tuning.tuner import Tuning


def remove_report(folder: RunFolder, display: Display) -> None:
    """Remove the report of the previous best file, and say so: it does not describe the new one."""
    report = folder.file(REPORT)
    if report.exists():
        report.unlink()
        display.message(f"{REPORT} described the previous best file, and is removed")


INTERVAL = 5.0  # seconds between checkpoints, at least; more where writing one takes longer than a twentieth of it
FLUSH = 0.5  # seconds after which a line of the journal can be read by others, at most


class Recorder:
    """Writes journal, status and checkpoints of a run, and tells plugins and display of each generation."""

    def __init__(self, assembly: Assembly, folder: RunFolder, display: Display) -> None:
        self.assembly = assembly
        self.folder = folder
        self.display = display
        experiment = assembly.experiment
        self.run: Mapping[str, Any] = {
            "title": experiment.heading,
            "seed": public(assembly.seed),
            "folder": str(folder.path),
            "genotype": experiment.genotype.name,
            "fitness": experiment.fitness.name,
            "algorithm": experiment.algorithm.name,
        }
        self.journal = Journal(folder.file(JOURNAL))
        self.state: SearchState | None = None
        self.judged: list[Individual] = []
        self.tuned: Tuning | None = None
        self.trials: Trials | None = None
        self._due = self._flush_due = self._requests_due = float("-inf")

    def __call__(self, state: SearchState, record: dict[str, Any]) -> str | None:
        """Take note of a completed generation; return why the search is to end with it, where that is wished."""
        # In this order a stop in between leaves a line too many, which a resume cuts off, and never one too few.
        self.journal.write(record)
        self.state = state
        now = monotonic()
        if now >= self._due:
            self.save()
        elif now >= self._flush_due:
            self.journal.flush()
            self._flush_due = now + FLUSH
        self.assembly.registry.announce("evosdc_generation_done", run=self.run, record=record)
        self.display.generation(record, self.assembly.stop.generations)
        self._heed()
        return self.display.wish(record)

    def _heed(self) -> None:
        """End the run on request."""
        now = monotonic()
        if now >= self._requests_due:
            self._requests_due = now + FLUSH
            end_if_requested(self.folder.path)
            if end_requested(self.folder.path.parent):  # of a study, whose own process ticks it off
                raise EndRequested

    def save(self) -> None:
        """Write a checkpoint of the latest state; the journal reaches at least as far."""
        if self.state is not None:
            began = monotonic()
            self.journal.flush()
            save_checkpoint(self.folder.path, self.state, self.assembly.problem.genotype)
            self.write_status("running")
            ended = monotonic()
            self._due = ended + max(INTERVAL, 20.0 * (ended - began))

    def return_to(self, state: SearchState) -> None:
        """Make an earlier state the run's latest; its later journal and checkpoints go."""
        generation = state.progress.generation
        self.journal.close()
        cut_journal(self.folder.file(JOURNAL), generation)
        self.journal = Journal(self.folder.file(JOURNAL))
        for path in checkpoints_after(self.folder.path, generation):
            path.unlink()
        self.state = state

    def starting(self, done: int, total: int) -> None:
        """Show and record how many starting files are masked and evaluated."""
        self._progress(self.display.starting(done, total))

    def tuning(self, done: int) -> None:
        """Show and record how many files were masked and judged in tuning."""
        self._progress(self.display.tuning(done))

    def planning(self, evaluations: int, score: float | None) -> None:
        """Show and record how many protection plans were evaluated."""
        self._progress(self.display.planning(evaluations, score))

    def _progress(self, message: str) -> None:
        """Say in the status, now and then, how far the run is before its search; end where that is requested."""
        self._heed()
        now = monotonic()
        if now >= self._flush_due:
            self.write_status("running", message)
            self._flush_due = now + FLUSH

    def tuning_stopped(self, found: Tuning) -> None:
        """Store the results of tuning so far, since the user stops it."""
        self.tuned = found

    def write_status(self, phase: str, message: str = "") -> None:
        """Write ``status.json``: how far the run is, and the best file that it has found so far."""
        progress = self.state.progress if self.state is not None else None
        best = self.state.best if self.state is not None else None
        document: dict[str, Any] = {
            "state": phase,
            "generation": progress.generation if progress else 0,
            "evaluations": progress.evaluations if progress else 0,
            "seconds": round(progress.seconds, 3) if progress else 0.0,
            "message": message,
        }
        if progress is not None and progress.failed:
            document["failed"] = progress.failed
        if best is not None:
            figures = {name: best.scores[name] for name in ("il", "dr") if name in best.scores}
            document["best"] = {"fitness": list(best.objectives)} | figures
        self.folder.write_json(STATUS, document)
