"""``evosdc reproduce``."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from evosdc.cli.options import PATH, json_option

if TYPE_CHECKING:
    from evosdc.plugins.registry import Registry
    from evosdc.reproduction.declaration import ProfileName
    from evosdc.reproduction.reproduction import Reproduction
    from evosdc.reproduction.studies import Study

SHOWN = 20
"""Differences of a study that are printed; --json has all."""


@click.command()
@click.argument("names", nargs=-1, metavar="[STUDY]...")
@click.option("--quick/--full", "quick", default=None, help="A short version (the default), or all of it.")
@click.option("--check", is_flag=True, help="Compare with the stored results; exit status 1 where something differs.")
@click.option("--store", "storing", is_flag=True, help="Run both versions and store their results in place of the old.")
@click.option("-o", "--output", type=PATH, metavar="DIR", help="New folder for the results; default: below runs/.")
@click.option("--studies", "where", type=PATH, metavar="FOLDER", help="Folder of studies; default: experiments.")
@json_option
def reproduce(
    names: tuple[str, ...],
    quick: bool | None,
    check: bool,
    storing: bool,
    output: Path | None,
    where: Path | None,
    as_json: bool,
) -> None:
    """List the studies of the literature, or run STUDY again; without STUDY, but with an option, all of them.

    Results go to a folder of their own. With --check figures are held against the stored ones, within the tolerances of
    the study's declaration, and stored results that other commands or scripts have made are told as stale.
    """
    from evosdc.cli.results import print_json
    from evosdc.errors import Fault, UnknownNameError
    from evosdc.plugins.registry import default_registry
    from evosdc.reproduction.studies import all_studies, studies_folder, study_of

    if storing and (check or quick is not None):
        raise click.UsageError("--store runs both, quick and full, and compares nothing: leave out the other option.")
    registry, folder = default_registry(), studies_folder(where)
    if not names and not (check or storing or quick is not None or output is not None):
        _list(all_studies(folder), registry, as_json)
        return
    chosen: list[Study] = []
    faults: list[Fault] = []
    for name in names:
        try:
            chosen.append(study_of(name, folder))
        except UnknownNameError as error:
            faults += error.faults
    if faults:
        raise UnknownNameError(faults)
    profile: ProfileName = "full" if quick is False else "quick"
    ready = chosen or _at_hand(all_studies(folder), profile, registry, storing)
    found = []
    for study in ready:
        place = output if output is None or len(ready) == 1 else output / study.name
        found.append(_reproduced(study, profile, place, registry, check, storing))
        if not as_json:
            _tell(found[-1])
    if as_json:
        print_json({"reproductions": [one.document() for one in found]})
    if not all(one.holds for one in found):
        raise SystemExit(1)


def _at_hand(studies: "list[Study]", profile: "ProfileName", registry: "Registry", storing: bool) -> "list[Study]":
    """Return the studies whose data are at hand, and name the others."""
    from evosdc.cli.text import say
    from evosdc.reproduction.studies import lacking

    ready = []
    for study in studies:
        missing = lacking(study, "full" if storing else profile, registry)
        if missing:
            say(f"{study.name}: skipped, no {', '.join(missing)} at hand", err=True)
        else:
            ready.append(study)
    return ready


def _reproduced(
    study: "Study", profile: "ProfileName", output: Path | None, registry: "Registry", check: bool, storing: bool
) -> "Reproduction":
    from evosdc.cli.text import say
    from evosdc.reproduction.reproduction import own_folder, reproduce, reproduce_and_store

    if storing:
        place = output or own_folder(study, "stored")
        return reproduce_and_store(study, place, registry, lambda text: say(text, err=True))
    return reproduce(study, profile, output or own_folder(study, profile), registry, check)


def _tell(found: "Reproduction") -> None:
    from evosdc.cli.text import say
    from evosdc.reproduction.comparison import figures

    made = found.made
    count, cells = len(made.results), sum(map(figures, made.results.values()))
    tables = f"{count} {'table' if count == 1 else 'tables'} of {cells} cells"
    say(f"{made.study.name}, {made.profile}: {tables} in {made.folder}, {made.seconds:.0f} s of the processor")
    for one in found.stale:
        say(f"  stale: {one}")
    for one in found.different[:SHOWN]:
        say(f"  differs: {one}")
    if len(found.different) > SHOWN:
        say(f"  differs: {len(found.different) - SHOWN} more")
    if found.checked and found.holds:
        say("  as stored")
    for path in found.stored:
        say(f"  stored: {path}")


def _list(studies: "list[Study]", registry: "Registry", as_json: bool) -> None:
    from rich.table import Table

    from evosdc.cli.results import print_json
    from evosdc.cli.text import print_table, say
    from evosdc.reproduction.reproduction import state

    states = [state(study, registry) for study in studies]
    if as_json:
        print_json({"studies": states})
        return
    shown = Table(title="Studies", title_justify="left")
    for heading in ("study", "source", "quick", "full", "results"):
        shown.add_column(heading, overflow="fold")
    for one in states:
        shown.add_row(one["study"], one["source"], one["times"]["quick"], one["times"]["full"], _standing(one))
    print_table(shown)
    say("evosdc reproduce STUDY --check runs one again, quickly, and compares; times are of the processor.")


def _standing(one: dict[str, Any]) -> str:
    lacking = sorted({name for names in one["lacking"].values() for name in names})
    stored = f"stored {one['stored']}" if one["stored"] else "not stored"
    parts = [stored, *(["stale"] if one["stale"] else []), *([f"needs {', '.join(lacking)}"] if lacking else [])]
    return "; ".join(parts)
