"""``evosdc protect``, ``run``, ``check`` and ``resume``, and how a run that a command began ends."""

import re
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import click

from evosdc.assess.data_check import check_records
from evosdc.assess.verdict import NO, on_verdict, unmet
from evosdc.cli.beginning import seconds_since
from evosdc.cli.display import display
from evosdc.cli.inputs import data_of, open_source
from evosdc.cli.options import command_line
from evosdc.cli.signals import asked_to_stop, forget
from evosdc.cli.text import answer, harmless, numbers, print_json, print_rows, say
from evosdc.errors import CheckpointError, InputError, RunError
from evosdc.experiment.assembly import assemble
from evosdc.experiment.display import scores_in_words
from evosdc.experiment.environment import naming_plugins
from evosdc.experiment.protection import protection
from evosdc.experiment.reader import read_experiment, with_executor
from evosdc.experiment.study import resume_study, run_study
from evosdc.experiment.study_status import check_settings, planned_runs, read_status
from evosdc.files.published import order_sentences
from evosdc.model.constraint import CONDITIONAL
from evosdc.model.individual import INFEASIBILITY
from evosdc.options.runs import CheckOptions, ResumeOptions, RunOptions
from evosdc.options.search import ProtectOptions
from evosdc.options.written import names_text
from evosdc.plugins.registry import default_registry
from evosdc.printing import seconds_in
from evosdc.report import write_pages
from evosdc.runs import layout
from evosdc.runs.layout import RunFolder
from evosdc.runs.rank_tests import METHOD, rank_sentences
from evosdc.runs.result import Result, StudyResult, Verdict
from evosdc.runs.status import FINISHED
from evosdc.secret import Key, Seed, chosen_seed
from evosdc.table.schema import Role
from evosdc.table.structural_zeros import THRESHOLD


def protect(options: ProtectOptions) -> None:
    """Search for a file within the bound, and print the verdict."""
    source = data_of(
        options.data, options.schema_file, options.protect, options.neutralise_formulas, options.shuffle,
        options.population, options.reading,
    )  # fmt: skip
    experiment = protection(source, default_registry(), options)
    drawn = chosen_seed(options.seed, options.key)
    if options.check:
        assemble(experiment, default_registry(), drawn)
        say("Nothing stands against the search.")
        return
    result = carry_out(experiment, options.output, options.quiet, options.as_json, options.report, drawn)
    leave_by(result, options.as_json)


def run(options: RunOptions) -> None:
    """Run an experiment file."""
    # The file may be that of a run folder, which knows the plugins that it was made with.
    with naming_plugins(RunFolder(options.experiment.parent), default_registry()):
        model = read_experiment(options.experiment, options.settings)
        model = with_executor(model, default_registry(), options.executor, options.workers, options.hosts)
        drawn = chosen_seed(model.seed, options.key)
        result = carry_out(model, options.output, options.quiet, options.as_json, options.report, drawn, options.force)
    leave_by(result, options.as_json)


def check(options: CheckOptions) -> None:
    """Check an experiment file, or the records of a data file."""
    if options.experiment is None:
        _check_data(options)
        return
    if options.data or options.schema_file is not None or options.protect is not None:
        raise click.UsageError("--data takes no file beside an EXPERIMENT, which names its data, schema and protect.")
    with naming_plugins(RunFolder(options.experiment.parent), default_registry()):
        model = read_experiment(options.experiment, options.settings)
        assembly = check_settings(model, default_registry())
    records, protect, measures = len(assembly.source.table), assembly.microdata.protect, list(assembly.problem.measures)
    candidates, runs = assembly.plan.candidates, len(planned_runs(model))
    document = {"title": model.heading, "records": records, "protect": list(protect), "starting_files": candidates}
    document |= {"measures": measures, "runs": runs}
    lines = [
        f"{options.experiment} is valid: {records} records, protect {', '.join(protect)}, {candidates} starting files, "
        f"measures {', '.join(measures)}{'.' if model.single else f'; {runs} runs.'}"
    ]
    if options.data is not None:
        zeros = model.structural_zeros
        expected = options.threshold or (zeros.threshold if zeros is not None else THRESHOLD)
        found = check_records(assembly.source.table, protect, expected)
        document |= {"data": found.to_json()}
        lines += [*found.sentences(), *order_sentences(assembly.source.ordered())]
    answer(options, document, lines)


def _check_data(options: CheckOptions) -> None:
    if not options.data:
        raise click.UsageError("Missing argument: EXPERIMENT, or --data DATA.")
    if options.settings:
        raise click.UsageError("--set overrides a key of an EXPERIMENT; there is none.")
    source = open_source(options.data, options.schema_file, options.reading)
    table, ordered = source.table, source.ordered()
    named = table.schema.named(options.protect or (), "--protect")
    protect = list(named or table.schema.with_role(Role.QUASI_IDENTIFIER))
    found = check_records(table, protect, options.threshold or THRESHOLD)
    document = found.to_json() | {"protect": protect, "told_by_order_of_left_out": list(ordered)}
    first = f"{options.data}: {len(table)} records; masked: {', '.join(protect) or 'nothing'}."
    answer(options, document, [first, *source.remarks, *found.sentences(), *order_sentences(ordered)])


def resume(options: ResumeOptions) -> None:
    """Go on with a run."""
    layout.require_run(options.run_dir)
    with display(options.quiet or options.as_json) as shown:
        work = partial(resume_study, options.run_dir, default_registry(), shown, options.force)
        work = partial(work, executor=options.executor, workers=options.workers, hosts=options.hosts)
        result = outcome(options.run_dir, shown, work, options.report)
        report = reported(options.run_dir, shown) if options.report else None
    conclude(options.run_dir, result, report, options.as_json)
    leave_by(result, options.as_json)


def leave_by(result: Result, as_json: bool, limits: bool = False) -> None:
    """End with exit status 1 where the file must not be published, or a requirement is not met."""
    # Of a randomised file fresh draws decide. `limits`: or a limit that evosdc set itself. A search keeps these, and a
    # file made without one may not.

    missed = unmet(result.to_json(), limits)
    for entry in missed if not as_json else ():
        if on_verdict(entry):
            accepts = entry["requirement"] != CONDITIONAL and result.verdict.publishable
            accepted = f', which "{CONDITIONAL}" would accept' if accepts else ""
            say(f"Requirement NOT met: {entry['requirement']}. The verdict is: {entry['verdict']}{accepted}.", err=True)
    if missed or layout.REFUSED in result.best.file:
        click.get_current_context().exit(1)


def carry_out(
    model: Any, output: Path | None, quiet: bool, as_json: bool, pages: bool, seed: "Seed", force: bool = False
) -> Result:
    """Run an experiment with a display, write the report if `pages`, print the result, and return it."""
    registry = default_registry()
    path = output if output is not None else layout.free_folder(Path("runs"), model.heading)
    with layout.replacing(path, force), display(quiet or as_json) as shown:
        for problem in registry.problems:
            shown.message(f"plugin problem: {problem}")
        if model.executor.name == "serial" and (model.executor.workers or 1) > 1:
            shown.message(f"executor serial: has no workers; {model.executor.workers} make no difference")
        key = seed if isinstance(seed, Key) else None
        work = partial(run_study, model, path, registry, shown, command_line(), seconds_since(), key)
        result = outcome(path, shown, work, pages)
        report = reported(path, shown) if pages else None
    conclude(path, result, report, as_json)
    return result


def outcome(path: Path, shown: Any, work: Callable[[], Result], pages: bool = True) -> Result:
    """Return the result of a run; a signal after its end is too late to stop it."""
    try:
        with resumable(path, shown, pages):
            return work()
    except KeyboardInterrupt:
        if not _ended(path):
            raise
        forget()
        return Result.read(path)


def _ended(path: Path) -> bool:
    """Whether a run or study is complete, whatever came after."""
    try:
        return read_status(path).phase == FINISHED
    except InputError:
        return False


@contextmanager
def resumable(path: Path, shown: Any, pages: bool = True) -> Iterator[None]:
    """Print how to resume when a run is stopped, or fails with results in its folder."""
    try:
        yield
    except CheckpointError:
        raise  # what is there was refused; it says itself what helps
    except BaseException as error:
        if isinstance(error, KeyboardInterrupt) and _ended(path):
            raise
        number = asked_to_stop()
        if number is None and not isinstance(error, KeyboardInterrupt | RunError | OSError | MemoryError):
            raise
        if (path / layout.RESOLVED).exists():
            _report_partial_result(path, shown, pages)
            again = ["evosdc", "resume", str(path), *([] if pages else ["--no-report"])]
            shown.message(f"What was reached is kept. Go on with: {shlex.join(again)}")
        elif number is not None:
            shown.message("Nothing was begun: the same command begins it.")
        raise


def _report_partial_result(path: Path, shown: Any, pages: bool) -> None:
    """Say where the best file so far is of a run that was stopped, and write its report if `pages`."""
    written = [folder for folder in layout.run_folders(path) if (folder / layout.RESULT).exists()]
    if not written:
        return
    report = write_pages(path) if pages else None
    folder, result = written[-1], Result.read(written[-1])
    shown.message(f"Best file so far: {folder / result.best.file}")
    if result.verdict.publishable is None:
        shown.message("Whether it may be published is not judged yet.")
    else:
        shown.message(f"{harmless(result.verdict.line)}, as far as it is judged.")
    if report is not None:
        shown.message(f"Report:           {report}")


def reported(path: Path, shown: Any) -> Path:
    """Write the report of a run folder, saying so, and return where it is."""
    # The run has ended by then: a signal has the report begun again, and a second one ends the command. Where the disk
    # is full, what there is to be done is less than to run again.

    try:
        shown.concluding("writing the report")
        return write_pages(path)
    except KeyboardInterrupt:
        forget()
        return write_pages(path)
    except OSError:
        again = shlex.join(["evosdc", "report", str(path)])
        shown.message(f"The run is done and its files are there, save the report; {again} writes it.")
        raise


def conclude(path: Path, result: Result, report: Path | None, as_json: bool) -> None:
    """Print the result of a run folder and where its files are, the report last; None where there is none."""
    # A signal stops the printing alone: the exit status stays that of the run.

    try:
        if as_json:
            print_json(result.to_json())
        else:
            print_outcome(path, result, report)
            if isinstance(result, StudyResult):
                print_settings(result)
    except KeyboardInterrupt:
        click.echo("Stopped; the run had ended.", err=True)
    forget()


# Lines of a result, and of these reasons and conditions with advice; the others are named.
MOST_LINES, MOST_REASONS = 15, 3

_COLOURS = {"publishable": "green", "publishable on conditions": "yellow", "not publishable": "red"}


def show_verdict(verdict: Verdict) -> None:
    """Print the verdict in a line."""
    click.secho(harmless(verdict.line), fg=_COLOURS.get(verdict.headline), bold=True)


def print_outcome(path: Path, result: "Result", report: Path | None) -> None:
    """Print the verdict and its reasons, the uses of the file, the places of files, and the next command."""
    verdict = result.verdict
    if result.so_far:
        say("Stopped before its end: this is the best file so far.")
    show_verdict(verdict)
    marked = [f"  {'!' if verdict.publishable else '-'} {text}" for text in verdict.conditions]
    marked = marked if verdict.publishable and marked else [f"  - {text}" for text in verdict.reasons] + marked
    advice = [f"{'Advice:':<16} {' '.join(verdict.advice)}"] if verdict.advice else []
    others = [*advice, *_facts(result), *_files(path, result, report), f"Next:            {next_command(path, result)}"]
    room, shown = MOST_LINES - 1 - len(others), min(MOST_REASONS, len(marked))
    if shown + (len(marked) > shown) > room:
        shown = max(room - 1, 1)
    for line in marked[:shown]:
        say(line.replace(" RUN", f" {shlex.quote(str(path))}"))
    # The titles of verdicts without a reason against them are those of their conditions.
    if left := verdict.titles[shown:]:
        say(f"  Besides: {'; '.join(left)}.")
    for line in others:
        say(line)


def _facts(result: "Result") -> Iterator[str]:
    """Yield the three risks, the analyses that hold, and the score."""
    verdict = result.verdict
    for line in verdict.risks if any(line.kept is not None for line in verdict.risks) else ():
        yield f"{f'{line.risk}:':<16} {line.words}"
    for words, texts in (("Analysts can:", verdict.trust.yes), ("They cannot:", verdict.trust.no)):
        if texts:
            yield f"{words:<16} use {'; '.join(text[:1].lower() + text[1:].rstrip('.') for text in texts)}."
    chosen = f"; chosen: {result.chosen['words']} (member {result.chosen['member']})" if result.chosen else ""
    yield f"{'Score:':<16} {scores_line(result)}{chosen}"


def scores_line(result: "Result") -> str:
    """Return the score of the file found, beside the best without a search and the original."""
    best, rival, original = result.best.of_file or result.best, result.portfolio.best, result.identity
    line = f"{scores_in_words({'fitness': best.fitness, **best.scores})} by {result.fitness}"
    line += f"; without a search {numbers(rival.fitness)} ({rival.label})" if rival is not None else ""
    if original is None:
        return line
    # A loss compares files within the bounds: an original beyond them is no rival.
    beyond = original.scores.get(INFEASIBILITY, 0.0) > 0.0
    return (
        f"{line}; the unprotected original breaks the bounds"
        if beyond
        else f"{line}; unprotected {numbers(original.fitness)}"
    )


def _files(path: Path, result: "Result", report: Path | None) -> Iterator[str]:
    dropped = ", ".join(names_text([name]) for name in result.dropped_identifiers)
    without = f" (without {dropped})" if dropped else ""
    yield f"{'Protected file:':<16} {path / result.best.file}{without}"
    if beside := (result.recipe or {}).get("beside"):
        yield f"{'Recipe:':<16} {path / layout.RECIPE}: {(result.recipe or {})['label']}. {beside}"
    if (path / layout.FOR_USERS).exists():
        yield f"{'For its users:':<16} {path / layout.FOR_USERS}"
    again, opinion = shlex.join(["evosdc", "report", str(path)]), result.second_opinion
    remarks = len(result.warnings)
    more = [f"{remarks} warning{'s' * (remarks != 1)}"] if remarks else []
    more += [f"{opinion.answered} of {opinion.asked} judges answered"] if opinion.asked else []
    beside = f" ({'; '.join(more)})" if more else ""
    yield f"{'Report:':<16} {report if report is not None else f'none; {again} writes it'}{beside}"


def next_command(path: Path, result: "Result") -> str:
    """Return the most useful next command: check, search within the bound, or list the files to publish."""
    verdict, opinion = result.verdict, result.second_opinion
    if result.so_far:
        return shlex.join(["evosdc", "resume", str(path)])
    if verdict.headline != NO:
        unchecked = opinion.holds is None and not opinion.used_by_the_search
        open_ones = unchecked and opinion.answered < max(opinion.asked, 1)
        return shlex.join(["evosdc", "judge" if open_ones else "doctor", str(path)])
    if verdict.given_away_by:
        return _without_column(verdict.given_away_by[0])
    # That folder is there now, and what a public seed draws is never for release.
    typed = re.sub(r" (-o|--output|--seed)[ =]\S+", "", command_line())
    wanted = [text.split('"')[1] for reason in verdict.reasons for text in reason.split("--require ")[1:]]
    wanted = [text for text in (*wanted, CONDITIONAL) if text not in typed]
    if typed.startswith("evosdc protect ") and verdict.people_found is not None:
        longer = _with_more_time(typed)
        if wanted or longer != typed:
            return f"{longer}{f' --require {shlex.quote(wanted[0])}' if wanted else ''}"
    return shlex.join(["evosdc", "member", str(path), "best"])


def _without_column(name: str) -> str:
    """Return the command that leaves a column out: no search changes what an unmasked column gives away."""
    words = shlex.split(command_line().replace("--schema=", "--schema "))
    data, schema = (words[2] if words[1:2] == ["protect"] else "DATA"), "schema.toml"
    begin = f"evosdc init {shlex.quote(data)} -o {schema} && "
    if "--schema" in words:
        begin, schema = "", words[words.index("--schema") + 1]
    return f"{begin}{shlex.join(['evosdc', 'edit', schema, name, 'role=drop'])}"


MORE_TIME = 5  # times the time that did not suffice


def _with_more_time(typed: str) -> str:
    """Return a command with more time, where it gives one; a refused file came of a search that was too short."""
    found = re.search(r" --time[ =](\S+)", typed)
    seconds = seconds_in(found[1]) if found else None
    if found is None or seconds is None:
        return typed
    longer = seconds * MORE_TIME
    text = f"{longer / 60:g}m" if longer >= 60 and longer % 60 == 0 else f"{longer:g}s"
    return f"{typed[: found.start(1)]}{text}{typed[found.end(1) :]}"


def print_settings(result: StudyResult) -> None:
    """Print the figures of a sweep's settings, or of the replicates of one setting."""
    entries, spread = result.settings, result.spread
    if not entries:
        if spread:
            deviation = "" if spread["sd"] is None else f", standard deviation {spread['sd']:.3f}"
            say(
                f"Fitness over {len(result.replicates)} replicates: mean {spread['mean']:.3f}{deviation}, "
                f"from {spread['min']:.3f} to {spread['max']:.3f}."
            )
        return
    rows = []
    for entry in entries:
        fitness = entry["fitness"]
        own = [*(fitness[key] for key in ("mean", "sd", "min", "median")), entry["il"]["mean"], entry["dr"]["mean"]]
        values = "\n".join(f"{key} = {value}" for key, value in entry["values"].items())
        rows.append([values, str(entry["runs"]), *("" if value is None else f"{value:.3f}" for value in own)])
    columns = {"setting": "left"}
    print_rows(
        columns | dict.fromkeys(("runs", "fitness", "sd", "min", "median", "IL", "DR"), "right"), rows, "Settings"
    )
    for text in findings(result.comparison or {}, [entry["label"] for entry in entries]):
        say(text)


def findings(comparison: Mapping[str, Any], labels: Sequence[str]) -> list[str]:
    """Return the results of rank tests between the settings of a sweep, a sentence for each finding."""
    sentences = []
    for name, title in (("fitness", "fitness"), ("il", "IL"), ("dr", "DR")):
        found = comparison.get(name)
        if found is None:
            sentences.append(f"{title}: means something else in each setting, or is not known; not compared.")
        else:
            sentences += rank_sentences(title, found, labels)
    return [*sentences, METHOD]
