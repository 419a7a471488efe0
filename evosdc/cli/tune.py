"""``evosdc tune``."""

import json
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from evosdc.cli.beginning import seconds_since
from evosdc.cli.display import display
from evosdc.cli.inputs import data_of
from evosdc.cli.text import answer, numbers, warn
from evosdc.errors import DataError, Fault
from evosdc.experiment.assembly import Assembly, assemble
from evosdc.experiment.protection import protection
from evosdc.experiment.reader import experiment_text
from evosdc.experiment.summaries import alike_in_words
from evosdc.experiment.tuned_start import best_file, budget_of, tune_alone, with_tuned
from evosdc.files.atomic import check_writable, make_folder, write_text
from evosdc.files.schema.schema_file import value_text as toml_text
from evosdc.model import Masking
from evosdc.options.search import TuneOptions
from evosdc.options.written import names_text, setting_value
from evosdc.plugins.registry import default_registry
from evosdc.runs.layout import EXPERIMENT, KEY, TUNING
from evosdc.secret import Key, chosen_seed, public
from evosdc.tuning.tuner import Tuning

SHOWN = 5  # methods and chains that are printed; the others are in the output of `--json`
LEAST = 0.05  # share of a time that tuning has in any case, however long it took to begin


def tune(options: TuneOptions) -> None:
    """Tune all methods, print them, and write the best file."""
    schema, output = options.schema_file, options.output
    tuned = {"methods": options.methods, "evaluations": options.evaluations, "seconds": options.time}
    if output is not None and output.exists():
        raise DataError(Fault(str(output), "a path that exists", "a new folder", "Choose another one."))
    if output is not None:
        check_writable(output)
    experiment = protection(
        data_of(options.data, schema, options.protect, options.neutralise_formulas, reading=options.reading),
        default_registry(),
        options.as_protection(),
        start={"tuned": {key: value for key, value in tuned.items() if value is not None}},
        harms=not (options.il or options.dr),
    ).model_copy(update={"title": f"Tuning for {Path(options.data).name}"})
    drawn = chosen_seed(options.seed, options.key)
    assembly = assemble(experiment, default_registry(), drawn)
    if output is not None:
        assembly.source.try_writing(output / f"best{assembly.source.original.suffix}")
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
                    _conclude(partial, assembly, options)
            raise
    if not found.rows:
        reasons = "; ".join(f"{name}: {reason}" for name, reason in found.refused.items()) or "no method"
        raise DataError(Fault("tune", reasons, "a masking method that fits the protected attributes"))
    _conclude(found, assembly, options)


def _conclude(found: Tuning, assembly: Assembly, options: TuneOptions) -> None:
    """Write the best file and what repeats it where a folder was requested, and print the result."""
    output, protect, known = options.output, assembly.microdata.protect, public(assembly.seed)
    alike = alike_in_words(assembly.microdata.original)
    if alike:
        warn([f"{alike}: no method is better than another one."])
    kept = options.key if options.key is not None else output / KEY if output is not None else None
    drawn_from = ["--key", str(kept)] if kept is not None else []  # without a key that is stored none is named
    drawn_from = drawn_from if known is None else ["--seed", str(known)]
    maskings = [found.files[0].masking, *(row.masking for row in found.rows)]
    of_file = (options.data, options.schema_file, protect, drawn_from)
    best_command, *commands = [command_of(masking, *of_file) for masking in maskings]
    fitness = assembly.experiment.fitness.name
    result = found.to_json() | {"title": assembly.experiment.heading, "seed": known, "fitness": fitness}
    result["protect"] = list(protect)
    for row, command in zip(result["methods"], commands, strict=True):
        row["command"] = command
    result["best"]["command"], result["best_file"]["command"] = commands[0], best_command
    if output is not None:
        masked = best_file(assembly.problem, assembly.registry, found)
        make_folder(output)
        key = assembly.seed if isinstance(assembly.seed, Key) else Key.fresh()
        key.write(output / KEY)
        written = assembly.source.write(output / f"best{assembly.source.original.suffix}", masked)
        start = with_tuned(assembly, list(found.maskings)).experiment
        write_text(output / EXPERIMENT, experiment_text(start))
        write_text(output / TUNING, json.dumps(result, indent=1, ensure_ascii=False, allow_nan=False) + "\n")
        result["file"] = str(written.path)
        warn(written.warnings)
    answer(options, result, _lines(found, best_command, assembly, output))


def _lines(found: Tuning, best_command: str, assembly: Assembly, output: Path | None) -> Iterator[str]:
    best, required = found.files[0], list(map(str, assembly.problem.constraints.listed))
    pair = ", ".join(f"{name.upper()} {best.scores[name]:.2f}" for name in ("il", "dr") if name in best.scores)
    scores = f"{numbers(best.fitness)} by {assembly.experiment.fitness.name}{f' ({pair})' if pair else ''}"
    yield f"Best file of all: {best.masking.label} with {scores}."
    yield f"     {best_command}"
    yield f"{found.evaluations} files masked and judged in {found.seconds:.1f} s. {found.evidence}".rstrip()
    yield "Methods at their best, by the mean over the draws of a random one:"
    for number, row in enumerate(found.rows[:SHOWN], 1):
        error = "" if row.error is None else f" ± {row.error:.3f}"
        broken = ", breaks a requirement" if row.scores.get("infeasibility") else ""
        yield f"{number:3d}  {numbers(row.mean)}{error}  {row.label}{broken}"
    more = len(found.rows) - SHOWN
    if more > 0 or found.refused:
        untuned = f"; {len(found.refused)} methods were not tuned" if found.refused else ""
        where = "--json" if output is None else "tuning.json"
        yield f"{max(more, 0)} more methods and chains{untuned}: {where} has all of them, and the command for each."
    if required:
        yield f"Files had to meet {'; '.join(required)}."
    if output is not None:
        key = ("--key", str(output / KEY)) if public(assembly.seed) is None else ()
        yield f"Wrote the best file to {output}, and an experiment that begins a search with the best files:"
        yield f"     {shlex.join(['evosdc', 'run', str(output / EXPERIMENT), *key])}"
    if assembly.microdata.rules is not None:
        repaired = "Records that break edit rules of the schema were repaired before files were judged"
        yield f"{repaired}; evosdc mask does not."


def command_of(
    masking: Masking, data: str, schema: Path | None, protect: Sequence[str], drawn_from: Sequence[str]
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
    if isinstance(value, str):
        return value if setting_value(value) == value else json.dumps(value)
    return toml_text(value)
