"""``evosdc export``, ``evosdc choose`` and ``evosdc member``: members of the Pareto front of a run."""

import shlex
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from evosdc.api.runs import MemberFindings
from evosdc.assess.changes import perturbed_values
from evosdc.assess.intruder import two_way_of
from evosdc.cli.display import display
from evosdc.cli.inputs import files_behind, require_apart
from evosdc.cli.options import command_line
from evosdc.cli.run import conclude, leave_by, reported
from evosdc.cli.signals import stop_if_asked
from evosdc.cli.text import answer, warn
from evosdc.engine.choice import Choice
from evosdc.errors import InputError
from evosdc.experiment.assembly import Assembly
from evosdc.experiment.environment import environment_of, schema_changes
from evosdc.experiment.members import OWN, Member, choose_member, front_member, in_words, member_findings, named_member
from evosdc.experiment.provenance import input_account, write_manifest
from evosdc.experiment.release import write_published
from evosdc.experiment.start import scored
from evosdc.files.atomic import require_unused
from evosdc.files.formats import require_writable_format
from evosdc.model.individual import Individual
from evosdc.options.runs import ChooseOptions, ExportOptions, MemberOptions
from evosdc.plugins.registry import default_registry
from evosdc.report import write_checksum
from evosdc.runs.layout import ENVIRONMENT, REFUSED, RESULT, RunFolder, manifest_path, read_object, refused_name
from evosdc.runs.published import published_faults
from evosdc.runs.result import Result
from evosdc.runs.status import require_complete
from evosdc.secret import PUBLIC_SEED, public


def export(options: ExportOptions) -> None:
    """Write the file of a member of a front."""
    output, member = options.output, named_member(options.member)
    document, warnings, output = exported(
        options.run_dir, member, output, options.neutralise_formulas, options.force, options.shuffle
    )
    warn(warnings)
    scores = ", ".join(f"{name} {value:.3f}" for name, value in document["scores"].items())
    lines = [f"Wrote {output} and {manifest_path(output).name}: {in_words(document['member'])}, {scores}."]
    lines += [f"Left out: {', '.join(document['dropped_identifiers'])}."] if document["dropped_identifiers"] else []
    answer(options, document | {"warnings": warnings}, lines)
    if REFUSED in output.name:
        click.get_current_context().exit(1)


def exported(
    run_dir: Path, member: Member | Choice, output: Path, neutralise: bool = False, force: bool = False,
    shuffle: bool = True,
) -> tuple[dict[str, Any], list[str], Path]:  # fmt: skip
    """Write the file of a member of a run's front, and a manifest beside it; return it, warnings, and the file's path.

    Where the verdict forbids the file, its name says so.
    """
    registry, wanted = default_registry(), member
    require_complete([run_dir])
    assembly, individual, member = front_member(run_dir, member, registry)
    wished, output = output, refused_name(output) if _is_refused(run_dir, individual, assembly) else output
    manifest = manifest_path(output)
    require_writable_format(output, assembly.source)
    for path in (wished, output, manifest):
        require_apart(path, *_files_read(assembly), *(path for path in run_dir.rglob("*") if path.is_file()))
    require_unused(output, manifest, replace=force)
    masked = assembly.problem.decode(individual.genome, individual.key)
    data, source = assembly.experiment.data, assembly.source
    omitted = assembly.problem.genotype.omitted(individual.genome)
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
    }
    if public(assembly.seed) is not None:
        document["not_for_release"] = [PUBLIC_SEED]
    read = input_account(data.name, data.file, data.schema_file, registry, RunFolder(run_dir).key())
    perturbed = perturbed_values(source.table, masked)
    document = write_manifest(document, written, perturbed, read, command_line(), registry)
    result = Result.known(run_dir)
    if result is not None and (wanted == OWN or member in _like_best(result)):
        with suppress(InputError):  # of a published file that was changed, below
            write_checksum(run_dir, output.name, str(document["output"]["sha256"]))
    # What is written comes from the checkpoint, and is right whatever became of the published file.
    warnings = [
        *document.get("not_for_release", ()),
        *_doubts(run_dir, member, document, assembly),
        *written.warnings,
        *map(str, published_faults(run_dir)),
    ]
    return document, warnings, output


def _files_read(assembly: Assembly) -> tuple[Path, ...]:
    """Return the files that a run reads: data, schema, hierarchies, and files that it starts from."""
    experiment = assembly.experiment
    data, start = experiment.data, experiment.start
    named = [
        data.file,
        data.schema_file,
        data.population,
        *data.earlier,
        *(rule for rule in data.hierarchies.values() if isinstance(rule, Path)),
    ]
    named += start.files if start is not None else ()
    return (*filter(None, named), *files_behind(assembly.source, data.name or str(data.file)))


def _is_refused(run_dir: Path, individual: Individual, assembly: Assembly) -> bool:
    """Whether the verdict of a run forbids its files, or a member reveals more people than the audience allows."""
    if not (run_dir / RESULT).exists():
        return False
    revealed, experiment = individual.scores.get(two_way_of(assembly.registry), 0.0), assembly.experiment
    return REFUSED in Result.read(run_dir).best.file or (experiment.released and revealed > experiment.accepted)


def _like_best(result: Result) -> list[int]:
    """Return the members of the front that have the scores and the origin of the best file."""
    best = result.best
    return [at for at, one in enumerate(result.front) if (one.scores, one.origin) == (best.scores, best.origin)]


def _doubts(run_dir: Path, member: Member, document: Mapping[str, Any], assembly: Assembly) -> Iterator[str]:
    """Yield warnings that an exported file may differ from the user's expectation."""
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
    alike = _like_best(result)
    if member != OWN and member not in alike:
        which, scores = f" (member {alike[0]})" if alike else "", document["scores"]
        figures = ", ".join(f"{name.upper()} {scores[name]:.2f}" for name in ("il", "dr") if name in scores)
        yield (
            f"The verdict of this run is about its best file{which}; this one was not judged: "
            f"{figures or 'no IL or DR'}. This judges it: "
            f"{shlex.join(['evosdc', 'choose', str(run_dir), str(member), '-o'])} FOLDER"
        )


def choose(options: ChooseOptions) -> None:
    """Make a member of a front the best file."""
    which, output = named_member(options.member), options.output
    with display(options.as_json) as shown:
        result = choose_member(options.run_dir, which, output, default_registry(), shown, command_line())
        report = reported(output, shown)
    conclude(output, result, report, options.as_json)
    leave_by(result, options.as_json)


def member(options: MemberOptions) -> None:
    """Print what the report would say of a member."""
    found = member_findings(
        options.run_dir, named_member(options.member), default_registry(), options.judge,
        answered=lambda done, total: stop_if_asked(),
    )  # fmt: skip
    answer(options, found, MemberFindings(found).lines())
