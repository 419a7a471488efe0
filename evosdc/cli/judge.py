"""``evosdc judge``."""

import shlex
from functools import partial
from pathlib import Path

import click

from evosdc.assess.judge import SecondOpinion, other_people, second_opinions
from evosdc.assess.judge import shown as figure_words
from evosdc.assess.published_table import published_table
from evosdc.assess.three_risks import members_words
from evosdc.assess.verdict import identity_words, with_identity
from evosdc.cli.display import display
from evosdc.cli.inputs import matched_tables, open_source, require_comparable, single_run
from evosdc.cli.run import show_verdict
from evosdc.cli.text import harmless, print_json, print_rows, say, warn
from evosdc.errors import Fault, ParameterError
from evosdc.experiment.data import earlier_release, says_none
from evosdc.experiment.display import Display
from evosdc.experiment.judging import judge_run
from evosdc.files.source import Source
from evosdc.model import EarlierRelease
from evosdc.options.inspection import JudgeOptions
from evosdc.plugins.registry import default_registry
from evosdc.printing import not_applicable_sentences
from evosdc.report import write_pages
from evosdc.runs.layout import REPORT
from evosdc.runs.result import Result
from evosdc.secret import chosen_seed, judging_seed
from evosdc.table.table import Table

SHOWN = 5  # judges whose figures are printed unless all are wanted


def judge(options: JudgeOptions) -> None:
    """Ask judges, print their findings, and rewrite the verdict of a run."""
    registry = default_registry()
    two_files = {"--schema": options.schema_file, "--protect": options.protect, "--crosswalk": options.crosswalk}
    run = single_run("judge", options.original, options.masked, two_files | {"--others": options.others})
    members, updated = None, False
    with display(options.as_json) as shown:
        if run is not None:
            judged = judge_run(run, options, registry, shown, partial(_released, options))
            before, after, opinion, members = judged.original, judged.masked, judged.opinion, judged.members
            updated = judged.updated
        else:
            before, after, opinion = _of_files(options, shown)
    if run is not None and updated and (run / REPORT).exists():
        write_pages(run)
    table = None if options.published is None else published_table(options.published, before, after)
    if options.as_json:
        further = {} if members is None else {"members": members}
        print_json(opinion.to_json() | further | ({} if table is None else {"published_table": table.to_json()}))
        return
    everything = options.every or options.judges is not None
    _show(opinion, run, everything)
    if run is not None and not updated:
        say(f"The verdict of the run is not rewritten; this does it: {shlex.join(['evosdc', 'judge', str(run)])}")
    for line in members_words(members) if everything and members is not None else ():
        say(line)
    if table is not None:
        say(table.words())


def _released(options: JudgeOptions, source: Source) -> tuple[EarlierRelease, ...]:
    return tuple(earlier_release(Path(one), source) for one in options.earlier if not says_none([one]))


def _of_files(options: JudgeOptions, shown: Display) -> tuple[Table, Table, SecondOpinion]:
    """Return an original and its masked file, and what judges find of them."""
    masked, registry = options.masked, default_registry()
    assert masked is not None, "two files, where it is no run"
    require_comparable("judge", masked, options.crosswalk)
    source = open_source(options.original, options.schema_file, options.reading)
    names = None if options.protect is None else source.table.schema.named(options.protect, "protect")
    before, after = matched_tables(source, masked, options.crosswalk, names or (), None)
    earlier = _released(options, source)
    if earlier and len(before) != len(source.table):
        given = "a masked file from which records were left out"
        raise ParameterError(Fault("--earlier", given, "one with all records of the original"))
    shown.concluding("asking judges")
    opinion = second_opinions(
        before,
        {"": after},
        names,
        registry=registry,
        judges=options.judges,
        claimed={"": options.claimed},
        seed=judging_seed(chosen_seed(options.seed)),
        answered=shown.judging,
        in_order=options.crosswalk is None,
        others=None if options.others is None else other_people(options.others, before),
        earlier=earlier,
    )[""]
    return before, after, with_identity(opinion, before, after, names, registry)


def _show(opinion: SecondOpinion, run: Path | None, everything: bool) -> None:
    """Print the verdict on the file, what judges say, what each risk comes to, and figures of five judges or of all."""
    # That a claim holds is no verdict: a file that identifies too many people may claim so rightly.
    if run is not None:
        show_verdict(Result.read(run).verdict)
    elif opinion.identity is not None:
        say(identity_words(opinion.identity))
    verdict = opinion.verdict
    colour = "yellow" if verdict.holds is None else "green" if verdict.holds else "red"
    click.secho(harmless(verdict.sentence), fg=colour, bold=run is None)
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
