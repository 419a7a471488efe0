"""``evosdc judge``."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from evosdc.cli.options import DATA, PATH, takes_options
from evosdc.cli.text import harmless, print_json, print_rows, say, warn
from evosdc.options.inspection import JudgeOptions

if TYPE_CHECKING:
    from evosdc.assess.judge import Claims, SecondOpinion
    from evosdc.model import EarlierRelease
    from evosdc.plugins.registry import Registry
    from evosdc.table.table import Table


@click.command()
@click.argument("original", type=DATA, metavar="RUN | ORIGINAL")
@click.argument("masked", type=PATH, required=False)
@takes_options(JudgeOptions)
def judge(original: str, masked: Path | None, options: JudgeOptions) -> None:
    """Check the file of a RUN, or a MASKED file of an ORIGINAL, by independent attacks unknown to the optimiser.

    ORIGINAL is a file or a registered data set. Of a RUN the judges run that had no time yet, and its verdict and
    report are then rewritten. Judges say what an intruder or an analyst learns from the file, beside chance and beside
    the original, and whether the claimed risk holds.

    What a file discloses of its people alone shows beside people who are not in it. Of a RUN with a sensitive column
    half of the people are protected by its plan, and both halves attacked; of two files name others by --others.
    """
    from evosdc.assess.changes import reordered_words
    from evosdc.assess.judge import other_people, second_opinions
    from evosdc.assess.published_table import published_table
    from evosdc.assess.three_risks import members_words
    from evosdc.assess.verdict import identity_of
    from evosdc.cli.display import display
    from evosdc.cli.inputs import single_run
    from evosdc.experiment.members import members_of
    from evosdc.plugins.registry import default_registry
    from evosdc.printing import NO_TIME
    from evosdc.runs.result import Result

    registry = default_registry()
    two_files = {"--schema": options.schema_file, "--protect": options.protect, "--crosswalk": options.crosswalk}
    run = single_run("judge", original, masked, two_files | {"--others": options.others})
    updates = run is not None and (options.judges, options.claimed, options.seed) == (None, None, None)
    chosen, earlier = options.judges, None
    if run is not None:
        judged = _of_run(run, registry, options)
        earlier = Result.read(run).second_opinion.best if updates else None
        if earlier is not None:
            chosen = [name for name, reason in earlier["not_applicable"].items() if reason == NO_TIME]
    else:
        assert masked is not None, "two files, where it is no run"
        judged = _of_files(original, masked, options)
    before, after = judged.before, judged.after
    table = None if options.published is None else published_table(options.published, before, after)
    with display(options.as_json) as shown:
        shown.concluding("asking judges")
        opinion = second_opinions(
            before,
            {"": after},
            judged.protect,
            registry=registry,
            judges=chosen,
            without=judged.used,
            claimed={"": judged.claimed},
            seed=judged.seed,
            answered=shown.judging,
            in_order=judged.in_order,
            others=None if options.others is None else other_people(options.others, before),
            earlier=judged.earlier,
        )[""]
        opinion = opinion.joined(earlier) if earlier is not None else opinion
        found = identity_of(before, after, opinion.attributes, registry)
        members = None
        if run is not None and options.judges is None:
            members = Result.read(run).second_opinion.members
            if "judges" not in (members or {}):
                shown.concluding("protecting half of the people by the same plan, and attacking both halves")
                members = members_of(run, registry)
    reordered = reordered_words(before, after, _certainly_unmasked(before, after, judged.protect))
    warnings = (*opinion.warnings, *([reordered] if reordered else ()))
    opinion = replace(opinion, warnings=warnings, identity=found)
    if updates and run is not None:
        _update(run, opinion, judged, members)
    if options.as_json:
        further = {} if members is None else {"members": members}
        further |= {} if table is None else {"published_table": table.to_json()}
        print_json(opinion.to_json() | further)
        return
    _show(opinion, run)
    for line in members_words(members) if members is not None else ():
        say(line)
    if table is not None:
        say(table.words())


def _update(run: Path, opinion: "SecondOpinion", judged: "_Judged", members: "Mapping[str, Any] | None") -> None:
    """Rewrite the verdict and the pages of a run by the findings of judges."""
    from evosdc.experiment.opinion import summary_of
    from evosdc.experiment.reader import experiment_of
    from evosdc.experiment.release import judge_again
    from evosdc.report import write_pages
    from evosdc.runs.layout import REPORT, RunFolder
    from evosdc.runs.result import Result

    before = Result.read(run).second_opinion
    kept: dict[str, Any] = {
        "classical": before.classical,
        "classical_label": before.classical_label,
        "members": members,
    }
    kept |= {"earlier": [one.label for one in judged.earlier], "earlier_named": judged.named}
    folder = RunFolder(run)
    with folder:
        judge_again(
            folder, summary_of(opinion, judged.used).model_copy(update=kept), experiment_of(folder).goal is not None
        )
    if (run / REPORT).exists():
        write_pages(run)


@dataclass(frozen=True)
class _Judged:
    """The input of judges: tables with the same respondent in row r, what was masked, what is claimed."""

    before: "Table"
    after: "Table"
    protect: Sequence[str] | None
    claimed: "float | Mapping[str, float] | Claims | None"
    seed: int
    used: Sequence[str] = ()
    in_order: bool = True
    earlier: "tuple[EarlierRelease, ...]" = ()
    named: bool = True


def _of_run(path: Path, registry: "Registry", options: JudgeOptions) -> _Judged:
    """Return the input of judges for the published file of a run."""
    from evosdc.experiment.data import earlier_releases, other_runs
    from evosdc.experiment.members import published_file
    from evosdc.experiment.opinion import claims_of, used_judges
    from evosdc.secret import judging_seed
    from evosdc.table.role_assignment import assign_known

    found = published_file(path, registry)
    experiment, protect, source = found.assembly.experiment, found.assembly.microdata.protect, found.assembly.source
    named = earlier_releases([Path(one) for one in options.earlier], source) or found.assembly.earlier
    # Records that were left out of a file have no place in it.
    whole = len(found.masked) == len(source.table)
    return _Judged(
        assign_known(found.original, protect),
        found.masked,
        protect,
        claims_of(found.individual.scores, experiment, registry) if options.claimed is None else options.claimed,
        judging_seed(found.assembly.seed) if options.seed is None else options.seed,
        used_judges(experiment, registry),
        not experiment.data.shuffle,
        (named or other_runs(path, source)) if whole else (),
        bool(named),
    )


def _of_files(original: str, masked: Path, options: JudgeOptions) -> _Judged:
    """Return the input of judges for a masked file and its original."""
    from evosdc.cli.inputs import matched_tables, open_source, require_comparable
    from evosdc.errors import Fault, ParameterError
    from evosdc.experiment.data import earlier_releases
    from evosdc.files.masked_file import holds_generalised
    from evosdc.secret import chosen_seed, judging_seed

    require_comparable("judge", masked, options.crosswalk)
    source = open_source(original, options.schema_file, options.reading)
    names = None if options.protect is None else source.table.schema.named(options.protect, "protect")
    generalised = holds_generalised(masked, source)
    before, after = matched_tables(source, masked, options.crosswalk, names or (), generalised)
    earlier = earlier_releases([Path(one) for one in options.earlier], source)
    if earlier and len(before) != len(source.table):
        given = "a masked file from which records were left out"
        raise ParameterError(Fault("--earlier", given, "one with all records of the original"))
    seed = judging_seed(chosen_seed(options.seed))
    return _Judged(before, after, names, options.claimed, seed, in_order=options.crosswalk is None, earlier=earlier)


def _certainly_unmasked(before: "Table", after: "Table", protect: Sequence[str] | None) -> list[str]:
    """Return the columns that are not declared masked."""
    # Without names, all columns that differ count as masked. Columns with shuffled rows differ, too.
    from evosdc.table.schema import Role

    masked = protect or before.schema.with_role(Role.QUASI_IDENTIFIER)
    others = [name for name in after.schema.names if name not in masked]
    return others if protect or len(others) > 1 else []


def _show(opinion: "SecondOpinion", run: Path | None) -> None:
    """Print the verdict of judges first, then a table of their figures, and notes."""
    from evosdc.assess.judge import shown
    from evosdc.assess.verdict import identity_words
    from evosdc.printing import not_applicable_sentences
    from evosdc.runs.result import Result

    verdict = opinion.verdict
    colour = "yellow" if verdict.holds is None else "green" if verdict.holds else "red"
    click.secho(harmless(verdict.sentence), fg=colour, bold=True)
    if opinion.identity is not None:
        say(identity_words(opinion.identity))
    rows = []
    for one in opinion.findings:
        claim = "" if one.claim is None else f"{one.claim:.1f}"
        rows.append([one.judge, shown(one.masked), f"{one.chance.value:.3g}", f"{one.original.value:.3g}", claim])
    columns = {"judge": "whole"} | dict.fromkeys(("masked", "chance", "original", "claimed"), "right")
    print_rows(columns, rows, styles=["bold red" if one.exceeds else "" for one in opinion.findings])
    for finding in opinion.findings:
        say(f"{finding.judge}: {finding.words}")
    for sentence in not_applicable_sentences(opinion.not_applicable):
        say(f"{sentence}.")
    say(
        f"{opinion.records} records; known to an intruder: {', '.join(opinion.known)}; wanted: "
        f"{', '.join(opinion.wanted)}; seed {opinion.seed}. ± is the standard error; chance is the masked file with "
        "its records shuffled."
    )
    warn(opinion.warnings)
    if run is not None:
        found = Result.read(run).verdict
        for line in found.risks:
            say(f"{line.risk}: {line.words}.")
        say(found.line)
