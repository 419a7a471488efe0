"""``evosdc.risk``."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from evosdc.api.results import RiskFigures
from evosdc.api.tables import as_file
from evosdc.options.inspection import RiskOptions
from evosdc.options.model import read, takes
from evosdc.plugins.registry import default_registry
from evosdc.table.table import Table


@takes(RiskOptions, {"attributes": "quasi_identifiers", "keys": "quasi_identifiers", "protect": "quasi_identifiers"})
def risk(
    data: Any,
    models: Sequence[str] | Mapping[str, Mapping[str, Any]] | None = None,
    *,
    quasi_identifiers: Sequence[str] | None = None,
    sensitive: Sequence[str] | None = None,
    weight: str | None = None,
    household: str | None = None,
    missing: Literal["wildcard", "category", "never"] | None = None,
    population: Any = None,
    transitions: Mapping[str, Any] | None = None,
    original: Any = None,
    standing_out: int | None = None,
    records: bool | None = None,
) -> RiskFigures:
    """Judge what one file, taken by itself, reveals of its respondents.

    Parameters
    ----------
    data : frame or Table
        Roles of a frame are those that ``evosdc init`` proposes.
    {options}

    Returns
    -------
    RiskFigures
        A dict, with ``verdict``, ``frame`` and ``report(path)``; a notebook shows it as a table. Figures by model;
        under ``not_applicable`` what other models lack; and what the figures hang on: ``records``,
        ``quasi_identifiers``, ``sensitive``, ``weight``, ``household``, ``missing_rule``, ``missing_values``.
        With an original that differs, ``perturbed``: ``changed``, ``unique_records``, ``right``, ``intruder``. With
        `standing_out`, ``standing_out``: ``records``, ``by_size``, ``listed``, ``intruder``. With `records`,
        ``record_figures``: a list of numbers by model, in the order of the file.

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

    options = read(RiskOptions, locals())
    asked = (options.quasi_identifiers, options.sensitive, options.weight, options.household)
    table, _ = as_file(data, options.quasi_identifiers)
    people = population
    if people is not None and not isinstance(people, Table):
        from evosdc.files.frame import table_from_frame
        from evosdc.files.frame_kinds import as_pandas

        names = intruder_view_of(table, *asked).quasi_identifiers
        people = table_from_frame(as_pandas(people), population_description(table.schema, names))
    rows = {name: np.asarray(matrix, dtype=np.float64) for name, matrix in (transitions or {}).items()}
    view = intruder_view_of(table, *asked, options.missing, people, rows)
    registry = default_registry()
    chosen = registry.names("privacy-model") if options.models is None else options.models
    params = chosen if isinstance(chosen, Mapping) else {name: {} for name in chosen}
    figures = assess(view, params, registry) | view_summary(view)
    if records:
        by_model = record_figures(view, params, registry)
        figures["record_figures"] = {name: column.tolist() for name, column in by_model.items()}
    if original is not None:
        from evosdc.assess.risk import against_original

        made_from, _ = as_file(original, options.quasi_identifiers)
        made_from.schema.require(view.quasi_identifiers, "original")
        told = against_original(made_from, view, registry, "by the original")
        figures |= {"perturbed": told.to_json()} if told is not None else {}
    if options.standing_out is not None:
        from evosdc.assess.risk import build_models
        from evosdc.assess.risk import standing_out as found_standing_out

        built = list(build_models(params, registry).values())
        found = found_standing_out(view, built, registry)
        figures |= {"standing_out": found.to_json(options.standing_out)}
    return RiskFigures(figures)
