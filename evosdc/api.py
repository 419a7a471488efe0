"""The functions of the Python side: read, mask, measure, judge, assess risk, run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, overload

from evosdc.errors import Fault, FaultCollector, ParameterError
from evosdc.plugins.registry import Registry, default_registry
from evosdc.table.schema import Schema
from evosdc.table.table import Table

if TYPE_CHECKING:
    import pandas as pd

    from evosdc.calls.second_opinion import SecondOpinion
    from evosdc.experiment.config.experiment import Experiment

Data = TypeVar("Data", "pd.DataFrame", Table)


def read_table(path: str | Path, schema: str | Path | Schema | None = None) -> Table:
    """Read a data file.

    Parameters
    ----------
    path : str or Path
        CSV, TSV or another separated text file, or Parquet.
    schema : str, Path or Schema, optional
        A schema file or a schema; inferred from the data when not given.

    Raises
    ------
    InputError
        The file or the schema cannot be used; the error names every fault.
    """
    from evosdc.files.source import read_source

    given = schema if isinstance(schema, Schema) or schema is None else Path(schema)
    return read_source(Path(path), given).table


@overload
def mask(
    data: pd.DataFrame,
    method: str,
    *,
    attributes: Sequence[str] | str | None = ...,
    by: Sequence[str] | str | None = ...,
    seed: int = ...,
    **params: Any,
) -> pd.DataFrame: ...


@overload
def mask(
    data: Table,
    method: str,
    *,
    attributes: Sequence[str] | str | None = ...,
    by: Sequence[str] | str | None = ...,
    seed: int = ...,
    **params: Any,
) -> Table: ...


def mask(
    data: Any,
    method: str,
    *,
    attributes: Sequence[str] | str | None = None,
    by: Sequence[str] | str | None = None,
    seed: int = 1,
    **params: Any,
) -> Any:
    """Mask a table by one method.

    Parameters
    ----------
    data : DataFrame or Table
        A DataFrame's ordered Categorical columns are ordinal, unordered ones nominal, numbers numeric.
    method : str
        Registered name, for example ``"mdav"``.
    attributes : sequence of str, optional
        What to mask; by default the quasi-identifiers, and where none is declared all attributes but identifiers.
    by : sequence of str, optional
        Attributes that form strata; each stratum, the records that agree on all of them, is masked on its own.
    seed : int
    **params
        Parameters of the method.

    Returns
    -------
    DataFrame or Table
        As given, with the same index and columns. A method that generalises publishes labels of its own.

    Raises
    ------
    InputError
        Unknown method or attribute, parameters refused, or a scale that the method cannot mask.

    Examples
    --------
    >>> protected = evosdc.mask(frame, "mdav", k=3, attributes=["age", "sex"])  # doctest: +SKIP
    """
    require_seed(seed)
    if not isinstance(data, Table):
        from evosdc.files.frame import frame_from_table, table_from_frame

        table = table_from_frame(data)
        return frame_from_table(data, mask(table, method, attributes=attributes, by=by, seed=seed, **params))
    from evosdc.calls.attributes import chosen_attributes
    from evosdc.calls.masking import masked_by
    from evosdc.model import Masking, Microdata
    from evosdc.seeds import Purpose, stream

    registry = default_registry()
    collect = FaultCollector()
    with collect.step():
        built = registry.build("masking-method", method, params)
    with collect.step():
        chosen = chosen_attributes(data.schema, listed(attributes))
    collect.settle()
    microdata = Microdata(data, chosen)
    built.require_support(microdata.original, f"method {method}")
    built.require_fit(microdata.original)
    masking = Masking(method, params, by=tuple(listed(by) or ()))
    return data.with_columns(masked_by(masking, microdata, registry, stream(seed, Purpose.MASK)))


def measure(
    original: Data,
    masked: Data,
    measures: Sequence[str] | str | Mapping[str, Mapping[str, Any]] | None = None,
    *,
    attributes: Sequence[str] | str | None = None,
) -> dict[str, float]:
    """Measure a masked table against its original.

    Generalised tables, whose labels leave the original's categories, are judged by the losses of generalisation.

    Parameters
    ----------
    original, masked : DataFrame or Table
        Record r of both is the same respondent.
    measures : sequence of str, or mapping of str to mapping
        Registered names; a mapping gives parameters by name. By default those usual for the scales of the attributes.
    attributes : sequence of str, optional
        What is judged; by default the quasi-identifiers, and where none is declared all attributes but identifiers.

    Returns
    -------
    dict of str to float
        By measure.

    Raises
    ------
    InputError
        Tables of different shape, unknown measures or attributes, or a scale that a measure cannot judge.
    """
    from evosdc.calls.measurement import judgement

    registry = default_registry()
    named = {measures: {}} if isinstance(measures, str) else measures
    params = named if named is None or isinstance(named, Mapping) else {name: {} for name in named}
    before = original if isinstance(original, Table) else _table(original)
    after = (
        masked if isinstance(masked, Table) else _version(masked, before.schema, _reads_generalised(params, registry))
    )
    return dict(judgement(before, after, params, listed(attributes), registry).scores)


def judge(
    original: Data,
    masked: Data,
    *,
    protect: Sequence[str] | str | None = None,
    claimed: float | Mapping[str, float] | None = None,
    judges: Sequence[str] | str | None = None,
    seed: int = 1,
) -> SecondOpinion:
    """Return a second opinion on a masked table, by judges that took no part in making it.

    Parameters
    ----------
    original, masked : DataFrame or Table
        Record r of both is the same respondent.
    protect : sequence of str, optional
        What was masked; by default the quasi-identifiers, and whatever else differs.
    claimed : float or mapping of str to float, optional
        The risk that is claimed, in per cent, or by family of judges (``linkage``, ``guess``). By default what the
        informed measures say of the file.
    judges : sequence of str, optional
        Measures to ask; by default all judges.
    seed : int
        Of the halves and samples that judges draw.

    Raises
    ------
    InputError
        Tables of different shape, unknown judges or attributes, or a claim that is no percentage.

    Examples
    --------
    >>> evosdc.judge(frame, protected, protect=["age", "sex"]).verdict.sentence  # doctest: +SKIP
    """
    from evosdc.calls.judging import judged

    require_seed(seed)
    before = original if isinstance(original, Table) else _table(original)
    after = masked if isinstance(masked, Table) else _version(masked, before.schema, False)
    return judged(
        before,
        after,
        listed(protect),
        registry=default_registry(),
        judges=listed(judges),
        claimed=claimed,
        seed=seed,
    )


def risk(
    data: pd.DataFrame | Table,
    models: Sequence[str] | str | Mapping[str, Mapping[str, Any]] | None = None,
    *,
    quasi_identifiers: Sequence[str] | str | None = None,
    sensitive: Sequence[str] | str | None = None,
    weight: str | None = None,
    household: str | None = None,
    missing: str | None = None,
    population: pd.DataFrame | Table | None = None,
    transitions: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Judge what one file, taken by itself, reveals of its respondents.

    Parameters
    ----------
    data : DataFrame or Table
    models : sequence of str, or mapping of str to mapping, optional
        Registered privacy models; a mapping gives parameters by name. By default all.
    quasi_identifiers : sequence of str, optional
        What an intruder knows; by default as the schema declares, and where it declares none all attributes but
        identifiers, sensitive ones, weights and households.
    sensitive : sequence of str, optional
        What an intruder wants to learn; by default as the schema declares.
    weight, household : str, optional
        Attributes of sampling weights and of households; by default as the schema declares.
    missing : {"wildcard", "category", "never"}, optional
        What a missing value equals: anything, other missing values, or nothing; by default as the schema says.
    population : DataFrame or Table, optional
        The population of the respondents, for delta-presence.
    transitions : mapping of str to array, optional
        Rows of the matrices that attributes were randomised by, for local differential privacy.

    Returns
    -------
    dict
        Figures by model; under ``not_applicable`` what other models lack; and what the figures hang on: ``records``,
        ``quasi_identifiers``, ``sensitive``, ``weight``, ``household``, ``missing_rule``, ``missing_values``.

    Raises
    ------
    InputError
        Unknown models or attributes, parameters refused, or weights that are not positive.

    Examples
    --------
    >>> evosdc.risk(frame, quasi_identifiers=["age", "sex"])["k-anonymity"]["k"]  # doctest: +SKIP
    """
    import numpy as np

    from evosdc.calls.disclosure import assessed, population_description, release_of, seen_as

    table = data if isinstance(data, Table) else _table(data)
    known, secret = listed(quasi_identifiers), listed(sensitive)
    people = population
    if people is not None and not isinstance(people, Table):
        from evosdc.files.frame import table_from_frame

        names = release_of(table, known, secret, weight, household).quasi_identifiers
        people = table_from_frame(people, population_description(table.schema, names))
    rows = {name: np.asarray(matrix, dtype=np.float64) for name, matrix in (transitions or {}).items()}
    release = release_of(table, known, secret, weight, household, missing, people, rows)
    registry = default_registry()
    chosen = registry.names("privacy-model") if models is None else [models] if isinstance(models, str) else models
    params = chosen if isinstance(chosen, Mapping) else {name: {} for name in chosen}
    return assessed(release, params, registry) | seen_as(release)


def _table(frame: Any) -> Table:
    from evosdc.files.frame import table_from_frame

    return table_from_frame(frame)


def _version(frame: Any, schema: Schema, generalised: bool) -> Table:
    """Return the table of a masked frame; one that may be generalised keeps labels that the original does not have."""
    from evosdc.files.frame import columns_of, table_from_frame
    from evosdc.files.widening import widened

    known = widened(schema, [part.column for part in columns_of(frame)]) if generalised else schema
    return table_from_frame(frame, known)


def _reads_generalised(params: Mapping[str, Mapping[str, Any]] | None, registry: Registry) -> bool:
    """Whether one of the measures judges generalised tables; unknown names are refused elsewhere."""
    known = [name for name in params or () if name in registry.names("measure")]
    return any(registry.implementation("measure", name).generalised for name in known)


def run(
    experiment: Experiment | Mapping[str, Any],
    folder: str | Path | None = None,
    *,
    data: pd.DataFrame | Table | None = None,
) -> dict[str, Any]:
    """Run an experiment, write its report, and return ``result.json``, with the folder's path under ``folder``.

    Parameters
    ----------
    experiment : Experiment or mapping
        A mapping says what an experiment file says.
    folder : str or Path, optional
        A new folder for the run; by default one below ``runs`` named after the title.
    data : DataFrame or Table, optional
        The confidential file, in place of a source in the experiment, which is then a mapping. Schema as in `mask`. A
        copy is written to the run's folder, so that the run can be resumed.

    Raises
    ------
    InputError
        The experiment cannot be run.
    RunError
        The run failed.
    """
    from evosdc.experiment.config.reader import parse_experiment
    from evosdc.experiment.study.study import run_study
    from evosdc.report import write_report
    from evosdc.runs.layout import REPORT, free_folder

    document = dict(experiment) if isinstance(experiment, Mapping) else experiment.document()
    path = Path(folder) if folder is not None else None
    if data is not None:
        from evosdc.experiment.run.own_data import with_own_data
        from evosdc.files.frame import table_from_frame

        path = path or free_folder(Path("runs"), str(document.get("title", "experiment")))
        document = with_own_data(document, data if isinstance(data, Table) else table_from_frame(data), path)
    resolved = parse_experiment(document, Path.cwd())
    path = path or free_folder(Path("runs"), resolved.heading)
    result = run_study(resolved, path, default_registry())
    write_report([path], path / REPORT)
    return result | {"folder": str(path)}


def listed(names: Sequence[str] | str | None) -> list[str] | None:
    """Return names as a list; a single text is one name, and None stays None."""
    return [names] if isinstance(names, str) else None if names is None else list(names)


def require_seed(seed: Any) -> None:
    """Raise `ParameterError` when a seed is no whole number from 0."""
    if isinstance(seed, bool) or not isinstance(seed, int) or seed < 0:
        raise ParameterError(Fault("seed", repr(seed), "a whole number from 0"))
