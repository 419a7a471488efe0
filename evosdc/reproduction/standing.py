"""Whether what is stored of a study still holds, before and after it is run again."""

from collections.abc import Iterator, Mapping
from typing import Any

from evosdc.reproduction.comparison import Difference, differences
from evosdc.reproduction.declaration import PROFILES
from evosdc.reproduction.record import RECORD, digest, read_record, sources, stored_folder
from evosdc.reproduction.rerun import Rerun
from evosdc.reproduction.studies import Study


def stale(study: Study) -> list[Difference]:
    """Return why stored results cannot be what the study gives now; nothing is run.

    The commands, scripts, experiments and inputs have to be those of which the results were made, and the results
    those that were made.

    Raises
    ------
    ExperimentError
        The record is damaged.
    """
    record = read_record(study)
    if record is None:
        return [Difference(RECORD, "", f"nothing is stored; type evosdc reproduce {study.name} --store")]
    return [*_other_settings(study, record), *_other_results(study, record)]


def _other_settings(study: Study, record: Mapping[str, Any]) -> Iterator[Difference]:
    for profile in PROFILES:
        if list(study.declaration.profile(profile).commands) != record[profile]["commands"]:
            yield Difference("study.toml", "", f"the {profile} commands are not those that were stored")
    before, now = record["sources"], sources(study, record["full"]["results"])
    for name in sorted(before.keys() | now.keys()):
        if name not in now:
            yield Difference(name, "", "has gone since the results were stored")
        elif name not in before:
            yield Difference(name, "", "is new since the results were stored")
        elif now[name] != before[name]:
            yield Difference(name, "", "was changed since the results were stored")


def _other_results(study: Study, record: Mapping[str, Any]) -> Iterator[Difference]:
    for profile in PROFILES:
        folder = stored_folder(study, profile)
        for name, known in record[profile]["results"].items():
            path = folder / name
            shown = path.relative_to(study.folder).as_posix()
            if not path.is_file():
                yield Difference(shown, "", "was stored and is not there")
            elif digest(path) != known:
                yield Difference(shown, "", "was changed by hand since it was stored")


def compared(made: Rerun) -> list[Difference]:
    """Return what differs between a rerun and what is stored: exit statuses, files, and figures within tolerances.

    Raises
    ------
    ExperimentError
        The record is damaged.
    """
    record = read_record(made.study)
    if record is None:
        return []
    stored, found = record[made.profile], []
    if list(made.statuses) != stored["statuses"]:
        said = f"{list(made.statuses)} instead of {stored['statuses']}"
        found.append(Difference("exit status", "", said))
    results, folder = made.results, stored_folder(made.study, made.profile)
    for name in sorted(stored["results"].keys() | results.keys()):
        if name not in results:
            found.append(Difference(name, "", "is stored, and was not made"))
        elif name not in stored["results"]:
            found.append(Difference(name, "", "was made, and is not stored"))
        elif (folder / name).is_file() and digest(results[name]) != digest(folder / name):
            found += differences(folder / name, results[name], made.study.declaration.tolerance)
    return found
