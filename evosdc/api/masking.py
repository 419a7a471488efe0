"""``evosdc.mask``."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from evosdc.api.tables import as_given, as_table, chosen_of, held_once, listed
from evosdc.errors import Fault, FaultCollector, ParameterError
from evosdc.plugins.registry import default_registry
from evosdc.secret import Seed, chosen_seed, draw_seed
from evosdc.table.table import Table

Data = TypeVar("Data")


def mask(
    data: Data,
    method: str,
    *,
    attributes: Sequence[str] | str | None = None,
    by: Sequence[str] | str | None = None,
    then: Sequence[Mapping[str, Any]] = (),
    right_labels: Sequence[str] | str = (),
    move_values: Sequence[str] | str = (),
    seed: int | None = None,
    key: str | Path | None = None,
    draw: int = 0,
    executor: str | Mapping[str, Any] | None = None,
    **params: Any,
) -> Data:
    """Mask a table by one method, or by several one after the other.

    A step of work: records keep their order and index, which are not for release, and nothing is judged. `protect`
    makes data for release.

    Parameters
    ----------
    data : frame or Table
        Of pandas, Polars, PyArrow or another library that narwhals knows. Ordered categories are ordinal,
        unordered ones nominal, numbers numeric.
    method : str
        Registered name, for example ``"mdav"``.
    attributes : sequence of str, optional
        What to mask; by default the quasi-identifiers, and where none is declared all attributes but identifiers. Of a
        frame that is all columns but those that look like identifiers or free text; a `UserWarning` names these.
    by : sequence of str, optional
        Attributes that form strata; each stratum, the records that agree on all of them, is masked on its own.
    then : sequence of mapping
        Further steps, each applied to what the one before it made, as an experiment file writes them:
        ``[{"method": "pram", "design": "a", "p": 0.9}]``. A step may have `attributes` and `by` of its own.
    right_labels : sequence of str
        Attributes to publish, in the end, under the labels that most of their records have: a method may have exchanged
        labels, which hides nothing and misleads analysts.
    move_values : sequence of str
        Attributes whose rare values, where a method kept them, change places in the end: who joins on an exact value
        would find their people.
    seed : int, optional
        A public seed in place of a key, for studies and tests: what it draws is not for release.
    key : str or Path, optional
        A file with the secret key that draws come from, made where it does not exist; by default a fresh key.
    draw : int
        Which of the files of a key or seed, 0 at least; `tune` names it.
    executor : str or mapping, optional
        Where parts of the data are masked, strata and what a method divides them into: ``"processes"``, or
        ``{"name": "processes", "workers": 4}``. The result is the same; by default all is done in this process.
    **params
        Parameters of the method.

    Returns
    -------
    frame or Table
        As given, with the same index and columns. A method that generalises publishes labels of its own.

    Raises
    ------
    InputError
        Unknown method or attribute, parameters refused, or a scale that the method cannot mask.

    Examples
    --------
    >>> protected = evosdc.mask(frame, "mdav", k=3, attributes=["age", "sex"])  # doctest: +SKIP
    """
    if isinstance(draw, bool) or not isinstance(draw, int) or draw < 0:
        raise ParameterError(Fault("draw", repr(draw), "a whole number from 0"))
    drawn = draw_seed(chosen_seed(seed, key), draw)
    if not isinstance(data, Table):
        frame = held_once(data)
        table = as_table(frame)
        names = chosen_of(frame, table, listed(attributes))
        masked = _masked(table, method, names, by, then, right_labels, move_values, drawn, executor, params)
        given: Data = as_given(frame, masked)
        return given
    return _masked(data, method, attributes, by, then, right_labels, move_values, drawn, executor, params)  # type: ignore[return-value]


def _masked(
    data: Table,
    method: str,
    attributes: Sequence[str] | str | None,
    by: Sequence[str] | str | None,
    then: Sequence[Mapping[str, Any]],
    right_labels: Sequence[str] | str,
    move_values: Sequence[str] | str,
    seed: Seed,
    executor: str | Mapping[str, Any] | None,
    params: Mapping[str, Any],
) -> Table:
    """Return a masked table; the parameters are those of `mask`."""
    from evosdc.assess.defaults import choose_attributes
    from evosdc.assess.mask import as_chain, build_steps, mask_file
    from evosdc.experiment.config.maskings import masking_entries
    from evosdc.experiment.run.masked_parts import carrying_out, executor_for_parts
    from evosdc.model import Executor, Masking, Microdata

    righted = tuple(listed(right_labels) or ())
    moved = tuple(listed(move_values) or ())
    first = Masking(method, dict(params), by=tuple(listed(by) or ()), right_labels=righted, move_values=moved)
    chosen: tuple[str, ...] = ()
    further: tuple[Masking, ...] = ()
    place: Executor | None = None
    collect = FaultCollector()
    with collect.step():
        build_steps(first, default_registry())
    with collect.step():
        further = masking_entries(then)
    with collect.step():
        chosen = choose_attributes(data.schema, listed(attributes))
    with collect.step():
        place = executor_for_parts(executor, default_registry())
    collect.settle()
    masking, protect = as_chain(first, chosen, further)
    methods = build_steps(masking, default_registry())
    with carrying_out(place) as carry_out:
        return mask_file(masking, methods, Microdata(data, protect), seed, carry_out)
