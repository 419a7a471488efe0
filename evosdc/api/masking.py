"""``evosdc.mask``."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, TypeVar

from evosdc.api.tables import (
    KNOWN_AS,
    SchemaLike,
    as_given,
    as_table,
    chosen_of,
    held_once,
    listed,
    without_identifiers,
)
from evosdc.assess.defaults import choose_attributes
from evosdc.assess.mask import as_chain, build_steps, mask_file
from evosdc.errors import FaultCollector
from evosdc.experiment.masked_parts import carrying_out, executor_for_parts
from evosdc.model import Executor, Masking, MaskingMethod, Microdata
from evosdc.model.parameters import parse_parameters
from evosdc.options.masking import MaskOptions
from evosdc.options.model import parted, read, takes
from evosdc.plugins.registry import default_registry
from evosdc.secret import Seed, chosen_seed, draw_seed
from evosdc.table.schema import Schema
from evosdc.table.table import Table

Data = TypeVar("Data")


@takes(MaskOptions, KNOWN_AS)
def mask(data: Data, method: str, *, schema: SchemaLike = None, **params: Any) -> Data:
    """Mask a table by one method, or by several one after the other.

    An intermediate step: records keep their order and index, and there is no verdict. For release use `protect`.

    Parameters
    ----------
    data : frame or Table
        Of pandas, Polars, PyArrow or another library that narwhals knows. Ordered categories are ordinal,
        unordered ones nominal, numbers numeric.
    method : str
        Registered name, for example ``"mdav"``.
    schema : str, Path or Schema, optional
        A schema file or a schema, for a frame.
    {options}
    **params
        Parameters of the method.

    Returns
    -------
    frame or Table
        As given, with the same index and columns, but for identifiers, which are left out unless they are named. A
        method that generalises publishes labels of its own.

    Examples
    --------
    >>> protected = evosdc.mask(frame, "mdav", k=3, protect=["age", "sex"])  # doctest: +SKIP
    """
    given, params = parted(MaskOptions, params)
    options = read(MaskOptions, given)
    drawn = draw_seed(chosen_seed(options.seed, options.key), options.draw)
    frame = held_once(data, schema)
    if isinstance(data, Table):
        return _masked(data, method, options, params, drawn)  # type: ignore[return-value]
    table = as_table(frame)
    names = chosen_of(frame, table, options.protect, warn=False)
    masked = _masked(table, method, options.model_copy(update={"protect": names}), params, drawn)
    steps = [step for step in options.then if isinstance(step, Mapping)]
    further = [name for step in steps for name in listed(step.get("attributes")) or ()]
    kept = without_identifiers(frame, table, {*names, *(options.by or ()), *further})
    published: Data = as_given(frame, masked, kept, neutralise=options.neutralise_formulas)
    return published


def _masked(data: Table, method: str, options: MaskOptions, params: Mapping[str, Any], seed: Seed) -> Table:
    collect = FaultCollector()
    masking, protect, methods, place = prepared(method, params, options, data.schema, collect)
    collect.settle()
    with carrying_out(place) as carry_out:
        return mask_file(masking, methods, Microdata(data, protect), seed, carry_out)


def _further(options: MaskOptions) -> tuple[Masking, ...]:
    """Return the further steps of a masking."""
    from evosdc.experiment.experiment import MaskingEntry, step_of  # other maskings need nothing of experiments

    given = [step_of(step) if isinstance(step, str) else step for step in options.then]
    entries = [parse_parameters(MaskingEntry, one, f"then: step {place}") for place, one in enumerate(given, 1)]
    return tuple(entry.masking for entry in entries)


def prepared(
    method: str, params: Mapping[str, Any], options: MaskOptions, schema: Schema | None, collect: FaultCollector,
    otherwise_all: bool = True,
) -> tuple[Masking, tuple[str, ...], tuple[MaskingMethod, ...], Executor | None]:  # fmt: skip
    """Return a masking, the attributes that it masks, its methods, and where it is carried out."""
    # Faults are collected, so that all are said at once. Without a schema, which is one of them, no attribute is known.
    registry, first = default_registry(), Masking(method, dict(params))
    chosen: tuple[str, ...] = ()
    further: tuple[Masking, ...] = ()
    methods: tuple[MaskingMethod, ...] = ()
    place: Executor | None = None
    with collect.step():
        methods = build_steps(first, registry)
    with collect.step():
        further = _further(options) if options.then else ()
        methods += build_steps(replace(first, then=further), registry)[1:]
    with collect.step():
        if schema is not None:
            chosen = choose_attributes(schema, options.protect, otherwise_all=otherwise_all)
            by = schema.named(options.by or (), "--by")
            righted = schema.named(options.right_labels or (), "--right-labels")
            moved = schema.named(options.move_values or (), "--move-values")
            first = replace(first, by=by, right_labels=righted, move_values=moved)
    with collect.step():
        place = executor_for_parts(options.executor_entry(), registry)
    return *as_chain(first, chosen, further), methods, place
