"""Reading experiments: from files that users write, and from run folders."""

import shlex
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from evosdc.errors import CheckpointError, ExperimentError, Fault, InputError
from evosdc.experiment.config.experiment import Experiment, InvalidExperimentError
from evosdc.experiment.config.recipe_file import with_recipes
from evosdc.options.written import override
from evosdc.runs.layout import RESOLVED, RunFolder


def read_experiment(path: Path, settings: Iterable[str] = ()) -> Experiment:
    """Read and validate an experiment file.

    Parameters
    ----------
    path : Path
        A TOML file; paths in it are relative to its folder.
    settings : iterable of str
        ``KEY=VALUE`` texts that override the file: ``"algorithm.generations=50"``, ``"data.protect=['a', 'b']"``.

    Returns
    -------
    Experiment
        With absolute paths.

    Raises
    ------
    ExperimentError
        With everything that is wrong.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise ExperimentError(
            Fault(str(path), "no such file", "an experiment file", "Check the path; `experiments/` has examples.")
        ) from None
    except (OSError, UnicodeDecodeError) as error:
        if isinstance(error, UnicodeDecodeError) and _seems_data(path):
            raise ExperimentError(_data_fault(path)) from None
        raise ExperimentError(Fault(str(path), f"a file that cannot be read ({error})", "a text file, UTF-8")) from None
    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        if _seems_data(path):
            raise ExperimentError(_data_fault(path)) from None
        raise ExperimentError(Fault(str(path), f"text that is not TOML: {error}", "a TOML file")) from None
    for setting in settings:
        override(document, setting)
    return parse_experiment(document, path.parent, str(path))


def _seems_data(path: Path) -> bool:
    """Whether a file that is no TOML is called otherwise too."""
    return path.suffix.lower() not in ("", ".toml", ".json")


def _data_fault(path: Path) -> Fault:
    advice = f"To check data: {shlex.join(['evosdc', 'check', '--data', str(path)])}"
    return Fault(str(path), "what looks like a data file", "an experiment file, which is TOML", advice)


def experiment_of(folder: RunFolder) -> Experiment:
    """Return the experiment that a run folder holds, with every default filled in.

    Raises
    ------
    CheckpointError
        It is not there, or not whole.
    """
    try:
        return Experiment.model_validate(folder.read_json(RESOLVED))
    except (ValidationError, ExperimentError):
        given, wanted = "a damaged file", "the experiment of a run, as evosdc wrote it"
        raise CheckpointError(Fault(str(folder.file(RESOLVED)), given, wanted, "Begin a new run.")) from None


def parse_experiment(document: Mapping[str, Any], base: Path, where: str = "experiment") -> Experiment:
    """Validate a document and make the paths in it absolute.

    Raises
    ------
    ExperimentError
        With everything that is wrong.
    """
    try:
        return located(Experiment.model_validate(dict(document)), base)
    except InvalidExperimentError as error:
        faults = [replace(fault, where=f"{where}: {fault.where}") for fault in error.faults]
        raise ExperimentError([*faults, *_faults_besides(document, error.keys, base)]) from None


def located(experiment: Experiment, base: Path) -> Experiment:
    """Return the experiment with paths that are relative to a folder made absolute."""
    data = experiment.data
    update: dict[str, Any] = {
        name: (base / path).resolve() for name in ("file", "schema_file", "population") if (path := getattr(data, name))
    }
    update["hierarchies"] = {
        name: (base / rule.expanduser()).resolve() if isinstance(rule, Path) else rule
        for name, rule in data.hierarchies.items()
    }
    start = experiment.start
    if start is not None and start.files:
        files = tuple((base / path.expanduser()).resolve() for path in start.files)
        start = start.model_copy(update={"files": files})
    if start is not None and start.recipes:
        start = with_recipes(start, base)
    sweep = {
        key: tuple(str((base / str(value)).resolve()) for value in values) if key in _SWEPT_PATHS else values
        for key, values in experiment.sweep.items()
    }
    return experiment.model_copy(update={"data": data.model_copy(update=update), "start": start, "sweep": sweep})


_SWEPT_PATHS = ("data.file", "data.schema", "data.population")


def _faults_besides(document: Mapping[str, Any], faulty: frozenset[str], base: Path) -> tuple[Fault, ...]:
    """Return what else is wrong: names, parameters and data under the keys that can be read."""
    from evosdc.experiment.build.assembly import assemble, check_names
    from evosdc.plugins.registry import default_registry

    rest = {key: value for key, value in document.items() if key in Experiment.model_fields and key not in faulty}
    if "stop" in faulty and isinstance(rest.get("algorithm"), dict):
        rest["algorithm"] = {key: value for key, value in rest["algorithm"].items() if key != "generations"}
    known = "data" in rest
    if not known:
        rest["data"] = {"name": "housing"}  # stands in: only names are looked at then
    try:
        experiment = located(Experiment.model_validate(rest), base)
        (assemble if known else check_names)(experiment, default_registry())
    except InputError as error:
        return error.faults
    return ()
