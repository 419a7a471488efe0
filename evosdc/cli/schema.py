"""``evosdc init`` and ``evosdc edit``: the schema file."""

import json
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from evosdc.cli.inputs import files_behind, require_apart
from evosdc.cli.options import PATH, takes_options
from evosdc.cli.text import harmless, print_json, say
from evosdc.files.atomic import require_unused
from evosdc.options.data import EditOptions, InitOptions
from evosdc.options.written import setting_value

if TYPE_CHECKING:
    from evosdc.files.source import Source
    from evosdc.table.schema import Schema


@click.command()
@click.argument("data", type=PATH)
@takes_options(InitOptions)
def init(data: Path, options: InitOptions) -> None:
    """Look at DATA and propose roles, scales and categories in a schema file for you to edit.

    Names of columns are understood in English, German, French, Spanish, Italian, Portuguese, Dutch and Polish; give
    columns with other names their roles. Each proposal stands there with its reason. Hierarchies are proposed for what
    an intruder may know: those of categories are written beside the schema file.
    """
    from evosdc.files.formats import Reading
    from evosdc.files.inference.relations import relations_of
    from evosdc.files.reading import parsed, source_of
    from evosdc.files.schema.schema_file import dump_schema
    from evosdc.table.edit_rules import edit_rules_to_json
    from evosdc.table.row_positions import position_sentences, told_by_position
    from evosdc.table.schema import Role

    output, ask = options.output, options.ask
    require_apart(output, data)
    require_unused(output, replace=options.force)
    read_by = {"encoding": options.encoding, "sheet": options.sheet}
    reading = {key: value for key, value in read_by.items() if value is not None}
    original = parsed(data, Reading(encoding=options.encoding, sheet=options.sheet))
    codes = _given(options.missing, [column.name for column in original.columns])
    source = source_of(original, str(data), None, codes)
    assert source.inference is not None
    open_ = [code for code in source.inference.suspected if not code.certain]
    if open_ and (ask if ask is not None else sys.stdin.isatty() and not options.as_json):
        for code in open_:
            question = f"Does {code.text!r}, in {code.records} records of {code.name}, stand for a missing value?"
            if click.confirm(harmless(question), default=False):
                codes.setdefault(code.name, []).append(code.text)
        source = source_of(original, str(data), None, codes)
    found = source.inference
    assert found is not None
    _require_free(source, found.schema, output, data, options.force)
    of_file = source.notes[: len(source.notes) - len(found.notes)]
    keys = found.schema.with_role(Role.QUASI_IDENTIFIER)
    ordered = position_sentences(told_by_position(source.table, keys))
    related = relations_of(source.table)
    remarks = [*of_file, *found.remarks, *related.sentences, *ordered]
    files = dump_schema(found.schema, output, remarks, found.reasons, found.rules, related.rules, reading)
    if options.as_json:
        roles = {a.name: {"role": str(a.role), "scale": a.scale_word} for a in found.schema.attributes}
        reasons = {name: roles[name] | {"reason": reason} for name, reason in found.reasons.items()}
        suspected = [
            {"attribute": c.name, "text": c.text, "records": c.records} for c in found.suspected if not c.certain
        ]
        written = [str(file) for file in files]
        proposed = edit_rules_to_json(related.rules)
        document = {"files": written, "attributes": reasons, "suspected_missing": suspected, "edit_rules": proposed}
        print_json({**document, "remarks": remarks})
        return
    for note in (*source.notes, *related.sentences, *ordered):
        say(f"- {note}")
    say(
        "Risk is judged by role: masked quasi-identifiers, which an intruder knows, by linkage; masked attributes of "
        "the role sensitive by what an intruder learns about them."
    )
    if len(files) > 1:
        say(f"Hierarchies proposed: {', '.join(str(file) for file in files[1:])}.")
    follow = shlex.join(["evosdc", "protect", str(data), "--schema", str(output)])
    say(f"Wrote {output}: read it, correct it, then run: {follow}")


def _require_free(source: "Source", schema: "Schema", output: Path, data: Path, force: bool) -> None:
    """Raise where a file to write is one that was read, or a hierarchy file is there already."""
    from evosdc.files.schema.schema_file import hierarchy_files

    hierarchies = hierarchy_files(schema, output)
    for path in (output, *hierarchies):
        require_apart(path, data, *files_behind(source, str(data)))
    require_unused(*hierarchies, replace=force, advice="Choose another schema file, or add --force.")


def _given(texts: Sequence[str], names: Sequence[str]) -> dict[str, list[str]]:
    """Return what ``--missing`` says, by column; raises `SchemaError` for texts other than COLUMN=TEXT."""
    from evosdc.errors import Fault, SchemaError, did_you_mean

    codes: dict[str, list[str]] = {}
    faults = []
    for text in texts:
        name, sign, code = text.partition("=")
        if not sign or name not in names:
            advice = did_you_mean(name, names)
            faults.append(Fault("--missing", repr(text), "COLUMN=TEXT with a column of the file", advice))
        codes.setdefault(name, []).append(code)
    if faults:
        raise SchemaError(faults)
    return codes


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
    from evosdc.files.schema.schema_edits import edit_schema, undo_edit

    undo = options.undo
    if undo == bool(attribute):
        raise click.UsageError("Give an ATTRIBUTE with KEY=VALUE, or --undo.")
    if undo:
        step = undo_edit(schema)
        before, after = step.after, step.before
    else:
        assert attribute is not None
        changes: dict[str, Any] = {}  # None for a key without a value
        for setting in settings:
            key, sign, text = setting.partition("=")
            if not sign:
                raise click.UsageError(f"{setting!r} is not KEY=VALUE.")
            changes[key.strip()] = setting_value(text) if text.strip() else None
        if not changes:
            raise click.UsageError("Give KEY=VALUE, such as role=sensitive.")
        step = edit_schema(schema, attribute, changes)
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
