"""``evosdc export``, ``evosdc choose`` and ``evosdc member``: members of the Pareto front of a run."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from evosdc.cli.options import PATH, command_line, takes_options
from evosdc.cli.text import print_json, say, warn
from evosdc.options.runs import ChooseOptions, ExportOptions, MemberOptions

if TYPE_CHECKING:
    from evosdc.engine.choice import Choice
    from evosdc.experiment.assembly import Assembly
    from evosdc.experiment.members import Member


class MemberCommand(click.Command):
    """A command that takes -1 for the number of a member, which is refused with the numbers that there are."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Return the remaining words after options and arguments are read."""
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
    from evosdc.experiment.members import in_words, named_member

    output = options.output
    document, warnings = exported(
        run_dir, named_member(member), output, options.neutralise_formulas, options.force, options.shuffle
    )
    warn(warnings)
    if options.as_json:
        print_json(document | {"warnings": warnings})
        return
    scores = ", ".join(f"{name} {value:.3f}" for name, value in document["scores"].items())
    say(f"Wrote {output} and {output.stem}.manifest.json: {in_words(document['member'])}, {scores}.")
    if document["dropped_identifiers"]:
        say(f"Left out: {', '.join(document['dropped_identifiers'])}.")


def exported(
    run_dir: Path,
    member: "Member | Choice",
    output: Path,
    neutralise: bool = False,
    force: bool = False,
    shuffle: bool = True,
) -> tuple[dict[str, Any], list[str]]:
    """Write the file of a member of a run's front, and a manifest beside it; return the manifest, and warnings."""
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
    for path in (output, manifest):
        require_apart(path, *files_read(assembly), *(path for path in run_dir.rglob("*") if path.is_file()))
    require_unused(output, manifest, replace=force)
    masked = assembly.problem.decode(individual.genome, individual.key)
    genotype, data, source = assembly.problem.genotype, assembly.experiment.data, assembly.source
    omitted = genotype.omitted(individual.genome)
    source = replace(source, neutralise_formulas=source.neutralise_formulas or neutralise)
    crosswalk = run_dir / f"crosswalk-{output.stem}.csv"
    written = write_published(assembly, individual, masked, output, crosswalk, omitted, shuffle, source)
    document: dict[str, Any] = {
        "run": run_dir.resolve().name,
        "member": member,
        **scored(individual).model_dump(),
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
        *_doubts(run_dir, member, document, assembly),
        *written.warnings,
        *map(str, published_faults(run_dir)),
    ]
    return document, warnings


def _doubts(run_dir: Path, member: "Member", document: Mapping[str, Any], assembly: "Assembly") -> Iterator[str]:
    """Yield warnings that an exported file may differ from the user's expectation."""
    from evosdc.experiment.environment import environment_of, schema_changes
    from evosdc.experiment.members import OWN, in_words
    from evosdc.runs.layout import ENVIRONMENT, RESULT, RunFolder, read_object
    from evosdc.runs.result import Result

    if not any(document["changed"].values()):
        named = in_words(member)
        why = f"no value of {', '.join(document['changed'])} was changed, and nobody is protected."
        yield f"{named[0].upper()}{named[1:]} is the original: {why}"
    key = RunFolder(run_dir).key()
    if changes := schema_changes(read_object(run_dir / ENVIRONMENT), environment_of(assembly, key)):
        how = f"({'; '.join(changes)}): what is left out, and the verdict, may be others now."
        yield f"The schema was changed since the run began {how}"
    if not (run_dir / RESULT).exists():
        yield "The run has not ended, so that there is no verdict yet on whether a file of it may be published."
        return
    result = Result.read(run_dir)
    if result.verdict.publishable is False:
        headline = result.verdict.headline.upper()
        yield f"The verdict of this run on its best file is {headline}: {result.verdict.reasons[0]}"
    alike = [place for place, entry in enumerate(result.front) if entry.scores == result.best.scores]
    if member != OWN and member not in alike:
        which, scores = f" (member {alike[0]})" if alike else "", document["scores"]
        figures = ", ".join(f"{name.upper()} {scores[name]:.2f}" for name in ("il", "dr") if name in scores)
        yield (
            f"The verdict of this run is about its best file{which}; this one was not judged: "
            f"{figures or 'no IL or DR'}. evosdc judge tells more."
        )


@click.command(cls=MemberCommand)
@click.argument("run_dir", type=PATH)
@click.argument("member")
@takes_options(ChooseOptions)
def choose(run_dir: Path, member: str, options: ChooseOptions) -> None:
    """Make MEMBER of the Pareto front the best file, in a run folder of its own.

    The protected file, its verdict, second opinion, recipe, report and page for users are then those of the member.
    MEMBER is its number in front.csv, 0 for the least loss; or best, the run's own file; knee, balanced, il=20,
    il=20,dr=15. Nothing is searched again; the run stays as it is.
    """
    from evosdc.cli.display import display
    from evosdc.cli.run import conclude, leave_by, reported
    from evosdc.experiment.members import choose_member, named_member
    from evosdc.plugins.registry import default_registry

    which, output = named_member(member), options.output
    with display(options.as_json) as shown:
        result = choose_member(run_dir, which, output, default_registry(), shown, command_line())
        report = reported(output, shown)
    conclude(output, result, report, options.as_json)
    leave_by(result, options.as_json)


@click.command(cls=MemberCommand)
@click.argument("run_dir", type=PATH)
@click.argument("member")
@takes_options(MemberOptions)
def member(run_dir: Path, member: str, options: MemberOptions) -> None:
    """Say of MEMBER of the Pareto front what the report says of the best file; writes nothing.

    MEMBER is its number in front.csv, 0 for the least loss; or best, the run's own file; knee, balanced, il=20,
    il=20,dr=15.
    """
    from evosdc.assess.intruder import measured_by
    from evosdc.cli.signals import stop_if_asked
    from evosdc.experiment.members import in_words, member_findings, named_member
    from evosdc.plugins.registry import default_registry

    found = member_findings(
        run_dir, named_member(member), default_registry(), options.judge, answered=lambda done, total: stop_if_asked()
    )
    if options.as_json:
        print_json(found)
        return
    scores = ", ".join(f"{name} {value:.3f}" for name, value in found["scores"].items())
    named = in_words(found["member"])
    say(f"{named[0].upper()}{named[1:]} ({found['origin']}): {scores}.")
    for entry in found["cross_tables"]:
        say(f"{entry['attribute']}: {entry['kept']:.1f} % of the records keep their value.")
    if (people := found["records"]) is not None:
        say(
            f"An informed intruder is expected to re-identify {people['expected']:.0f} of {people['records']} people "
            f"({people['percent']:.2f} %, by {measured_by(people)}); "
            f"without protection {people['original_percent']:.2f} %."
        )
        if people.get("at_risk"):
            records = [str(one["record"]) for one in people["at_risk"]]
            more = people["likely"] - len(records)
            say(f"Likelier found than not: records {', '.join(records)}{f' and {more} more' if more > 0 else ''}.")
    if tables := found["analyses"].get("tables", ()):
        say(f"{sum(bool(entry['holds']) for entry in tables)} of {len(tables)} tables hold.")
    if "second_opinion" in found:
        say(str(found["second_opinion"]["verdict"]))
