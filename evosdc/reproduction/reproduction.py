"""One study run again, and what is to be said of it."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evosdc.errors import DataError, Fault
from evosdc.plugins.registry import Registry
from evosdc.reproduction.comparison import Difference, figures
from evosdc.reproduction.declaration import PROFILES, ProfileName
from evosdc.reproduction.record import read_record
from evosdc.reproduction.rerun import Rerun, rerun
from evosdc.reproduction.standing import compared, stale
from evosdc.reproduction.storing import store
from evosdc.reproduction.studies import Study, lacking, require_data

RUNS = Path("runs")
Told = Callable[[str], None]


@dataclass(frozen=True)
class Reproduction:
    """A study that was run again.

    Parameters
    ----------
    made : Rerun
    checked : bool
        Whether it was held against what is stored.
    stale : tuple of Difference
        Why stored results cannot be what the study gives now, whatever its figures.
    different : tuple of Difference
        Figures and files that are not as stored.
    stored : tuple of Path
        What was written in place of stored results.
    """

    made: Rerun
    checked: bool = False
    stale: tuple[Difference, ...] = ()
    different: tuple[Difference, ...] = ()
    stored: tuple[Path, ...] = ()

    @property
    def holds(self) -> bool:
        """Whether nothing differs."""
        return not (self.stale or self.different)

    def document(self) -> dict[str, Any]:
        """Return what is said of it as JSON values."""
        told = {
            "study": self.made.study.name,
            "profile": self.made.profile,
            "folder": str(self.made.folder),
            "processor_seconds": self.made.seconds,
            "statuses": list(self.made.statuses),
            "results": {name: figures(path) for name, path in self.made.results.items()},
        }
        if self.checked:
            told["holds"] = self.holds
            told["stale"] = [vars_of(one) for one in self.stale]
            told["differences"] = [vars_of(one) for one in self.different]
        return told | ({"stored": [str(path) for path in self.stored]} if self.stored else {})


def vars_of(one: Difference) -> dict[str, str]:
    """Return a difference as JSON values."""
    return {"file": one.file, "where": one.where, "said": one.said}


def reproduce(
    study: Study, profile: ProfileName, folder: Path, registry: Registry, check: bool = False
) -> Reproduction:
    """Run a study in a new folder, and hold it against what is stored.

    Raises
    ------
    ExperimentError
        Data are not at hand, or what is stored is damaged.
    RunError
        A command of the study failed.
    """
    require_data(study, profile, registry)
    reasons = stale(study) if check else []
    made = rerun(study, profile, new_folder(folder))
    return Reproduction(made, check, tuple(reasons), tuple(compared(made) if check else []))


def reproduce_and_store(study: Study, folder: Path, registry: Registry, told: Told) -> Reproduction:
    """Run a study quickly and in full, in folders below a new one, and put the results in place of those stored.

    Raises
    ------
    ExperimentError
        Data are not at hand, or what is stored is damaged.
    RunError
        A command of the study failed, or a picture was not made.
    """
    for profile in PROFILES:
        require_data(study, profile, registry)
    read_record(study)
    quick = rerun(study, "quick", new_folder(folder / "quick"))
    told(f"{study.name}: quick in {quick.seconds:.0f} s; full takes {study.declaration.full.time} of the processor")
    full = rerun(study, "full", new_folder(folder / "full"))
    return Reproduction(full, stored=tuple(store(quick, full)))


def new_folder(folder: Path) -> Path:
    """Make an empty folder and return its path; raises `DataError` where something is there."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise DataError(Fault(str(folder), "a path that exists", "a new folder", "Choose another one."))
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def own_folder(study: Study, profile: str) -> Path:
    """Return where a study is run if nobody says: below ``runs``, with a number where that is taken."""
    name, number = f"{study.name}-{profile}", 1
    place = RUNS / name
    while place.exists():
        number += 1
        place = RUNS / f"{name}-{number}"
    return place


def state(study: Study, registry: Registry) -> dict[str, Any]:
    """Return what a list of studies tells of one, as JSON values."""
    declared, record = study.declaration, read_record(study)
    return {
        "study": study.name,
        "title": declared.title,
        "source": declared.source,
        "summary": declared.summary,
        "reconstruction": list(declared.reconstruction),
        "times": {name: declared.profile(name).time for name in PROFILES},
        "stored": record["full"]["date"] if record else None,
        "stale": [vars_of(one) for one in stale(study)] if record else [],
        "lacking": {name: lacking(study, name, registry) for name in PROFILES},
    }
