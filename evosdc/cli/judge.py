"""``evosdc judge``."""

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from evosdc.assess.changes import certainly_unmasked, reordered_words
from evosdc.assess.judge import SecondOpinion, other_people, second_opinions
from evosdc.assess.judge import shown as figure_words
from evosdc.assess.published_table import published_table
from evosdc.assess.three_risks import members_words
from evosdc.assess.verdict import identity_of, identity_words
from evosdc.cli.display import display
from evosdc.cli.inputs import matched_tables, open_source, require_comparable, single_run
from evosdc.cli.text import harmless, print_json, print_rows, say, warn
from evosdc.errors import Fault, ParameterError
from evosdc.experiment.data import earlier_release, other_runs
from evosdc.experiment.members import members_of, published_file
from evosdc.experiment.opinion import claims_of, summary_of, used_judges
from evosdc.experiment.reader import experiment_of
from evosdc.experiment.release import judge_again
from evosdc.options.inspection import JudgeOptions
from evosdc.plugins.registry import default_registry
from evosdc.printing import NO_TIME, not_applicable_sentences
from evosdc.report import write_pages
from evosdc.runs.layout import REPORT, RunFolder
from evosdc.runs.result import Result
from evosdc.secret import chosen_seed, judging_seed
from evosdc.table.table import Table, assign_known

SHOWN = 5  # judges whose figures are printed unless all are wanted


def judge(options: JudgeOptions) -> None:
    """Ask judges, print their findings, and rewrite the verdict of a run."""
    registry = default_registry()
    two_files = {"--schema": options.schema_file, "--protect": options.protect, "--crosswalk": options.crosswalk}
    run = single_run("judge", options.original, options.masked, two_files | {"--others": options.others})
    updates = run is not None and (options.judges, options.claimed, options.seed) == (None, None, None)
    judges, before_this = options.judges, None
    if run is not None:
        before, after, protect, settings, named = _of_run(run, options)
        before_this = Result.read(run).second_opinion.best if updates else None
        if before_this is not None:
            judges = [name for name, reason in before_this["not_applicable"].items() if reason == NO_TIME]
    else:
        before, after, protect, settings = _of_files(options)
        named = True
    table = None if options.published is None else published_table(options.published, before, after)
    others = None if options.others is None else other_people(options.others, before)
    members = None
    with display(options.as_json) as shown:
        shown.concluding("asking judges")
        opinion = second_opinions(
            before, {"": after}, protect, registry=registry, judges=judges, answered=shown.judging, others=others,
            **settings,
        )[""]  # fmt: skip
        opinion = opinion.joined(before_this) if before_this is not None else opinion
        found = identity_of(before, after, opinion.attributes, registry)
        if run is not None and options.judges is None:
            members = Result.read(run).second_opinion.members
            if members is None or "judges" not in members or NO_TIME in members["not_applicable"].values():
                shown.concluding("protecting half of the people by the same plan, and attacking both halves")
                members = members_of(run, registry)
    reordered = reordered_words(before, after, certainly_unmasked(before.schema, after, protect))
    opinion = replace(opinion, warnings=(*opinion.warnings, *([reordered] if reordered else ())), identity=found)
    if updates and run is not None:
        known = Result.read(run).second_opinion
        kept: dict[str, Any] = {"classical": known.classical, "classical_label": known.classical_label}
        kept |= {"members": members, "earlier": [one.label for one in settings["earlier"]], "earlier_named": named}
        with RunFolder(run) as folder:
            summary = summary_of(opinion, settings["without"]).model_copy(update=kept)
            judge_again(folder, summary, experiment_of(folder).goal is not None)
        if (run / REPORT).exists():
            write_pages(run)
    if options.as_json:
        further = {} if members is None else {"members": members}
        print_json(opinion.to_json() | further | ({} if table is None else {"published_table": table.to_json()}))
        return
    everything = options.every or options.judges is not None
    _show(opinion, run, everything)
    if run is not None and not updates:
        say(f"The verdict of the run is not rewritten; this does it: {shlex.join(['evosdc', 'judge', str(run)])}")
    for line in members_words(members) if everything and members is not None else ():
        say(line)
    if table is not None:
        say(table.words())


def _of_run(path: Path, options: JudgeOptions) -> tuple[Table, Table, Sequence[str] | None, Mapping[str, Any], bool]:
    """Return the original of a run, its file, what was masked, and settings of judges; whether releases were named."""
    registry = default_registry()
    found = published_file(path, registry)
    experiment, protect, source = found.assembly.experiment, found.assembly.microdata.protect, found.assembly.source
    named = tuple(earlier_release(Path(one), source) for one in options.earlier) or found.assembly.earlier
    # Records that were left out of a file have no place in it.
    earlier = (named or other_runs(path, source)) if len(found.masked) == len(source.table) else ()
    claims = claims_of(found.individual.scores, experiment, registry)
    settings = {
        "claimed": {"": claims if options.claimed is None else options.claimed},
        "seed": judging_seed(found.assembly.seed) if options.seed is None else options.seed,
        "without": used_judges(experiment, registry),
        "in_order": not experiment.data.shuffle,
        "earlier": earlier,
    }
    return assign_known(found.original, protect), found.masked, protect, settings, bool(named)


def _of_files(options: JudgeOptions) -> tuple[Table, Table, Sequence[str] | None, Mapping[str, Any]]:
    """Return an original and its masked file, what is named as masked, and settings of judges."""
    masked = options.masked
    assert masked is not None, "two files, where it is no run"
    require_comparable("judge", masked, options.crosswalk)
    source = open_source(options.original, options.schema_file, options.reading)
    names = None if options.protect is None else source.table.schema.named(options.protect, "protect")
    before, after = matched_tables(source, masked, options.crosswalk, names or (), None)
    earlier = tuple(earlier_release(Path(one), source) for one in options.earlier)
    if earlier and len(before) != len(source.table):
        given = "a masked file from which records were left out"
        raise ParameterError(Fault("--earlier", given, "one with all records of the original"))
    settings = {"claimed": {"": options.claimed}, "seed": judging_seed(chosen_seed(options.seed)), "earlier": earlier}
    return before, after, names, settings | {"in_order": options.crosswalk is None}


def _show(opinion: SecondOpinion, run: Path | None, everything: bool) -> None:
    """Print the verdict of judges first, then what each risk comes to, and the figures of five judges or of all."""
    verdict = opinion.verdict
    colour = "yellow" if verdict.holds is None else "green" if verdict.holds else "red"
    click.secho(harmless(verdict.sentence), fg=colour, bold=True)
    if opinion.identity is not None:
        say(identity_words(opinion.identity))
    if run is not None:
        for line in Result.read(run).verdict.risks:
            say(f"{line.risk}: {line.words}.")
    # What refutes a claim comes first, then what was claimed at all.
    findings = sorted(opinion.findings, key=lambda one: (not one.exceeds, one.claim is None))
    findings = list(opinion.findings) if everything else findings[:SHOWN]
    rows = []
    for one in findings:
        claim = "" if one.claim is None else f"{one.claim:.1f}"
        both = (f"{one.chance.value:.3g}", f"{one.original.value:.3g}")
        rows.append([one.judge, figure_words(one.masked), *both, claim])
    columns = {"judge": "whole"} | dict.fromkeys(("masked", "chance", "original", "claimed"), "right")
    print_rows(columns, rows, styles=["bold red" if one.exceeds else "" for one in findings])
    if everything:
        for finding in findings:
            say(f"{finding.judge}: {finding.words}")
        for sentence in not_applicable_sentences(opinion.not_applicable):
            say(f"{sentence}.")
        say(
            f"{opinion.records} records; known to an intruder: {', '.join(opinion.known)}; wanted: "
            f"{', '.join(opinion.wanted)}; seed {opinion.seed}. ± is the standard error; chance is the masked file "
            "with its records shuffled."
        )
    elif (hidden := len(opinion.findings) - len(findings)) or opinion.not_applicable:
        say(f"{hidden} more judges answered, and {len(opinion.not_applicable)} did not: --all shows them, in words.")
    warn(opinion.warnings)
    if run is not None:
        say(Result.read(run).verdict.line)
