"""``evosdc init`` and ``evosdc edit``: the schema file."""

import json
import re
import shlex
import sys
from collections.abc import Sequence
from typing import Any

import click

from evosdc.cli.inputs import files_behind, require_apart
from evosdc.cli.text import answer, harmless
from evosdc.errors import Fault, SchemaError, did_you_mean
from evosdc.files.atomic import require_unused
from evosdc.files.formats import Reading
from evosdc.files.inference.relations import relations_of
from evosdc.files.schema.schema_edits import edit_schema, undo_edit
from evosdc.files.schema.schema_file import dump_schema, hierarchy_files
from evosdc.files.source import parsed, source_of
from evosdc.options.data import EditOptions, InitOptions
from evosdc.options.written import listed, setting_value
from evosdc.table.edit_rules import edit_rules_to_json
from evosdc.table.row_positions import disclosed_by_order, position_sentences
from evosdc.table.schema import Role

_DECIMAL_COMMA = re.compile(r"\s*missing\s*=\s*(-?[0-9]+),(0+)\s*")


def init(options: InitOptions) -> None:
    """Propose a schema."""
    output, ask = options.output, options.ask
    require_apart(output, options.data)
    original = parsed(options.data, Reading(**options.reading))
    require_unused(output, replace=options.force)
    codes = _given(options.missing, [column.name for column in original.columns])
    source = source_of(original, str(options.data), None, codes)
    assert source.inference is not None
    open_ = [code for code in source.inference.suspected if not code.certain]
    if open_ and (ask if ask is not None else sys.stdin.isatty() and not options.as_json):
        for code in open_:
            question = f"Does {code.text!r}, in {code.records} records of {code.name}, stand for a missing value?"
            if click.confirm(harmless(question), default=False):
                codes.setdefault(code.name, []).append(code.text)
        source = source_of(original, str(options.data), None, codes)
    found = source.inference
    assert found is not None
    hierarchies = hierarchy_files(found.schema, output).values()
    for path in (output, *hierarchies):
        require_apart(path, options.data, *files_behind(source, str(options.data)))
    require_unused(*hierarchies, replace=options.force, advice="Choose another schema file, or add --force.")
    keys = found.schema.with_role(Role.QUASI_IDENTIFIER)
    ordered = position_sentences(disclosed_by_order(source.table, keys))
    related = relations_of(source.table, original.variable_labels)
    remarks = [*source.remarks, *found.remarks, *related.sentences, *ordered]
    files = dump_schema(found.schema, output, remarks, found.reasons, found.rules, related.rules, options.reading)
    roles = {a.name: {"role": str(a.role), "scale": a.scale_word} for a in found.schema.attributes}
    document = {
        "files": [str(file) for file in files],
        "attributes": {name: roles[name] | {"reason": reason} for name, reason in found.reasons.items()},
        "suspected_missing": [
            {"attribute": c.name, "text": c.text, "records": c.records} for c in found.suspected if not c.certain
        ],
        "edit_rules": edit_rules_to_json(related.rules),
        "remarks": remarks,
    }
    lines = [f"- {note}" for note in (*source.notes, *related.sentences, *ordered)]
    lines.append(
        "Risk is judged by role: masked quasi-identifiers, which an intruder knows, by linkage; masked attributes of "
        "the role sensitive by what an intruder learns about them."
    )
    if len(files) > 1:
        lines.append(f"Hierarchies proposed: {', '.join(str(file) for file in files[1:])}.")
    follow = shlex.join(["evosdc", "protect", str(options.data), "--schema", str(output)])
    answer(options, document, [*lines, f"Wrote {output}: read it, correct it, then run: {follow}"])


def _given(texts: Sequence[str], names: Sequence[str]) -> dict[str, list[str]]:
    """Return what ``--missing`` says, by column; raises `SchemaError` for texts other than COLUMN=TEXT,TEXT."""
    codes: dict[str, list[str]] = {}
    faults = []
    for text in texts:
        name, sign, code = text.partition("=")
        if not sign or name not in names:
            advice = did_you_mean(name, names)
            faults.append(Fault("--missing", repr(text), "COLUMN=TEXT,TEXT with a column of the file", advice))
        codes.setdefault(name, []).extend(listed(code) or [code])
    if faults:
        raise SchemaError(faults)
    return codes


def edit(options: EditOptions) -> None:
    """Change one attribute in a schema file."""
    undo = options.undo
    if undo == bool(options.attribute):
        raise click.UsageError("Give an ATTRIBUTE with KEY=VALUE, or --undo.")
    if undo:
        step = undo_edit(options.schema_path)
        before, after = step.after, step.before
    else:
        assert options.attribute is not None
        changes: dict[str, Any] = {}  # None for a key without a value
        for setting in options.settings:
            key, sign, text = setting.partition("=")
            if not sign:
                raise click.UsageError(f"{setting!r} is not KEY=VALUE.")
            changes[key.strip()] = setting_value(text) if text.strip() else None
        if not changes:
            raise click.UsageError("Give KEY=VALUE, such as role=sensitive.")
        step = edit_schema(options.schema_path, options.attribute, changes)
        before, after = step.before, step.after
    shown = {key: (after or {}).get(key) for key in step.changes}
    changed = ", ".join(
        f"{key} taken away" if value is None else f"{key} = {json.dumps(value, ensure_ascii=False)}"
        for key, value in shown.items()
    )
    absent = [key.partition("=")[0].strip() for key in options.settings if not key.partition("=")[2].strip()]
    unchanged = f"no {' and no '.join(absent)} to take away; the file's own count" if absent else "nothing to change"
    where = f"{options.schema_path}: {step.attribute}"
    lines = [f"{where}: taken out again." if undo and after is None else f"{where}: {changed or unchanged}."]
    if before is None and after:
        lines.append(f"The schema said nothing of {step.attribute} before; if that is a slip, --undo takes it back.")
    for typed in options.settings if not undo else ():
        if (found := _DECIMAL_COMMA.fullmatch(typed)) is not None:
            lines.append(
                f"These are two codes, {found[1]} and {found[2]}. For one number with a decimal comma take it back by "
                f"evosdc edit --undo, and type missing={found[1]}"
            )
    answer(options, {"attribute": step.attribute, "before": before, "after": after}, lines)
