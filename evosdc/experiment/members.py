"""Making a member of a run's front its best file, and telling of a member what a report tells of the best."""

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

from evosdc.assess.classes import cross_tables
from evosdc.assess.intruder import found_by_intruder
from evosdc.assess.judge import second_opinions
from evosdc.assess.utility import analyses
from evosdc.engine.checkpoint import newest_checkpoint
from evosdc.engine.choice import Choice
from evosdc.errors import ExperimentError, Fault
from evosdc.experiment.assembly import Assembly
from evosdc.experiment.display import Display
from evosdc.experiment.environment import begun_by
from evosdc.experiment.planning import with_known_plan
from evosdc.experiment.portfolio import read_portfolio
from evosdc.experiment.published_file import Member, front_member
from evosdc.experiment.run.opinion import claims_of, used_judges
from evosdc.experiment.run.outputs import write_outputs
from evosdc.experiment.run.summaries import scored
from evosdc.experiment.tuned_start import with_found
from evosdc.model import Individual
from evosdc.plugins.registry import Registry
from evosdc.runs.layout import ENVIRONMENT, LOCK, PLANNING, REPORT, RESULT, STATUS, RunFolder
from evosdc.runs.status import require_complete
from evosdc.secret import judging_seed
from evosdc.table.role_assignment import assign_known
from evosdc.table.table import Table

_OF_RECIPE = "recipe.*"
# Files that tell of the best file, which are written anew, and locks.
_OF_BEST = ("best.*", "crosswalk*.csv", "picture-*", _OF_RECIPE, "result.json", "release.json", "risk.json",
            "frequencies.json", "transitions.json", "analyst.json", "scores.csv", "front.csv", REPORT, "for-users.html",
            f"{LOCK}*", ".probe")  # fmt: skip


def choose_member(
    path: Path,  # of a run that has ended
    member: Member | Choice,  # its number in ``front.csv``, or which one it is
    target: Path,  # a new or empty folder
    registry: Registry,
    display: Display | None = None,  # that is told what is being done
    command: str = "",  # what the user typed, for ``environment.json``, which has run and member under ``chosen``, too
) -> dict[str, Any]:
    """Write a run folder like another, in which a member of the front is the best file; return its result."""
    # The search is not repeated: population, front, journal and checkpoints are those of the run. The file, its scores,
    # requirements, verdict, second opinion, recipe and what else is told of a best file are the member's.
    require_complete([path])
    assembly, individual, member = front_member(path, member, registry)
    source, folder = RunFolder(path), RunFolder(target)
    before = source.read_object(STATUS)
    if before.get("state") != "done" or not source.file(RESULT).exists():
        advice = f"Wait for it, or end it by `evosdc finish {path}` and `evosdc resume {path}`."
        raise ExperimentError(Fault(str(path), "a run that has not ended", "one that has", advice))
    assembly = with_known_plan(with_found(assembly, source), source)
    state, _ = newest_checkpoint(path, assembly.problem.genotype)
    assert state is not None, "its front has members"
    folder.create()
    with folder:
        # The recipe of an evolved plan is the run's, whatever member is the best file.
        planned = source.file(PLANNING).exists()
        ignored = shutil.ignore_patterns(*(name for name in _OF_BEST if not (planned and name == _OF_RECIPE)))
        shutil.copytree(path, target, ignore=ignored, dirs_exist_ok=True)
        chosen = {"chosen": {"run": path.resolve().name, "member": member}}
        folder.write_json(ENVIRONMENT, folder.read_object(ENVIRONMENT) | begun_by(command) | chosen)
        result = write_outputs(
            folder, assembly, read_portfolio(folder), state, str(before.get("message") or ""), display=display,
            best=individual,
        )  # fmt: skip
        figures = {name: individual.scores[name] for name in ("il", "dr") if name in individual.scores}
        folder.write_json(STATUS, before | {"best": {"fitness": list(individual.objectives)} | figures})
    return result


def member_findings(
    path: Path,  # the run folder
    member: Member | Choice,  # its position in ``front.csv``, or which one it is
    registry: Registry,
    judge: bool = False,  # whether judges that the search did not use are asked
    answered: Callable[[int, int], None] | None = None,  # told how many of how many judges have answered
) -> dict[str, Any]:
    """Return what is to be known of a member of the front before it is published."""
    assembly, individual, member = front_member(path, member, registry)
    problem, microdata = assembly.problem, assembly.microdata
    masked = problem.decode(individual.genome, individual.key)
    genotype = problem.genotype
    omitted = genotype.omitted(individual.genome)
    whole, shown = assembly.source.table, masked.without(omitted)
    original, published = whole.without(omitted), whole.with_columns(masked).without(omitted)
    document: dict[str, Any] = {
        "member": member,
        "origin": individual.origin,
        **scored(individual),
        "protect": list(microdata.protect),
        "cross_tables": cross_tables(original, published, microdata.protect) if len(shown) else [],
        "analyses": analyses(original, published, microdata.protect) if len(shown) else {},
        "records": None,
    }
    comparable = masked.schema == microdata.original.schema
    if comparable and len(shown):
        measures = assembly.experiment.measures
        params = {m.name: m.params for m in measures.all} if measures is not None else {}
        found = found_by_intruder(original, shown, microdata.protect, registry, params)
        document["records"] = found.to_json() if found is not None else None
    if judge:
        document["second_opinion"] = _opinion(assembly, individual, masked, registry, answered)
    return document


def _opinion(
    assembly: Assembly,
    individual: Individual,
    masked: Table,
    registry: Registry,
    answered: Callable[[int, int], None] | None,
) -> dict[str, Any]:
    found = second_opinions(
        assign_known(assembly.source.table, assembly.microdata.protect),
        {"": assembly.source.published(masked)},
        assembly.microdata.protect,
        registry=registry,
        without=used_judges(assembly.experiment, registry),
        claimed={"": claims_of(individual.scores, assembly.experiment, registry)},
        seed=judging_seed(assembly.seed),
        answered=answered,
        in_order=not assembly.experiment.data.shuffle,
    )
    return found[""].to_json()
