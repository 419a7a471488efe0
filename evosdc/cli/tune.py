"""``evosdc tune``."""

import json
import shlex
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from evosdc.cli.options import DATA, takes_options
from evosdc.cli.text import print_json, say, warn
from evosdc.options.search import TuneOptions
from evosdc.options.written import names_text

if TYPE_CHECKING:
    from evosdc.experiment.assembly import Assembly
    from evosdc.files.source import WriteReport
    from evosdc.model import Masking
    from evosdc.secret import Seed
    from evosdc.tuning.tuner import Tuning

SHOWN = 5  # methods and chains that are printed; the others are in the output of `--json`
LEAST = 0.05  # share of a time that tuning has in any case, however long it took to begin


@click.command()
@click.argument("data", type=DATA)
@takes_options(TuneOptions)
def tune(data: str, options: TuneOptions) -> None:
    """Find the best parameters of every masking method for DATA, a file or the name of a registered data set.

    Shows all methods at their best, each attribute with parameters of its own, and chains of two, with the command that
    repeats each of them. Judges as evosdc protect does, or by the measures that you name. Writes nothing without -o.
    """
    from evosdc.cli.beginning import seconds_since
    from evosdc.cli.display import display
    from evosdc.cli.inputs import data_of
    from evosdc.errors import DataError, Fault
    from evosdc.experiment.assembly import assemble
    from evosdc.experiment.preparation import budget_of, tune_alone
    from evosdc.experiment.protection import protection
    from evosdc.files.atomic import check_writable
    from evosdc.plugins.registry import default_registry
    from evosdc.secret import chosen_seed

    schema, output = options.schema_file, options.output
    tuned = {"methods": options.methods, "evaluations": options.evaluations, "seconds": options.time}
    if output is not None and output.exists():
        raise DataError(Fault(str(output), "a path that exists", "a new folder", "Choose another one."))
    if output is not None:
        check_writable(output)
    experiment = protection(
        data_of(data, schema, options.protect, options.neutralise_formulas, reading=options.reading),
        default_registry(),
        options.as_protection(),
        start={"tuned": {key: value for key, value in tuned.items() if value is not None}},
        harms=not (options.il or options.dr),
    ).model_copy(update={"title": f"Tuning for {Path(data).name}"})
    drawn = chosen_seed(options.seed, options.key)
    assembly = assemble(experiment, default_registry(), drawn)
    assert experiment.start is not None
    assert experiment.start.tuned is not None
    wanted = experiment.start.tuned
    budget = budget_of(wanted, experiment.stop)
    seconds = options.time
    if seconds is not None:
        # What the program, the data and their measures took to load is part of the time that was given.
        seconds = max(seconds - seconds_since(), LEAST * seconds)
        budget = replace(budget, seconds=seconds)
    with display(options.quiet or options.as_json) as shown:
        shown.limited(seconds)
        stopped: list[Tuning] = []
        try:
            found = tune_alone(assembly, wanted, budget, shown.tuning, stopped.append, shown.slow)
        except KeyboardInterrupt:
            for partial in stopped:
                if partial.rows:
                    shown.message("stopping: this is what was found so far")
                    _conclude(partial, assembly, data, options)
            raise
    if not found.rows:
        reasons = "; ".join(f"{name}: {reason}" for name, reason in found.refused.items()) or "no method"
        raise DataError(Fault("tune", reasons, "a masking method that fits the protected attributes"))
    _conclude(found, assembly, data, options)


def _conclude(found: "Tuning", assembly: "Assembly", data: str, options: TuneOptions) -> None:
    """Write the best file and what repeats it where a folder was requested, and print the result."""
    from evosdc.experiment.summaries import alike_in_words
    from evosdc.secret import public

    experiment, schema, output = assembly.experiment, options.schema_file, options.output
    alike = alike_in_words(assembly.microdata.original)
    if alike:
        warn([f"{alike}: no method is better than another one."])
    drawn_from = drawing_words(assembly.seed, options.key, output)
    commands = [command_of(row.masking, data, schema, assembly.microdata.protect, drawn_from) for row in found.rows]
    best = command_of(found.files[0].masking, data, schema, assembly.microdata.protect, drawn_from)
    fitness = experiment.fitness.name
    result = found.to_json() | {"title": experiment.heading, "seed": public(assembly.seed), "fitness": fitness}
    result["protect"] = list(assembly.microdata.protect)
    for row, command in zip(result["methods"], commands, strict=True):
        row["command"] = command
    result["best"]["command"], result["best_file"]["command"] = commands[0], best
    if output is not None:
        written = _write(output, assembly, found, result)
        result["file"] = str(written.path)
        warn(written.warnings)
    if options.as_json:
        print_json(result)
        return
    required = list(map(str, assembly.problem.constraints.listed))
    _print(found, best, fitness, output, public(assembly.seed), required)
    if assembly.microdata.rules is not None:
        say("Records that break edit rules of the schema were repaired before files were judged; evosdc mask does not.")


def drawing_words(seed: "Seed", key_file: Path | None, output: Path | None) -> list[str]:
    """Return the options of a command that name the seed or key of draws; none where the key is not stored."""
    from evosdc.runs.layout import KEY
    from evosdc.secret import public

    known = public(seed)
    if known is not None:
        return ["--seed", str(known)]
    kept = key_file if key_file is not None else output / KEY if output is not None else None
    return [] if kept is None else ["--key", str(kept)]


def command_of(
    masking: "Masking", data: str, schema: Path | None, protect: Sequence[str], drawn_from: Sequence[str]
) -> str:
    """Return the command that makes a file of a masking again; where nothing keeps the key, another draw of it."""
    first, *further = masking.steps
    own = first.attributes or tuple(protect)
    words = ["evosdc", "mask", first.method, data, *(("--schema", str(schema)) if schema is not None else ())]
    words += ["--protect", names_text(own)]
    words += ["--by", names_text(first.by)] if first.by else []
    for key, value in first.params.items():
        words += ["--set", f"{key}={value_text(value)}"]
    for step in further:
        parts = [step.method, *(f"{key}={value_text(value)}" for key, value in step.params.items())]
        theirs = step.attributes or tuple(protect)
        parts += [f"attributes={names_text(theirs)}"] if theirs != own else []
        parts += [f"by={names_text(step.by)}"] if step.by else []
        words += ["--then", shlex.join(parts)]
    draw = ("--draw", str(masking.draw)) if masking.draw and drawn_from else ()
    righted = ("--right-labels", names_text(masking.right_labels)) if masking.right_labels else ()
    moved = ("--move-values", names_text(masking.move_values)) if masking.move_values else ()
    return shlex.join([*words, *righted, *moved, *drawn_from, *draw, "-o", "masked.csv"])


def value_text(value: Any) -> str:
    """Return the text of a parameter that ``--set`` reads as this value again."""
    from evosdc.files.schema.schema_file import value_text as toml_text
    from evosdc.options.written import setting_value

    if isinstance(value, str):
        return value if setting_value(value) == value else json.dumps(value)
    return toml_text(value)


def _write(output: Path, assembly: "Assembly", found: "Tuning", result: dict[str, Any]) -> "WriteReport":
    """Write the best file, all figures, and an experiment that begins with tuned methods; return the written files."""
    from evosdc.experiment.preparation import best_file, with_tuned
    from evosdc.experiment.reader import experiment_text
    from evosdc.files.atomic import make_folder, write_text
    from evosdc.runs.layout import BEST, EXPERIMENT, KEY, TUNING
    from evosdc.secret import Key

    masked = best_file(assembly.problem, assembly.registry, found)
    make_folder(output)
    key = assembly.seed if isinstance(assembly.seed, Key) else Key.fresh()
    key.write(output / KEY)
    path = output / (BEST.removesuffix(".csv") + assembly.source.original.suffix)
    written = assembly.source.write(path, masked)
    start = with_tuned(assembly, list(found.maskings)).experiment
    write_text(output / EXPERIMENT, experiment_text(start))
    write_text(output / TUNING, json.dumps(result, indent=1, ensure_ascii=False, allow_nan=False) + "\n")
    return written


def _print(
    found: "Tuning", best_command: str, fitness: str, output: Path | None, seed: int | None, required: Sequence[str]
) -> None:
    from evosdc.runs.layout import EXPERIMENT, KEY

    best = found.files[0]
    pair = ", ".join(f"{name.upper()} {best.scores[name]:.2f}" for name in ("il", "dr") if name in best.scores)
    scores = f"{_numbers(best.fitness)} by {fitness}{f' ({pair})' if pair else ''}"
    say(f"Best file of all: {best.masking.label} with {scores}.")
    say(f"     {best_command}")
    say(f"{found.evaluations} files masked and judged in {found.seconds:.1f} s. {found.evidence}".rstrip())
    say("Methods at their best, by the mean over the draws of a random one:")
    for number, row in enumerate(found.rows[:SHOWN], 1):
        error = "" if row.error is None else f" ± {row.error:.3f}"
        broken = ", breaks a requirement" if row.scores.get("infeasibility") else ""
        say(f"{number:3d}  {_numbers(row.mean)}{error}  {row.label}{broken}")
    more = len(found.rows) - SHOWN
    where = "--json" if output is None else "tuning.json"
    if more > 0 or found.refused:
        untuned = f"; {len(found.refused)} methods were not tuned" if found.refused else ""
        say(f"{max(more, 0)} more methods and chains{untuned}: {where} has all of them, and the command for each.")
    if required:
        say(f"Files had to meet {'; '.join(required)}.")
    if output is not None:
        say(f"Wrote the best file to {output}, and an experiment that begins a search with the best files:")
        words = ["evosdc", "run", str(output / EXPERIMENT), *(("--key", str(output / KEY)) if seed is None else ())]
        say(f"     {shlex.join(words)}")


def _numbers(values: Sequence[float]) -> str:
    return " ".join(f"{value:.3f}" for value in values)
