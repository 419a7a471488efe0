"""What tuning found: a row for each method at its best, and the best files of all."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from evosdc.model import Masking
from evosdc.table.table import Table
from evosdc.tuning.designs import Arm, Candidate, Kind
from evosdc.tuning.judge import Judge
from evosdc.tuning.large_files import file_seconds, promising
from evosdc.tuning.schedule import evidence_sentence, leaders
from evosdc.tuning.trials import Order, Trial, mean_order


@dataclass(frozen=True)
class TunedMethod:
    """A masking at its best parameters."""

    name: str  # the method and its design, without the parameters that were tuned
    kind: Kind
    masking: Masking  # with the draw of the best of its files, which ``evosdc mask --draw`` makes again
    scores: Mapping[str, float]  # of that file
    fitness: tuple[float, ...]  # objectives of that file
    mean: tuple[float, ...]  # mean objectives over all draws: what to expect of another draw
    error: float | None  # standard error of the first of them; 0 where nothing is random, None of a single draw
    draws: int  # how many files were judged
    evaluations: int  # how many files were judged for this row, with all parameters that were tried
    order: Order

    @property
    def label(self) -> str:
        """The method with its parameters."""
        return self.masking.label

    def to_json(self) -> dict[str, Any]:
        """Return the row as JSON-able data."""
        return {
            "name": self.name,
            "kind": self.kind,
            "label": self.label,
            **self.masking.to_json(),
            "scores": dict(self.scores),
            "fitness": list(self.fitness),
            "mean": list(self.mean),
            "error": self.error,
            "draws": self.draws,
            "evaluations": self.evaluations,
        }


@dataclass(frozen=True)
class TunedFile:
    """One masked file: a masking with its draw, and the file's scores."""

    masking: Masking
    scores: Mapping[str, float]
    fitness: tuple[float, ...]

    def to_json(self) -> dict[str, Any]:
        """Return the file as JSON-able data."""
        own = {"label": self.masking.label, **self.masking.to_json()}
        return own | {"scores": dict(self.scores), "fitness": list(self.fitness)}


@dataclass(frozen=True)
class Tuning:
    """What tuning found."""

    rows: tuple[TunedMethod, ...]  # from best to worst by the mean
    # The best files of all that were judged, from best to worst, no two of the same method and parameters.
    files: tuple[TunedFile, ...]
    evaluations: int  # how many files were masked and judged, those of a sample among them
    seconds: float
    refused: Mapping[str, str]  # by name, why methods could not be tuned
    designs: int = 0  # how many designs of methods fit the attributes, whether or not time was enough for all of them
    # Some of the best files themselves, so that a search need not mask again.
    made: Sequence[tuple[Masking, Table]] = ()
    sample: int = 0  # how many records the sample had on which methods were tuned; 0 without one
    untried: tuple[str, ...] = ()  # names of designs that were not tried at all, since the budget was spent before
    # Seconds to mask and judge a file of all records; 0 where nobody knows, or asked for a limit of time.
    file_seconds: float = 0.0
    # What promises most by a sample and was not judged as a whole, from best to worst.
    promising: tuple[Masking, ...] = ()

    @property
    def best(self) -> TunedMethod:
        """The first row."""
        return self.rows[0]

    @property
    def evidence(self) -> str:
        """On how many files all rests, what that means where it is few for each design, and what was not tried."""
        return evidence_sentence(self.evaluations, self.designs, self.sample, self.untried)

    @property
    def maskings(self) -> tuple[Masking, ...]:
        """The best files of all, then each method at its best, then what promises most, each once: a search's start."""
        # Methods that break a bound by little and score better come in turn with those that keep all.
        listed: dict[str, Masking] = {}
        rows = leaders(self.rows, lambda row: row.order)
        for masking in (*(file.masking for file in self.files), *(row.masking for row in rows), *self.promising):
            listed.setdefault(masking.label, masking)
        return tuple(listed.values())

    def to_json(self) -> dict[str, Any]:
        """Return everything as JSON-able data."""
        return {
            "best": self.best.to_json() if self.rows else None,
            "best_file": self.files[0].to_json() if self.files else None,
            "methods": [row.to_json() for row in self.rows],
            "files": [file.to_json() for file in self.files],
            "evaluations": self.evaluations,
            "seconds": round(self.seconds, 3),
            "refused": dict(self.refused),
            "designs": self.designs,
            "sample": self.sample,
            "untried": list(self.untried),
            "file_seconds": round(self.file_seconds, 4),
            "evidence": self.evidence,
        }


def tuning_of(judge: Judge, files: int, arms: Sequence[Arm], sampled: Judge | None = None) -> Tuning:
    """Return what a judge has seen: by name of the arms the candidate of the least mean, and the best files."""
    # `arms` are the designs that fit; `sampled` is who judged a sample before.
    named: dict[str, Candidate] = {}
    for candidate in judge.candidates.values():
        name = candidate.arm.name
        if trials := judge.known(candidate.key):
            # One that was refused on a later draw, for its time perhaps, has made files all the same.
            leader = named.get(name)
            if leader is None or mean_order(trials) < mean_order(judge.known(leader.key)):
                named[name] = candidate
    rows = sorted((_row(judge, candidate) for candidate in named.values()), key=lambda row: row.order)
    best = sorted((judge.candidates[key] for key in judge.trials), key=lambda one: _file(judge, one).order)
    reasons = {
        judge.candidates[key].arm.name: reason
        for key, reason in judge.refusals.items()
        if judge.candidates[key].arm.name not in named
    }
    used = judge.used if sampled is None else judge.used + sampled.used
    untried = [arm.name for arm in arms if not used[arm.name] and any(map(arm.masking, arm.coarse()))]
    return Tuning(
        tuple(rows),
        tuple(_tuned_file(judge, candidate) for candidate in best[:files]),
        judge.evaluations + (sampled.evaluations if sampled is not None else 0),
        judge.seconds + (sampled.seconds if sampled is not None else 0.0),
        reasons,
        len(arms),
        judge.kept.files,
        len(sampled.problem.genotype.microdata.original) if sampled is not None else 0,
        tuple(untried),
        _file_seconds(sampled, judge),
        tuple(promising(sampled, judge)) if sampled is not None else (),
    )


def _file_seconds(sampled: Judge | None, judge: Judge) -> float:
    if sampled is not None:
        return file_seconds(sampled, judge)
    # Without a limit of time nothing that is found may tell of the computer.
    return 0.0 if judge.budget.seconds is None else judge.file_seconds or 0.0


def _file(judge: Judge, candidate: Candidate) -> Trial:
    return min(judge.known(candidate.key), key=lambda trial: trial.order)


def _exactly(candidate: Candidate, trial: Trial) -> Masking:
    """Return the masking that makes a trial's very file."""
    return trial.exactly(candidate.masking)


def _tuned_file(judge: Judge, candidate: Candidate) -> TunedFile:
    trial = _file(judge, candidate)
    return TunedFile(_exactly(candidate, trial), trial.scores, trial.objectives)


def _row(judge: Judge, candidate: Candidate) -> TunedMethod:
    trials, file = judge.known(candidate.key), _file(judge, candidate)
    means = tuple(sum(part) / len(trials) for part in zip(*(trial.objectives for trial in trials), strict=True))
    return TunedMethod(
        candidate.arm.name,
        candidate.arm.kind,
        _exactly(candidate, file),
        file.scores,
        file.objectives,
        means,
        judge.error(candidate.key),
        len(trials),
        judge.used[candidate.arm.name],
        mean_order(trials),
    )
