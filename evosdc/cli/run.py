"""``evosdc run``, ``evosdc check`` and ``evosdc resume``."""

import json
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from evosdc.cli.ending import conclude, outcome, reported
from evosdc.cli.options import PATH, command_line, takes_options
from evosdc.options.runs import CheckOptions, ResumeOptions, RunOptions

if TYPE_CHECKING:
    from evosdc.secret import Seed


@click.command()
@click.argument("experiment", type=PATH)
@takes_options(RunOptions)
def run(experiment: Path, options: RunOptions) -> None:
    """Run an experiment file and write a run folder with the protected file, the scores and a report.

    Exit status 1 where a constraint of the experiment does not hold for the file; on fresh draws, where it is drawn at
    random.
    """
    from evosdc.experiment.environment import naming_plugins
    from evosdc.experiment.reader import read_experiment
    from evosdc.plugins.registry import default_registry
    from evosdc.runs.layout import RunFolder
    from evosdc.secret import chosen_seed

    overrides = list(options.settings)
    if options.executor:
        overrides.append(f"executor.name='{options.executor}'")
    if options.workers:
        overrides.append(f"executor.workers={options.workers}")
    if options.hosts:
        overrides.append(f"executor.hosts={json.dumps(str(options.hosts.absolute()))}")
    # The file may be that of a run folder, which knows the plugins that it was made with.
    with naming_plugins(RunFolder(experiment.parent), default_registry()):
        model = read_experiment(experiment, overrides)
        drawn = chosen_seed(model.seed, options.key)
        result = carry_out(model, options.output, options.quiet, options.as_json, options.report, drawn, options.force)
    leave_by(result, options.as_json)


@click.command()
@click.argument("experiment", type=PATH, required=False)
@click.option(
    "--data",
    is_flag=False,
    flag_value="",
    metavar="[DATA]",
    help="After EXPERIMENT: check the records of its data too. Without one: check those of DATA, a file or data set.",
)
@takes_options(CheckOptions)
def check(experiment: Path | None, data: str | None, options: CheckOptions) -> None:
    """Validate an experiment file: names, parameters, data, attributes. Runs nothing.

    With --data it also tells how often records break the schema's edit rules, which combinations of values never
    occur, and which masked attributes the others give away.
    """
    if experiment is None:
        check_data(data, options)
        return
    if data or options.schema_file is not None or options.protect is not None:
        raise click.UsageError("--data takes no file beside an EXPERIMENT, which names its data, schema and protect.")
    from evosdc.assess.data_check import check_records
    from evosdc.cli.results import print_json
    from evosdc.cli.text import say
    from evosdc.experiment.environment import naming_plugins
    from evosdc.experiment.reader import read_experiment
    from evosdc.experiment.study_status import check_settings, planned_runs
    from evosdc.files.row_order import order_sentences
    from evosdc.plugins.registry import default_registry
    from evosdc.runs.layout import RunFolder
    from evosdc.table.structural_zeros import THRESHOLD

    with naming_plugins(RunFolder(experiment.parent), default_registry()):
        model = read_experiment(experiment, options.settings)
        assembly = check_settings(model, default_registry())
    document = {
        "title": model.heading,
        "records": len(assembly.source.table),
        "protect": list(assembly.microdata.protect),
        "starting_files": assembly.plan.candidates,
        "measures": list(assembly.problem.measures),
        "runs": len(planned_runs(model)),
    }
    found = None
    if data is not None:
        zeros = model.structural_zeros
        expected = options.threshold or (zeros.threshold if zeros is not None else THRESHOLD)
        found = check_records(assembly.source.table, assembly.microdata.protect, expected)
    if options.as_json:
        print_json(document | ({"data": found.to_json()} if found is not None else {}))
        return
    click.echo(
        f"{experiment} is valid: {document['records']} records, protect {', '.join(assembly.microdata.protect)}, "
        f"{document['starting_files']} starting files, measures {', '.join(assembly.problem.measures)}"
        + ("." if model.single else f"; {document['runs']} runs.")
    )
    for sentence in [*found.sentences(), *order_sentences(assembly.source.ordered())] if found is not None else ():
        say(sentence)


def check_data(data: str | None, options: CheckOptions) -> None:
    """Print what the records of a data file, or of a data set, say of themselves."""
    from evosdc.assess.data_check import check_records
    from evosdc.cli.inputs import open_source
    from evosdc.cli.results import print_json
    from evosdc.cli.text import say
    from evosdc.files.row_order import order_sentences
    from evosdc.table.schema import Role
    from evosdc.table.structural_zeros import THRESHOLD

    if not data:
        raise click.UsageError("Missing argument: EXPERIMENT, or --data DATA.")
    if options.settings:
        raise click.UsageError("--set overrides a key of an EXPERIMENT; there is none.")
    source = open_source(data, options.schema_file, options.reading)
    table = source.table
    named = table.schema.named(options.protect or (), "--protect")
    protect = list(named or table.schema.with_role(Role.QUASI_IDENTIFIER))
    found = check_records(table, protect, options.threshold or THRESHOLD)
    ordered = source.ordered()
    if options.as_json:
        print_json(found.to_json() | {"protect": protect, "told_by_order_of_left_out": list(ordered)})
        return
    say(f"{data}: {len(table)} records; masked: {', '.join(protect) or 'nothing'}.")
    for sentence in [*found.sentences(), *order_sentences(ordered)]:
        say(sentence)


@click.command()
@click.argument("run_dir", type=PATH)
@takes_options(ResumeOptions)
def resume(run_dir: Path, options: ResumeOptions) -> None:
    """Go on with a run or study that was stopped, from the last checkpoints, as if it had never stopped.

    Executor and workers may be others than before: the result is the same. Exit status 1 where the file does not fulfil
    what was required when the run began.
    """
    from evosdc.cli.display import display
    from evosdc.experiment.study import resume_study
    from evosdc.plugins.registry import default_registry
    from evosdc.runs.layout import require_run

    require_run(run_dir)
    place = None if options.hosts is None else str(options.hosts.absolute())
    with display(options.quiet or options.as_json) as shown:
        result = outcome(
            run_dir,
            shown,
            lambda: resume_study(
                run_dir,
                default_registry(),
                shown,
                options.force,
                executor=options.executor,
                workers=options.workers,
                hosts=place,
            ),
            options.report,
        )
        report = reported(run_dir, shown) if options.report else None
    conclude(run_dir, result, report, options.as_json)
    leave_by(result, options.as_json)


def leave_by(result: dict[str, Any], as_json: bool, limits: bool = False) -> None:
    """End with exit status 1 where the file must not be published, as its name then says, or a requirement is not met.

    Of a randomised file fresh draws decide. `limits`: or a limit that evosdc set itself. A search keeps these, and a
    file made without one may not.
    """
    from evosdc.assess.verdict import on_verdict, unmet
    from evosdc.cli.text import say
    from evosdc.model.constraint import CONDITIONAL
    from evosdc.runs.layout import REFUSED

    missed = unmet(result, limits)
    for entry in missed if not as_json else ():
        if on_verdict(entry):
            accepts = entry["requirement"] != CONDITIONAL and result["verdict"]["publishable"]
            accepted = f', which "{CONDITIONAL}" would accept' if accepts else ""
            say(f"Requirement NOT met: {entry['requirement']}. The verdict is: {entry['verdict']}{accepted}.", err=True)
    if missed or REFUSED in result["best"]["file"]:
        click.get_current_context().exit(1)


def carry_out(
    model: Any,
    output: Path | None,
    quiet: bool,
    as_json: bool,
    pages: bool,
    seed: "Seed",
    force: bool = False,
) -> dict[str, Any]:
    """Run an experiment with a display, write the report if `pages`, print what came out, and return it.

    `seed` is that of the experiment, or the key that it draws from where it has none. With `force` a run that lies in
    the folder is replaced.
    """
    from evosdc.cli.beginning import seconds_since
    from evosdc.cli.display import display
    from evosdc.experiment.study import run_study
    from evosdc.plugins.registry import default_registry
    from evosdc.runs.layout import free_folder, replacing
    from evosdc.secret import Key

    registry = default_registry()
    path = output if output is not None else free_folder(Path("runs"), model.heading)
    with replacing(path, force), display(quiet or as_json) as shown:
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
