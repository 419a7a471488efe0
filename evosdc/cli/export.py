"""``evosdc export``."""

import json
import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from evosdc.cli.options import PATH, command_line, takes_options
from evosdc.options.runs import ExportOptions

if TYPE_CHECKING:
    from evosdc.engine.choice import Choice
    from evosdc.experiment.assembly import Assembly
    from evosdc.experiment.members import Member


class MemberCommand(click.Command):
    """A command that takes -1 for the number of a member, which is refused with the numbers that there are."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Return what is left of the words when options and arguments are read."""
        ctx.ignore_unknown_options = any(re.fullmatch(r"-[0-9]+", word) for word in args)
        return super().parse_args(ctx, args)


@click.command(cls=MemberCommand)
@click.argument("run_dir", type=PATH)
@click.argument("member")
@takes_options(ExportOptions)
def export(run_dir: Path, member: str, options: ExportOptions) -> None:
    """Write the protected file of MEMBER of the Pareto front, and a manifest beside it.

    MEMBER is its number in front.csv, 0 for the least loss; or best, the run's own file; knee, balanced, il=20,
    il=20,dr=15. Which record is which stands in the run folder, for you alone.
    """
    from evosdc.cli.results import print_json
    from evosdc.cli.text import say, warn
    from evosdc.experiment.members import in_words, named_member

    output = options.output
    told = exported(run_dir, named_member(member), output, options.neutralise_formulas, options.force, options.shuffle)
    warn(told.warnings)
    if options.as_json:
        print_json(told.document | {"warnings": told.warnings})
        return
    scores = ", ".join(f"{name} {value:.3f}" for name, value in told.document["scores"].items())
    say(f"Wrote {output} and {told.manifest.name}: {in_words(told.document['member'])}, {scores}.")
    if told.document["dropped_identifiers"]:
        say(f"Left out: {', '.join(told.document['dropped_identifiers'])}.")


class Exported(NamedTuple):
    """What was written: the content of the manifest, what is to be warned of, and where the manifest stands."""

    document: dict[str, Any]
    warnings: list[str]
    manifest: Path


def exported(
    run_dir: Path,
    member: "Member | Choice",
    output: Path,
    neutralise: bool = False,
    force: bool = False,
    shuffle: bool = True,
) -> Exported:
    """Write the protected file of a member of a run's front, and a manifest beside it.

    Raises
    ------
    InputError
        The run is not whole, has no such member, or a file may not be written.
    """
    from evosdc.assess.changes import perturbed_values
    from evosdc.cli.inputs import files_read, require_apart
    from evosdc.experiment.members import front_member
    from evosdc.experiment.provenance import input_account, manifest_of
    from evosdc.experiment.release import write_published
    from evosdc.experiment.summaries import scored
    from evosdc.files.atomic import require_unused, write_text
    from evosdc.files.formats import require_writable_format
    from evosdc.plugins.registry import default_registry
    from evosdc.runs.layout import RunFolder
    from evosdc.runs.published import published_faults
    from evosdc.runs.status import require_complete
    from evosdc.secret import PUBLIC_SEED, public

    registry = default_registry()
    require_complete([run_dir])
    assembly, individual, member = front_member(run_dir, member, registry)
    manifest = output.with_name(f"{output.stem}.manifest.json")
    require_writable_format(output, assembly.source)
    targets = (output, manifest)
    for path in targets:
        require_apart(path, *files_read(assembly), *(path for path in run_dir.rglob("*") if path.is_file()))
    require_unused(*targets, replace=force)
    masked = assembly.problem.decode(individual.genome, individual.key)
    genotype, data, source = assembly.problem.genotype, assembly.experiment.data, assembly.source
    omitted = genotype.omitted(individual.genome)
    source = replace(source, neutralise_formulas=source.neutralise_formulas or neutralise)
    crosswalk = run_dir / f"crosswalk-{output.stem}.csv"
    written = write_published(assembly, individual, masked, output, crosswalk, omitted, shuffle, source)
    document = {
        "run": run_dir.resolve().name,
        "member": member,
        **scored(individual),
        "origin": individual.origin,
        "seed": public(assembly.seed),
        "shuffled": shuffle,
        "protect": list(assembly.microdata.protect),
        "changed": dict(written.changed),
        "perturbed": perturbed_values(source.table, masked),
        "dropped_identifiers": list(written.dropped),
        "formulas": dict(written.formulas),
        "neutralised_formulas": written.neutralised,
    }
    if public(assembly.seed) is not None:
        document["not_for_release"] = [PUBLIC_SEED]
    read = input_account(data.name, data.file, data.schema_file, registry, RunFolder(run_dir).key())
    document |= manifest_of(registry, read, output, command_line())
    write_text(manifest, json.dumps(document, indent=1, ensure_ascii=False) + "\n")
    # What is written comes from the checkpoint, and is right whatever became of the published file.
    warnings = [
        *document.get("not_for_release", ()),
        *unprotected_sentences(member, written.changed),
        *schema_sentences(run_dir, assembly),
        *verdict_sentences(run_dir),
        *unjudged_sentences(run_dir, member, document),
        *written.warnings,
        *map(str, published_faults(run_dir)),
    ]
    return Exported(document, warnings, manifest)


def unprotected_sentences(member: "Member", changed: Mapping[str, int]) -> list[str]:
    """Return what is said of a member that has the values of the original; usually nothing."""
    if any(changed.values()):
        return []
    from evosdc.experiment.members import in_words

    told = in_words(member)
    named = f"{told[0].upper()}{told[1:]}"
    return [f"{named} is the original: no value of {', '.join(changed)} was changed, and nobody is protected."]


def schema_sentences(run_dir: Path, assembly: "Assembly") -> list[str]:
    """Return what is said where the schema was changed since the run began; usually nothing."""
    from evosdc.experiment.environment import environment_of, schema_changes
    from evosdc.runs.layout import ENVIRONMENT, RunFolder, read_object

    changes = schema_changes(read_object(run_dir / ENVIRONMENT), environment_of(assembly, RunFolder(run_dir).key()))
    if not changes:
        return []
    told = "; ".join(changes)
    return [
        f"The schema was changed since the run began ({told}): what is left out, and the verdict, may be others now."
    ]


def verdict_sentences(run_dir: Path) -> list[str]:
    """Return what is said where the verdict of a run is that its file is not publishable; usually nothing."""
    from evosdc.runs.layout import RESULT
    from evosdc.runs.result import Result

    if not (run_dir / RESULT).exists():
        return ["The run has not ended, so that there is no verdict yet on whether a file of it may be published."]
    verdict = Result.read(run_dir).verdict
    if verdict.publishable is not False:
        return []
    return [f"The verdict of this run on its best file is {verdict.headline.upper()}: {verdict.reasons[0]}"]


def unjudged_sentences(run_dir: Path, member: "Member", exported: Mapping[str, Any]) -> list[str]:
    """Return what is said of a member that is not the best file, which alone the verdict of a run is about."""
    from evosdc.experiment.members import OWN
    from evosdc.runs.layout import RESULT
    from evosdc.runs.result import Result

    if member == OWN or not (run_dir / RESULT).exists():
        return []
    result = Result.read(run_dir)
    alike = [place for place, entry in enumerate(result.front) if entry.scores == result.best.scores]
    if member in alike:
        return []
    which = f" (member {alike[0]})" if alike else ""
    scores = exported["scores"]
    figures = ", ".join(f"{name.upper()} {scores[name]:.2f}" for name in ("il", "dr") if name in scores)
    return [
        f"The verdict of this run is about its best file{which}; this one was not judged: {figures or 'no IL or DR'}. "
        "evosdc judge tells more."
    ]
