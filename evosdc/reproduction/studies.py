"""Finding studies: folders below ``experiments`` that declare themselves."""

from dataclasses import dataclass
from pathlib import Path

import evosdc
from evosdc.datasets.storage import data_folder, locate
from evosdc.errors import ExperimentError, Fault, FaultCollector, UnknownNameError, did_you_mean
from evosdc.plugins.registry import Registry
from evosdc.reproduction.declaration import DECLARATION, Declaration, ProfileName, read_declaration

STUDIES = "experiments"


@dataclass(frozen=True)
class Study:
    """A folder that holds a study; its name is the folder's."""

    folder: Path
    declaration: Declaration

    @property
    def name(self) -> str:
        """What it is called on the command line."""
        return self.folder.name


def studies_folder(given: Path | None = None) -> Path:
    """Return the folder of studies: the one that is given, ``experiments`` here, or that of the clone of this package.

    Raises
    ------
    ExperimentError
        There is none: packages are installed without studies.
    """
    own = Path(evosdc.__file__).resolve().parent.parent / STUDIES
    places = [given] if given is not None else [Path.cwd() / STUDIES, own]
    for place in places:
        if any(place.glob(f"*/{DECLARATION}")):
            return place.resolve()
    looked = " and ".join(map(str, places))
    advice = "Clone the repository, and type this in its folder or add --studies FOLDER."
    raise ExperimentError(
        Fault("studies", f"no study in {looked}", f"a folder of folders with a {DECLARATION}", advice)
    )


def all_studies(folder: Path) -> list[Study]:
    """Return all studies of a folder by their names.

    Raises
    ------
    ExperimentError
        Declarations cannot be read, with all faults of all of them.
    """
    found, collector = [], FaultCollector()
    for path in sorted(folder.glob(f"*/{DECLARATION}")):
        with collector.step():
            found.append(Study(path.parent, read_declaration(path.parent)))
    if collector.faults:
        raise ExperimentError(collector.faults)
    return found


def study_of(name: str, folder: Path) -> Study:
    """Return a study by its name.

    Raises
    ------
    UnknownNameError
        There is none of this name.
    ExperimentError
        Its declaration cannot be read.
    """
    names = sorted(path.parent.name for path in folder.glob(f"*/{DECLARATION}"))
    if name not in names:
        advice = did_you_mean(name, names) or "`evosdc reproduce` lists them."
        raise UnknownNameError(Fault("study", repr(name), f"one of {', '.join(names)}", advice))
    return Study(folder / name, read_declaration(folder / name))


def lacking(study: Study, profile: ProfileName, registry: Registry) -> list[str]:
    """Return the data that a profile needs and that are not at hand."""
    known, data = registry.names("dataset"), data_folder()
    missing = []
    for need in study.declaration.profile(profile).needs:
        if need in known:
            there = locate(registry.spec("dataset", need)) is not None  # type: ignore[arg-type]
        else:
            there = data is not None and (data / need).is_dir()
        missing += [] if there else [need]
    return missing


def require_data(study: Study, profile: ProfileName, registry: Registry) -> None:
    """Raise `ExperimentError` where data are not at hand."""
    missing = lacking(study, profile, registry)
    if missing:
        wanted = "data sets at hand"
        advice = (
            "`evosdc datasets fetch NAME` gets those that can be downloaded; EVOSDC_DATA names a folder that has them."
        )
        raise ExperimentError(Fault(f"study {study.name}, {profile}", f"no {', '.join(missing)}", wanted, advice))
