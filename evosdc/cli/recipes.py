"""``evosdc apply`` and ``evosdc explain``."""

from pathlib import Path

import click

from evosdc.cli.options import DATA, PATH, takes_options
from evosdc.cli.text import print_json, say, warn
from evosdc.options.masking import ApplyOptions
from evosdc.options.shared import JsonOptions


@click.command()
@click.argument("recipe", type=PATH)
@click.argument("data", type=DATA)
@takes_options(ApplyOptions)
def apply(recipe: Path, data: str, options: ApplyOptions) -> None:
    """Protect DATA, the next wave of a survey for one, by a RECIPE that a run has left.

    Attributes and frequencies are compared with those of the file that the recipe was made for, and the new file's
    loss, risk and verdict are computed by the recipe's own measures, on DATA. Exit status 1 where a requirement of
    the recipe is not met, or a limit that its search kept.
    """
    from evosdc.cli.inputs import data_of, is_dataset, open_source, require_apart
    from evosdc.cli.members import exported
    from evosdc.cli.run import carry_out, leave_by
    from evosdc.errors import FaultCollector
    from evosdc.experiment.environment import naming_plugins
    from evosdc.experiment.recipe import application, schema_of_recipe, usable_recipe
    from evosdc.files.atomic import require_unused
    from evosdc.files.formats import require_writable_format
    from evosdc.files.schema.schema_file import load_schema
    from evosdc.plugins.registry import default_registry
    from evosdc.printing import printable
    from evosdc.runs.layout import RunFolder, free_folder
    from evosdc.secret import chosen_seed

    output, schema, shuffle = options.output, options.schema_file, options.shuffle
    collect = FaultCollector()
    with collect.step(), naming_plugins(RunFolder(recipe.parent), default_registry()):
        plan = usable_recipe(recipe, default_registry())
    with collect.step():
        source = open_source(data, schema, options.reading)
        if (
            schema is None
            and not is_dataset(data)
            and (known := schema_of_recipe(recipe, source.table.schema.names)) is not None
        ):
            schema = known
            source = open_source(data, schema, options.reading)
        require_writable_format(output, source)
        require_apart(output, data, schema, recipe)
    with collect.step():
        require_unused(output, output.with_name(f"{output.stem}.manifest.json"), replace=options.force)
    collect.settle()
    if options.schema_file is not None and schema is not None:
        described = load_schema(schema).attributes
        warn(
            f"{printable(name)} is not in the schema, so that it is published as it is; evosdc edit {schema} gives it "
            "a role, such as drop."
            for name in source.table.schema.names
            if name not in described
        )
    experiment = application(
        plan,
        data_of(data, schema, None, shuffle=shuffle, reading=options.reading),
        default_registry(),
        options.seed,
        options.unlike,
    )
    path = options.folder or free_folder(Path("runs"), experiment.heading)
    try:
        drawn = chosen_seed(options.seed, options.key)
        result = carry_out(experiment, path, options.quiet, options.as_json, True, drawn)
    except KeyboardInterrupt:
        if path.exists():
            warn([f"{output} is not written. After evosdc resume: evosdc export {path} best -o {output}"])
        raise
    exported(path, 0, output, force=True, shuffle=shuffle)
    if not options.as_json:
        # Without a word how it was judged there is nothing to compare with: the usual measures were taken.
        now, then = result.best.scores, plan.scores if plan.judged else {}
        both = [(name, word) for name, word in (("il", "loss"), ("dr", "risk")) if name in now and name in then]
        kept = ", ".join(f"{word} {now[name]:.2f} (when the recipe was made {then[name]:.2f})" for name, word in both)
        say(f"Recipe of {len(plan.steps)} step{'s' * (len(plan.steps) > 1)}: {kept}. Wrote {output}.")
    leave_by(result, options.as_json, limits=True)


@click.command()
@click.argument("recipe", type=PATH)
@takes_options(JsonOptions)
def explain(recipe: Path, options: JsonOptions) -> None:
    """Say what each step of a RECIPE contributes, on the file that it was made for."""
    from evosdc.experiment.environment import naming_plugins
    from evosdc.experiment.recipe import explanation, usable_recipe
    from evosdc.plugins.registry import default_registry
    from evosdc.runs.layout import RunFolder

    with naming_plugins(RunFolder(recipe.parent), default_registry()):
        plan = usable_recipe(recipe, default_registry())
    if options.as_json:
        print_json(plan.model_dump(mode="json") | {"sentences": list(explanation(plan))})
        return
    for sentence in explanation(plan):
        say(sentence)
