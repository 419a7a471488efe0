"""Judges of a run that has ended: those that had no time before, and the verdict by what they find."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evosdc.assess.judge import SecondOpinion as JudgedFile
from evosdc.assess.judge import other_people, second_opinions
from evosdc.assess.verdict import with_identity
from evosdc.experiment.data import releases_of, says_none
from evosdc.experiment.display import Display
from evosdc.experiment.members import published_file
from evosdc.experiment.opinion import claims_of, plan_of, summary_of, used_judges
from evosdc.experiment.release import judge_again
from evosdc.experiment.trials import Trials, is_complete
from evosdc.files.source import Source
from evosdc.model import EarlierRelease
from evosdc.options.inspection import JudgeOptions
from evosdc.plugins.registry import Registry
from evosdc.printing import NO_TIME
from evosdc.runs.layout import RunFolder
from evosdc.runs.result import Result
from evosdc.secret import judging_seed
from evosdc.table.table import Table, assign_known


@dataclass(frozen=True, eq=False)
class JudgedRun:
    """What judges find of the published file of a run, and the result of the run by it."""

    opinion: JudgedFile
    members: Mapping[str, Any] | None  # of `Trials.opinion`
    result: Result
    updated: bool  # whether the result with its verdict was written again
    original: Table
    masked: Table  # the published file, record by record


def judge_run(
    path: Path,
    options: JudgeOptions,
    registry: Registry,
    display: Display,
    released: Callable[[Source], tuple[EarlierRelease, ...]],  # reads the earlier releases that the options name
) -> JudgedRun:
    """Ask judges about the file of a run, and rewrite its verdict unless judges, claim or seed were named."""
    found, before = published_file(path, registry), Result.read(path)
    assembly, experiment = found.assembly, found.assembly.experiment
    protect, source, used = assembly.microdata.protect, assembly.source, used_judges(experiment, registry)
    updates = (options.judges, options.claimed, options.seed) == (None, None, None)
    judges, known = options.judges, before.second_opinion.best if updates else None
    if known is not None:
        judges = [name for name, reason in known["not_applicable"].items() if reason == NO_TIME]
    original, masked = assign_known(found.original, protect), found.masked
    # Records that were left out of a file have no place in it.
    earlier, said = tuple[EarlierRelease, ...](), False
    if len(masked) == len(source.table):
        none = says_none(options.earlier or experiment.data.earlier)
        named = released(source) if options.earlier else assembly.earlier
        earlier, said = releases_of(named, none, path, source)
    claims = claims_of(found.individual.scores, experiment, registry)
    display.concluding("asking judges")
    opinion = second_opinions(
        original,
        {"": masked},
        protect,
        registry=registry,
        without=used,
        judges=judges,
        claimed={"": claims if options.claimed is None else options.claimed},
        seed=judging_seed(assembly.seed) if options.seed is None else options.seed,
        answered=display.judging,
        in_order=not experiment.data.shuffle,
        earlier=earlier,
        others=None if options.others is None else other_people(options.others, original),
    )[""]
    if known is not None:
        together = () if earlier else registry.defaults("measure", "history")
        kept_judges = {name: one for name, one in known["judges"].items() if name not in together}
        opinion = opinion.joined({**known, "judges": kept_judges})
    opinion = with_identity(opinion, original, masked, protect, registry)
    members = before.second_opinion.members if options.judges is None else None
    if options.judges is None and not is_complete(members):
        display.concluding("protecting parts of the people by the same plan, and attacking all people")
        trials = Trials(assembly, plan_of(RunFolder(path), before.portfolio.best), before.generations)
        trials.make()
        trials.ask_others()
        members = trials.opinion()
    if not updates:
        return JudgedRun(opinion, members, before, False, original, masked)
    kept: dict[str, Any] = {name: getattr(before.second_opinion, name) for name in ("classical", "classical_label")}
    kept |= {"members": members, "earlier": [one.label for one in earlier], "earlier_named": said}
    with RunFolder(path) as folder:
        result = judge_again(folder, summary_of(opinion, used).model_copy(update=kept), experiment.released)
    return JudgedRun(opinion, members, result, True, original, masked)
