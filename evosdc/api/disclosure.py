"""``evosdc.risk``."""

from collections.abc import Mapping, Sequence
from typing import Any

from evosdc.api.results import RiskFigures
from evosdc.api.tables import as_file, listed
from evosdc.plugins.registry import default_registry
from evosdc.table.table import Table


def risk(
    data: Any,
    models: Sequence[str] | str | Mapping[str, Mapping[str, Any]] | None = None,
    *,
    quasi_identifiers: Sequence[str] | str | None = None,
    sensitive: Sequence[str] | str | None = None,
    weight: str | None = None,
    household: str | None = None,
    missing: str | None = None,
    population: Any = None,
    transitions: Mapping[str, Any] | None = None,
    original: Any = None,
    standing_out: int | None = None,
    records: bool = False,
) -> RiskFigures:
    """Judge what one file, taken by itself, reveals of its respondents.

    Parameters
    ----------
    data : frame or Table
        Roles of a frame are those that ``evosdc init`` proposes.
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
        The population of the respondents, for models that compare with it.
    transitions : mapping of str to array, optional
        Rows of the matrices that attributes were randomised by, for local differential privacy.
    original : frame or Table, optional
        What a perturbed file was made from, record by record. In a perturbed file a record that stands out is no
        re-identification; with the original it is counted how many are right.
    standing_out : int, optional
        How many of the records that stand out are listed by position, with the attributes by which they do.
    records : bool
        Whether to tell of every record, too: ``["record_figures"]`` has a list of numbers by model, in the order of the
        file, of the models that say something of single records.

    Returns
    -------
    RiskFigures
        A dict, with ``verdict``, ``frame`` and ``report(path)``; a notebook shows it as a table. Figures by model;
        under ``not_applicable`` what other models lack; and what the figures hang on: ``records``,
        ``quasi_identifiers``, ``sensitive``, ``weight``, ``household``, ``missing_rule``, ``missing_values``.
        With an original that differs, ``perturbed``: ``changed``, ``unique_records``, ``right``, ``intruder``. With
        `standing_out`, ``standing_out``: ``records``, ``by_size``, ``listed``, ``intruder``.

    Raises
    ------
    InputError
        Unknown models or attributes, parameters refused, or weights that are not positive.

    Examples
    --------
    >>> evosdc.risk(frame, quasi_identifiers=["age", "sex"])["k-anonymity"]["k"]  # doctest: +SKIP
    """
    import numpy as np

    from evosdc.assess.risk import (
        assess,
        intruder_view_of,
        population_description,
        record_figures,
        view_summary,
    )

    known, secret = listed(quasi_identifiers), listed(sensitive)
    table, _ = as_file(data, known)
    people = population
    if people is not None and not isinstance(people, Table):
        from evosdc.files.frame import table_from_frame
        from evosdc.files.frame_kinds import as_pandas

        names = intruder_view_of(table, known, secret, weight, household).quasi_identifiers
        people = table_from_frame(as_pandas(people), population_description(table.schema, names))
    rows = {name: np.asarray(matrix, dtype=np.float64) for name, matrix in (transitions or {}).items()}
    view = intruder_view_of(table, known, secret, weight, household, missing, people, rows)
    registry = default_registry()
    chosen = registry.names("privacy-model") if models is None else [models] if isinstance(models, str) else models
    params = chosen if isinstance(chosen, Mapping) else {name: {} for name in chosen}
    figures = assess(view, params, registry) | view_summary(view)
    if records:
        by_model = record_figures(view, params, registry)
        figures["record_figures"] = {name: column.tolist() for name, column in by_model.items()}
    if original is not None:
        from evosdc.assess.risk import against_original

        made_from, _ = as_file(original, known)
        made_from.schema.require(view.quasi_identifiers, "original")
        told = against_original(made_from, view, registry, "by the original")
        figures |= {"perturbed": told.to_json()} if told is not None else {}
    if standing_out is not None:
        from evosdc.assess.risk import build_models
        from evosdc.assess.risk import standing_out as found_standing_out

        built = list(build_models(params, registry).values())
        found = found_standing_out(view, built, registry)
        figures |= {"standing_out": found.to_json(standing_out)}
    return RiskFigures(figures)
