"""``evosdc apply`` and ``evosdc explain``."""

from pathlib import Path

from evosdc.cli.inputs import data_of, is_dataset, open_source, require_apart
from evosdc.cli.members import exported
from evosdc.cli.run import carry_out, leave_by
from evosdc.cli.text import answer, say, warn
from evosdc.errors import FaultCollector
from evosdc.experiment.environment import naming_plugins
from evosdc.experiment.recipe import application, explanation, schema_of_recipe, usable_recipe
from evosdc.files.atomic import require_unused
from evosdc.files.formats import Reading, require_writable_format
from evosdc.files.schema.schema_file import load_schema
from evosdc.files.source import parsed
from evosdc.options.masking import ApplyOptions, ExplainOptions
from evosdc.plugins.registry import default_registry
from evosdc.printing import printable
from evosdc.report.wording import listing
from evosdc.runs.layout import RELEASE, RunFolder, free_folder, manifest_path, refused_name
from evosdc.secret import chosen_seed


def apply(options: ApplyOptions) -> None:
    """Protect a file by a recipe."""
    output, schema, shuffle = options.output, options.schema_file, options.shuffle
    collect = FaultCollector()
    with collect.step(), naming_plugins(RunFolder(options.recipe.parent), default_registry()):
        plan = usable_recipe(options.recipe, default_registry())
    with collect.step():
        if schema is None and not is_dataset(options.data):
            # A wave is read as the first one was: its own values may suggest other scales.
            columns = parsed(Path(options.data), Reading(**options.reading)).columns
            schema = schema_of_recipe(options.recipe, [column.name for column in columns])
        source = open_source(options.data, schema, options.reading)
        require_writable_format(output, source)
        require_apart(output, options.data, schema, options.recipe)
    with collect.step():
        for path in (output, refused_name(output)):
            require_unused(path, manifest_path(path), replace=options.force)
    collect.settle()
    if options.schema_file is not None and schema is not None:
        described = load_schema(schema).attributes
        warn(
            f"{printable(name)} is not in the schema, so that it is published as it is; evosdc edit {schema} gives it "
            "a role, such as drop."
            for name in source.table.schema.names
            if name not in described
        )
    described_data = data_of(options.data, schema, None, shuffle=shuffle, reading=options.reading)
    experiment = application(plan, described_data, default_registry(), options.seed, options.unlike)
    warn([*source.remarks, *([plan.beside] if plan.beside else [])])
    path = options.folder or free_folder(Path("runs"), experiment.heading)
    try:
        drawn = chosen_seed(options.seed, options.key)
        result = carry_out(experiment, path, options.quiet, options.as_json, True, drawn)
    except KeyboardInterrupt:
        if path.exists():
            warn([f"{output} is not written. After evosdc resume: evosdc export {path} best -o {output}"])
        raise
    _, _, output = exported(path, 0, output, force=True, shuffle=shuffle)
    single = RunFolder(path).read_object(RELEASE, "evidence")["evidence"]["single_valued"]
    if single:
        warn(
            [f"{listing(single)} {'keeps' if len(single) == 1 else 'keep'} a single value: nothing is left to analyse."]
        )
    if not options.as_json:
        # Without a word how it was judged there is nothing to compare with: the usual measures were taken.
        now, then = result.best.scores, plan.scores if plan.judged else {}
        both = [(name, word) for name, word in (("il", "loss"), ("dr", "risk")) if name in now and name in then]
        kept = ", ".join(f"{word} {now[name]:.2f} (when the recipe was made {then[name]:.2f})" for name, word in both)
        refused = " The verdict forbids to publish it." if result.verdict.publishable is False else ""
        say(f"Recipe of {len(plan.steps)} step{'s' * (len(plan.steps) > 1)}: {kept}. Wrote {output}.{refused}")
    leave_by(result, options.as_json, limits=True)


def explain(options: ExplainOptions) -> None:
    """Print the contribution of each step."""
    with naming_plugins(RunFolder(options.recipe.parent), default_registry()):
        plan = usable_recipe(options.recipe, default_registry())
    answer(options, plan.model_dump(mode="json") | {"sentences": list(explanation(plan))}, explanation(plan))
