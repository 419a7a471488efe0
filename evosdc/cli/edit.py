"""``evosdc edit``."""

import json
from pathlib import Path
from typing import Any

import click

from evosdc.cli.options import PATH, takes_options
from evosdc.options.data import EditOptions


@click.command()
@click.argument("schema", type=PATH)
@click.argument("attribute", required=False)
@click.argument("settings", nargs=-1, metavar="[KEY=VALUE ...]")
@takes_options(EditOptions)
def edit(schema: Path, attribute: str | None, settings: tuple[str, ...], options: EditOptions) -> None:
    """Change what a SCHEMA file says of one ATTRIBUTE: role=sensitive, missing=-9,99 or hierarchy={widths=[5,10]}.

    A key without a value (hierarchy=) is taken away. All other lines stay as they are; the changed one is kept as a
    comment, so that --undo can take the step back.
    """
    from evosdc.cli.results import print_json
    from evosdc.cli.text import say
    from evosdc.files.schema.schema_edits import edit_schema, undo_edit

    undo = options.undo
    if undo == bool(attribute):
        raise click.UsageError("Give an ATTRIBUTE with KEY=VALUE, or --undo.")
    if undo:
        step = undo_edit(schema)
        before, after = step.after, step.before
    else:
        assert attribute is not None
        step = edit_schema(schema, attribute, settings_given(settings))
        before, after = step.before, step.after
    if options.as_json:
        print_json({"attribute": step.attribute, "before": before, "after": after})
        return
    if undo and after is None:
        say(f"{schema}: {step.attribute}: taken out again.")
        return
    shown = {key: (after or {}).get(key) for key in step.changes}
    changed = ", ".join(f"{key} = {json.dumps(value, ensure_ascii=False)}" for key, value in shown.items())
    absent = [key.partition("=")[0].strip() for key in settings if not key.partition("=")[2].strip()]
    unchanged = f"no {' and no '.join(absent)} to take away; the file's own count" if absent else "nothing to change"
    say(f"{schema}: {step.attribute}: {changed or unchanged}.")
    if before is None and after:
        say(f"The schema said nothing of {step.attribute} before; if that is a slip, --undo takes it back.")


def settings_given(settings: tuple[str, ...]) -> dict[str, Any]:
    """Return the keys and values of KEY=VALUE; None for a key without one."""
    from evosdc.options.written import setting_value

    changes: dict[str, Any] = {}
    for setting in settings:
        key, sign, text = setting.partition("=")
        if not sign:
            raise click.UsageError(f"{setting!r} is not KEY=VALUE.")
        changes[key.strip()] = setting_value(text) if text.strip() else None
    if not changes:
        raise click.UsageError("Give KEY=VALUE, such as role=sensitive.")
    return changes
