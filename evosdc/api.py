"""The functions of the Python side: read, mask, measure, run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, overload

from evosdc.data.schema import Role, Schema
from evosdc.data.table import Table
from evosdc.errors import DataError, Fault, FaultCollector
from evosdc.registry import default_registry

if TYPE_CHECKING:
    import pandas as pd

    from evosdc.experiment.model import Experiment

DEFAULT_MEASURES = ("dbil", "ctbil", "ebil", "id", "dbrl", "prl")

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
    from evosdc.data.source import read_source

    given = schema if isinstance(schema, Schema) or schema is None else Path(schema)
    return read_source(Path(path), given).table


@overload
def mask(
    data: pd.DataFrame, method: str, *, attributes: Sequence[str] | None = ..., seed: int = ..., **params: Any
) -> pd.DataFrame: ...


@overload
def mask(
    data: Table, method: str, *, attributes: Sequence[str] | None = ..., seed: int = ..., **params: Any
) -> Table: ...


def mask(data: Any, method: str, *, attributes: Sequence[str] | None = None, seed: int = 1, **params: Any) -> Any:
    """Mask a table by one method.

    Parameters
    ----------
    data : DataFrame or Table
        A DataFrame's ordered Categorical columns are ordinal, unordered ones nominal, numbers numeric.
    method : str
        Registered name, for example ``"mdav"``.
    attributes : sequence of str, optional
        What to mask; by default the quasi-identifiers, and where none is declared all attributes but identifiers.
    seed : int
    **params
        Parameters of the method.

    Returns
    -------
    DataFrame or Table
        As given, with the same index and columns.

    Raises
    ------
    InputError
        Unknown method or attribute, parameters refused, or a scale that the method cannot mask.

    Examples
    --------
    >>> protected = evosdc.mask(frame, "mdav", k=3, attributes=["age", "sex"])  # doctest: +SKIP
    """
    if not isinstance(data, Table):
        from evosdc.data.frame import frame_from_table, table_from_frame

        return frame_from_table(data, mask(table_from_frame(data), method, attributes=attributes, seed=seed, **params))
    from evosdc.experiment.start import masked_by
    from evosdc.model import Masking
    from evosdc.seeds import Purpose, stream

    chosen = chosen_attributes(data.schema, attributes)
    registry = default_registry()
    registry.build("masking-method", method, params).require_support(data.select(chosen))
    masked = masked_by(Masking(method, params), data.select(chosen), registry, stream(seed, Purpose.MASK))
    return data.with_columns(masked)


def measure(
    original: Data,
    masked: Data,
    measures: Sequence[str] | Mapping[str, Mapping[str, Any]] = DEFAULT_MEASURES,
    *,
    attributes: Sequence[str] | None = None,
) -> dict[str, float]:
    """Measure a masked table against its original.

    Parameters
    ----------
    original, masked : DataFrame or Table
        Record r of both is the same respondent.
    measures : sequence of str, or mapping of str to mapping
        Registered names; a mapping gives parameters by name.
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
    if isinstance(original, Table) and isinstance(masked, Table):
        before, after = original, masked
    else:
        from evosdc.data.frame import table_from_frame

        before = original if isinstance(original, Table) else table_from_frame(original)
        after = masked if isinstance(masked, Table) else table_from_frame(masked, before.schema)
    if len(before) != len(after):
        raise DataError(
            Fault(
                "masked",
                f"{len(after)} records",
                f"{len(before)} records, as the original has",
                "Both files hold the same respondents in the same order.",
            )
        )
    chosen = chosen_attributes(before.schema, attributes)
    after.schema.require(chosen, "masked")
    before, after = before.select(chosen), after.select(chosen)
    if len(before) == 0:
        raise DataError(Fault("original", "no record", "at least one record"))
    registry = default_registry()
    params = measures if isinstance(measures, Mapping) else {name: {} for name in measures}
    built = {name: registry.build("measure", name, given) for name, given in params.items()}
    collect = FaultCollector()
    for one in built.values():
        with collect.step():
            one.require_support(before)
    collect.settle()
    return {name: float(one.fit(before).score(after)) for name, one in built.items()}


def run(experiment: Experiment, folder: str | Path | None = None) -> dict[str, Any]:
    """Run an experiment, write its report, and return ``result.json``, with the folder's path under ``folder``.

    Parameters
    ----------
    experiment : Experiment
    folder : str or Path, optional
        A new folder for the run; by default one below ``runs`` named after the title.

    Raises
    ------
    InputError
        The experiment cannot be run.
    RunError
        The run failed.
    """
    from evosdc.experiment.document import parse_experiment
    from evosdc.experiment.folder import REPORT, free_folder
    from evosdc.experiment.study import run_study
    from evosdc.report import write_report

    resolved = parse_experiment(experiment.document(), Path.cwd())
    path = Path(folder) if folder is not None else free_folder(Path("runs"), resolved.heading)
    result = run_study(resolved, path, default_registry())
    write_report([path], path / REPORT)
    return result | {"folder": str(path)}


def chosen_attributes(schema: Schema, attributes: Sequence[str] | None) -> tuple[str, ...]:
    """Return the attributes to work on: those given, else the quasi-identifiers, else all but identifiers.

    Raises
    ------
    SchemaError
        Attributes that the schema lacks.
    """
    if attributes is not None:
        schema.require(attributes)
        return tuple(attributes)
    quasi = schema.with_role(Role.QUASI_IDENTIFIER)
    return quasi or tuple(a.name for a in schema.attributes if a.role is not Role.IDENTIFIER)
