"""Reading experiment files."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from evosdc.errors import ExperimentError, Fault
from evosdc.experiment.model import Experiment
from evosdc.model.parameters import faults_of


def read_experiment(path: Path, settings: Iterable[str] = ()) -> tuple[Experiment, str]:
    """Read and validate an experiment file.

    Parameters
    ----------
    path : Path
        A TOML file; paths in it are relative to its folder.
    settings : iterable of str
        ``KEY=VALUE`` texts that override the file: ``"algorithm.generations=50"``, ``"data.protect=['a', 'b']"``.

    Returns
    -------
    experiment : Experiment
        With absolute paths.
    text : str
        The file as it stands.

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
        raise ExperimentError(Fault(str(path), f"a file that cannot be read ({error})", "a text file, UTF-8")) from None
    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ExperimentError(Fault(str(path), f"text that is not TOML: {error}", "a TOML file")) from None
    for setting in settings:
        override(document, setting)
    return parse_experiment(document, path.parent, str(path)), text


def parse_experiment(document: Mapping[str, Any], base: Path, where: str = "experiment") -> Experiment:
    """Validate a document and make the paths in it absolute.

    Raises
    ------
    ExperimentError
        With everything that is wrong.
    """
    try:
        experiment = Experiment.model_validate(dict(document))
    except ValidationError as error:
        raise ExperimentError(faults_of(error, Experiment, where)) from None
    data = experiment.data
    update = {name: (base / path).resolve() for name in ("file", "schema_file") if (path := getattr(data, name))}
    return experiment.model_copy(update={"data": data.model_copy(update=update)})


def override(document: dict[str, Any], setting: str) -> None:
    """Put one ``KEY=VALUE`` into a document; the value is read as TOML, and as plain text when it is not TOML.

    Raises
    ------
    ExperimentError
        There is no ``=``, or the key leads through something that is not a table.
    """
    key, sign, text = setting.partition("=")
    path = [part.strip() for part in key.split(".")]
    if not sign or not all(path):
        raise ExperimentError(Fault("--set", repr(setting), "KEY=VALUE", "For example --set algorithm.generations=50."))
    target: Any = document
    for part in path[:-1]:
        current = target.get(part)
        if isinstance(current, str) and part in ("genotype", "fitness", "algorithm", "executor"):
            current = target[part] = {"name": current}
        target = target.setdefault(part, {})
        if not isinstance(target, dict):
            raise ExperimentError(Fault("--set", repr(setting), f"a key below a table; {part} is not one"))
    target[path[-1]] = setting_value(text)


def setting_value(text: str) -> Any:
    """Return a value given on the command line: TOML where it is TOML, the text itself otherwise."""
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        return text
