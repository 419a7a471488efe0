"""``evosdc mask``."""

import json
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np

from evosdc._version import __version__
from evosdc.api.masking import prepared
from evosdc.assess.changes import exchanged_sentences, perturbed_values
from evosdc.assess.mask import account_of, mask_file
from evosdc.cli.inputs import files_behind, is_dataset, open_source, require_apart
from evosdc.cli.options import command_line
from evosdc.cli.text import answer, warn
from evosdc.errors import Fault, FaultCollector, ParameterError
from evosdc.experiment.masked_parts import carrying_out
from evosdc.experiment.provenance import input_account, write_manifest
from evosdc.files.atomic import require_unused, write_text
from evosdc.files.formats import require_writable_format
from evosdc.files.published import IN_ORDER, SHUFFLED
from evosdc.files.schema.schema_file import dump_schema, load_schema
from evosdc.files.source import Source
from evosdc.model import Masking, Microdata
from evosdc.model.dividing import Material, Part, innermost
from evosdc.options.masking import MaskOptions
from evosdc.options.written import parameters
from evosdc.plugins.registry import default_registry
from evosdc.runs.layout import manifest_path, schema_path
from evosdc.runs.published import write_crosswalk
from evosdc.secret import PUBLIC_SEED, Key, Seed, chosen_seed, draw_seed, public
from evosdc.table.row_positions import random_order
from evosdc.table.schema import WITHHELD, Attribute, Role, Scale
from evosdc.table.table import MISSING, Table

UNCHANGED = "No value was changed: what was to be masked is published as it was."


def mask(options: MaskOptions) -> None:
    """Write a masked file and its manifest."""
    registry, collect = default_registry(), FaultCollector()
    output, schema, key_file = options.output, options.schema_file, options.key
    crosswalk, shuffle, seed = options.crosswalk, options.shuffle, options.seed
    manifest = manifest_path(output)
    params: dict[str, Any] = {}
    companion: Path | None = None
    source: Source | None = None
    with collect.step():
        params = parameters(options.settings)
        params |= {} if options.equation is None else {"equation": str(options.equation)}
    with collect.step():
        source = open_source(options.data, schema, options.reading)
        require_writable_format(output, source)
    known = None if source is None else source.table.schema
    masking, protect, methods, place = prepared(options.method, params, options, known, collect, otherwise_all=False)
    built = methods[0] if methods else None
    if built is not None and built.companion and not options.then:
        companion = output.with_name(f"{output.stem}.{built.companion}.json")
    named = files_named([step.params for step in masking.steps])
    targets = [path for path in (output, manifest, companion, crosswalk) if path is not None]
    with collect.step():  # all beside one another: what is wrong with the first is said once
        behind = () if source is None else files_behind(source, options.data)
        for path in targets:
            require_apart(path, options.data, schema, key_file, *named.values(), *behind)
    with collect.step():
        if crosswalk is not None and not shuffle:
            advice = "Records keep their order without --shuffle."
            raise ParameterError(Fault("--crosswalk", "a file, and no --shuffle", "both or none", advice))
        if key_file is not None and key_file.absolute() in [path.absolute() for path in targets]:
            raise ParameterError(Fault("--key", "the path of a file that is written", "a path of its own"))
    with collect.step():
        require_unused(*targets, replace=options.force or bool(collect.faults))
    drawn: Seed = 0
    with collect.step():  # a key file is made last, when nothing else is wrong
        drawn = chosen_seed(seed, None if collect.faults else key_file)
    collect.settle()
    assert source is not None
    assert built is not None
    used, weighted = built.params.model_dump(mode="json", exclude_none=True), innermost(built).weighted
    microdata = Microdata(source.table, protect)
    parts: list[int] = []
    with carrying_out(place, output.absolute().parent) as carry_out, method_warnings() as reported:

        def counted(step: Masking, own: Sequence[Part], whole: Material) -> Sequence[Table]:
            parts.append(len(own))
            return carry_out(step, own, whole)

        masked = mask_file(masking, methods, microdata, draw_seed(drawn, options.draw), counted)
    source = replace(source, neutralise_formulas=source.neutralise_formulas or options.neutralise_formulas)
    order = random_order(len(source.table), drawn, options.draw) if shuffle else None
    written = source.write(output, masked.select(protect), order=order)
    described = schema_beside(source, masked.select(protect), schema_path(output), options)
    if crosswalk is not None and order is not None:
        write_crosswalk(crosswalk, order)
    chosen = masking.attributes or protect
    document: dict[str, Any] = {
        "method": options.method,
        "provider": registry.provider("masking-method", options.method),
        "evosdc": __version__,
        "parameters": used,
        "sha256": {key: sha256(path.read_bytes()).hexdigest() for key, path in files_named([used]).items()},
        "by": list(masking.by),
        "weights": list(source.table.schema.with_role(Role.WEIGHT)) if weighted else [],
        "context": list(built.auxiliary_names(source.table.schema, chosen)),
        "seed": public(drawn),
        "draw": options.draw,
        "missing_rule": str(source.table.schema.na),
        "records": len(masked),
        "shuffled": shuffle,
        "parts": parts,
    }
    not_for_release = [*([] if shuffle else [IN_ORDER]), *([] if seed is None else [PUBLIC_SEED])]
    kept = drawn if key_file is not None and isinstance(drawn, Key) else None
    read = input_account(options.data if is_dataset(options.data) else None, Path(options.data), schema, registry, kept)
    document |= {"not_for_release": not_for_release} if not_for_release else {}
    further = {
        "then": [
            {"provider": registry.provider("masking-method", step.method), **step.to_json()}
            for step in masking.steps[1:]
        ],
        "right_labels": list(masking.right_labels),
        "move_values": list(masking.move_values),
        "companion": "" if companion is None else companion.name,
    }
    document |= {key: value for key, value in further.items() if value}
    if companion is not None:
        write_text(companion, json.dumps(account_of(masking, built, microdata), ensure_ascii=False) + "\n")
    perturbed = perturbed_values(source.table, masked.select(protect))
    document = write_manifest(document, written, perturbed, read, command_line(), registry)
    exchanged = exchanged_sentences(microdata.original, masked.select(protect))
    unchanged = [] if any(written.changed.values()) else [UNCHANGED]
    warn([*source.remarks, *reported, *written.warnings, *exchanged, *unchanged])
    changed = ", ".join(f"{name} {count}" for name, count in written.changed.items())
    what = masking.label if any(further[key] for key in ("then", "right_labels", "move_values")) else options.method
    lines = [f"{what}: {len(masked)} records, cells changed: {changed}. Wrote {output} and {manifest.name}."]
    if max(parts) > 1 or innermost(built) is not built:
        lines.append(f"Strata and clusters that were masked by themselves: {', then '.join(map(str, parts))}.")
    if companion is not None:
        lines.append(f"{companion.name} says how records were masked: keep it, and apart from the protected file.")
    lines += dict.fromkeys(built.remarks(microdata.original))
    if described is not None:
        lines.append(f"Its schema, with the roles and the new labels, is {described}: add --schema {described}.")
    lines += [SHUFFLED] if shuffle else []
    lines += [f"Left out: {', '.join(written.dropped)}."] if written.dropped else []
    answer(options, document, [*lines, *not_for_release])


def schema_beside(source: Source, masked: Table, path: Path, options: MaskOptions) -> Path | None:
    """Write the schema of a recoded file and return where; None where that of the original fits, or a file stays."""
    before, after, given = source.table.schema, masked.schema, options.schema_file
    recoded = {a.name for a in after.attributes if a.categories != before[a.name].categories}
    if not recoded or (path.exists() and (not options.force or (given is not None and path.samefile(given)))):
        return None
    said = {} if given is None else load_schema(given).attributes
    rules = {} if source.inference is None else dict(source.inference.rules)
    rules |= {name: one.rule for name, one in said.items() if one.rule is not None}
    kept = [a for a in before.attributes if a.name in recoded or a.role not in WITHHELD]
    attributes = [
        recoded_attribute(source.table, masked, a.name) if a.name in recoded
        else replace(a, hierarchy=None) if a.name in rules else a
        for a in kept
    ]  # fmt: skip
    edit_rules = tuple(rule for rule in before.edit_rules if not recoded & {*rule.names})
    whole = replace(before, attributes=tuple(attributes), edit_rules=edit_rules)
    dump_schema(whole, path, rules={name: rule for name, rule in rules.items() if name not in recoded})
    return path


def recoded_attribute(original: Table, masked: Table, name: str) -> Attribute:
    """Return an attribute with the labels that it was recoded to, in the order of the values that they stand for."""
    before, after, codes = original.schema[name], masked.schema[name], masked.column(name)
    known = np.flatnonzero((codes != MISSING) & ~original.absent(name))
    used = np.unique(codes[codes != MISSING])
    ordered = before.scale is not Scale.NOMINAL
    if ordered:
        values = original.column(name)[known].astype(np.float64)
        means = [values[codes[known] == code].mean() if (codes[known] == code).any() else np.inf for code in used]
        used = used[np.argsort(means, kind="stable")]
    labels = tuple(after.categories[code] for code in used)
    scale = Scale.ORDINAL if ordered else Scale.NOMINAL
    return Attribute(name, before.role, scale, labels, missing=before.missing)


@contextmanager
def method_warnings() -> Iterator[list[str]]:
    """Collect warnings of methods, each sentence once, for the command to print; other warnings pass."""
    reported: list[str] = []
    with warnings.catch_warnings(record=True) as caught:
        yield reported
    for one in caught:
        if one.category is not UserWarning:
            warnings.warn_explicit(one.message, one.category, one.filename, one.lineno)
        elif str(one.message) not in reported:
            reported.append(str(one.message))


def files_named(steps: Iterable[Mapping[str, Any]]) -> dict[str, Path]:
    """Return the files that parameters of some steps name, those of inner methods too, by the parameter's name."""
    found: dict[str, Path] = {}
    for params in steps:
        for key, value in params.items():
            if isinstance(value, str) and Path(value).is_file():
                found[key] = Path(value)
            elif isinstance(value, Mapping):
                found |= {f"{key}.{inner}": path for inner, path in files_named([value]).items()}
    return found
