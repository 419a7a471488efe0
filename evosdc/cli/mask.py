"""``evosdc mask``."""

import json
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import click

from evosdc.cli.options import DATA, Registered, command_line, takes_options
from evosdc.cli.text import print_json, say, warn
from evosdc.options.masking import MaskOptions

UNCHANGED = "No value was changed: what was to be masked is published as it was."


@click.command()
@click.argument("method", type=Registered("masking-method"))
@click.argument("data", type=DATA)
@takes_options(MaskOptions)
def mask(method: str, data: str, options: MaskOptions) -> None:
    """Mask DATA, a file or a registered data set, by METHOD; write the protected file and a manifest beside it.

    A step of work: records keep their order, and nothing is judged. evosdc protect makes a file for release.
    """
    from evosdc._version import __version__
    from evosdc.assess.changes import exchanged_sentences, perturbed_values
    from evosdc.assess.defaults import choose_attributes
    from evosdc.assess.mask import account_of, as_chain, build_steps, mask_file
    from evosdc.cli.inputs import files_behind, is_dataset, open_source, require_apart
    from evosdc.errors import Fault, FaultCollector, ParameterError
    from evosdc.experiment.masked_parts import carrying_out, executor_for_parts
    from evosdc.experiment.maskings import masking_entries, step_of
    from evosdc.experiment.provenance import input_account, manifest_of
    from evosdc.files.atomic import require_unused, write_text
    from evosdc.files.formats import require_writable_format
    from evosdc.files.row_order import IN_ORDER, SHUFFLED
    from evosdc.model import Executor, Masking, Microdata
    from evosdc.model.dividing import Material, Part, innermost
    from evosdc.options.written import parameters
    from evosdc.plugins.registry import default_registry
    from evosdc.runs.published import write_crosswalk
    from evosdc.secret import PUBLIC_SEED, Key, Seed, chosen_seed, draw_seed, public
    from evosdc.table.row_positions import random_order
    from evosdc.table.schema import Role
    from evosdc.table.table import Table

    registry = default_registry()
    output, schema, key_file = options.output, options.schema_file, options.key
    crosswalk, shuffle, seed = options.crosswalk, options.shuffle, options.seed
    manifest = output.with_name(f"{output.stem}.manifest.json")
    collect = FaultCollector()
    params: dict[str, Any] = {}
    companion: Path | None = None
    steps: tuple[Masking, ...] = ()
    with collect.step():
        params = parameters(options.settings)
        params |= {} if options.equation is None else {"equation": str(options.equation)}
    with collect.step():
        built = registry.build("masking-method", method, params)
        used, weighted = built.params.model_dump(mode="json", exclude_none=True), innermost(built).weighted
        companion = output.with_name(f"{output.stem}.{built.companion}.json") if built.companion else None
    with collect.step():
        steps = masking_entries([step_of(step) if isinstance(step, str) else step for step in options.then])
        built_further = build_steps(Masking(method, params, then=steps), registry)[1:]
        companion = None if steps else companion
    place: Executor | None = None
    with collect.step():
        place = executor_for_parts(options.executor_entry(), registry)
    named = files_named([params, *(step.params for step in steps)])
    targets = (output, manifest, companion, crosswalk)
    with collect.step():  # all beside one another: what is wrong with the first is said once
        for path in filter(None, targets):
            require_apart(path, data, schema, key_file, *named.values())
    with collect.step():
        if crosswalk is not None and not shuffle:
            advice = "Records keep their order without --shuffle."
            raise ParameterError(Fault("--crosswalk", "a file, and no --shuffle", "both or none", advice))
        if key_file is not None and key_file.absolute() in [path.absolute() for path in targets if path is not None]:
            raise ParameterError(Fault("--key", "the path of a file that is written", "a path of its own"))
    with collect.step():
        source = open_source(data, schema, options.reading)
        require_writable_format(output, source)
        known = source.table.schema
        by = known.named(options.by or (), "--by")
        righted = known.named(options.right_labels or (), "--right-labels")
        moved = known.named(options.move_values or (), "--move-values")
        chosen = choose_attributes(known, options.protect, otherwise_all=False)
        for path in filter(None, targets):
            require_apart(path, *files_behind(source, data))
    with collect.step():
        require_unused(*filter(None, targets), replace=options.force or bool(collect.faults))
    drawn: Seed = 0
    with collect.step():  # a key file is made last, when nothing else is wrong
        drawn = chosen_seed(seed, None if collect.faults else key_file)
    collect.settle()
    masking = Masking(method, params, by=by, right_labels=righted, move_values=moved)
    masking, protect = as_chain(masking, chosen, steps)
    microdata = Microdata(source.table, protect)
    parts: list[int] = []
    with carrying_out(place, output.absolute().parent) as carry_out, method_warnings() as reported:

        def counted(step: Masking, own: Sequence[Part], whole: Material) -> Sequence[Table]:
            parts.append(len(own))
            return carry_out(step, own, whole)

        masked = mask_file(masking, (built, *built_further), microdata, draw_seed(drawn, options.draw), counted)
    source = replace(source, neutralise_formulas=source.neutralise_formulas or options.neutralise_formulas)
    order = random_order(len(source.table), drawn, options.draw) if shuffle else None
    written = source.write(output, masked.select(protect), order=order)
    if crosswalk is not None and order is not None:
        write_crosswalk(crosswalk, order)
    document: dict[str, Any] = {
        "method": method,
        "provider": registry.provider("masking-method", method),
        "evosdc": __version__,
        "parameters": used,
        "sha256": digests(used),
        "by": list(by),
        "weights": list(source.table.schema.with_role(Role.WEIGHT)) if weighted else [],
        "context": list(built.auxiliary_names(source.table.schema, chosen)),
        "seed": public(drawn),
        "draw": options.draw,
        "missing_rule": str(source.table.schema.na),
        "records": len(masked),
        "shuffled": shuffle,
        "parts": parts,
        "changed": dict(written.changed),
        "perturbed": perturbed_values(source.table, masked.select(protect)),
        "dropped_identifiers": list(written.dropped),
        "formulas": dict(written.formulas),
        "neutralised_formulas": written.neutralised,
    }
    not_for_release = [*([] if shuffle else [IN_ORDER]), *([] if seed is None else [PUBLIC_SEED])]
    if not_for_release:
        document["not_for_release"] = not_for_release
    kept = drawn if key_file is not None and isinstance(drawn, Key) else None
    read = input_account(data if is_dataset(data) else None, Path(data), schema, registry, kept)
    document |= manifest_of(registry, read, output, command_line())
    if steps:
        document["then"] = [
            {"provider": registry.provider("masking-method", step.method), **step.to_json()}
            for step in masking.steps[1:]
        ]
    if righted:
        document["right_labels"] = list(righted)
    if moved:
        document["move_values"] = list(moved)
    if companion is not None:
        account = account_of(masking, built, microdata)
        write_text(companion, json.dumps(account, ensure_ascii=False) + "\n")
        document["companion"] = companion.name
    write_text(manifest, json.dumps(document, indent=1, ensure_ascii=False) + "\n")
    exchanged = exchanged_sentences(microdata.original, masked.select(protect))
    warn([*reported, *written.warnings, *exchanged, *([UNCHANGED] if not any(written.changed.values()) else ())])
    if options.as_json:
        print_json(document)
        return
    changed = ", ".join(f"{name} {count}" for name, count in written.changed.items())
    what = masking.label if steps or righted or moved else method
    say(f"{what}: {len(masked)} records, cells changed: {changed}. Wrote {output} and {manifest.name}.")
    if max(parts) > 1 or innermost(built) is not built:
        say(f"Strata and clusters that were masked by themselves: {', then '.join(map(str, parts))}.")
    if companion is not None:
        say(f"{companion.name} says how records were masked: keep it, and apart from the protected file.")
    for remark in dict.fromkeys(built.remarks(microdata.original)):
        say(remark)
    if shuffle:
        say(SHUFFLED)
    if written.dropped:
        say(f"Left out: {', '.join(written.dropped)}.")
    for sentence in not_for_release:
        say(sentence)


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


def digests(params: dict[str, Any]) -> dict[str, str]:
    """Return the SHA-256 of every file named in a parameter, for the manifest."""
    return {key: sha256(path.read_bytes()).hexdigest() for key, path in files_named([params]).items()}


def files_named(parameters: Iterable[Mapping[str, Any]]) -> dict[str, Path]:
    """Return the files that parameters of some steps name, those of inner methods too, by the parameter's name."""
    found: dict[str, Path] = {}
    for params in parameters:
        for key, value in params.items():
            if isinstance(value, str) and Path(value).is_file():
                found[key] = Path(value)
            elif isinstance(value, Mapping):
                found |= {f"{key}.{inner}": path for inner, path in files_named([value]).items()}
    return found
