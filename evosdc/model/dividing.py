"""Masking methods that divide a file into parts and have another method mask each of them; strata; groupings."""

from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, field_validator

from evosdc.errors import InputError, ParameterError, PluginError
from evosdc.model.masking import MaskingMethod
from evosdc.model.parameters import Parameters
from evosdc.table.alignment import join_parts
from evosdc.table.schema import Schema
from evosdc.table.spread import Spreads, spreads_of
from evosdc.table.table import Numbers, Rows, Table


class Grouping(MaskingMethod):
    """A masking method that divides the records in groups and publishes one record for each.

    Another method or a genotype may take the groups and publish something else for them.
    """

    @abstractmethod
    def classes(self, table: Table, rng: np.random.Generator) -> NDArray[np.int64]:
        """Return the number of each record's group, shape (n,), from 0 without gaps.

        Parameters
        ----------
        table : Table
            One that the method fits (`MaskingMethod.require_fit`).
        rng : numpy.random.Generator
        """


@dataclass(frozen=True, eq=False)
class Material:
    """What a method is given to mask."""

    table: Table  # the attributes to mask, shape (n, V)
    weights: Numbers | None = None  # (n,): Sampling weights
    auxiliary: Table | None = None  # what the method reads besides

    def take(self, rows: Rows) -> "Material":
        """Return the records at some positions."""
        weights = None if self.weights is None else self.weights[rows]
        return Material(self.table.take(rows), weights, None if self.auxiliary is None else self.auxiliary.take(rows))

    def masked_by(self, method: MaskingMethod, rng: np.random.Generator) -> Table:
        """Return the masked table, by the variant of the method that suits the data."""
        if self.auxiliary is not None:
            return method.mask_given(self.table, self.auxiliary, rng)
        return (
            method.mask(self.table, rng)
            if self.weights is None
            else method.mask_weighted(self.table, self.weights, rng)
        )


@dataclass(frozen=True, eq=False)
class Part:
    """Some records of a file, and their masking method."""

    method: MaskingMethod  # one that does not divide them further
    rows: Rows | None  # (m,): Their positions in the file; None for all
    rng: np.random.Generator  # a stream of its own
    # Of the numbers of what a method divided into this part and others; None where none did.
    spreads: Spreads | None = None

    def masked(self, whole: Material) -> Table:
        """Return the records masked."""
        method = self.method if self.spreads is None else self.method.scaled_by(self.spreads)
        return (whole if self.rows is None else whole.take(self.rows)).masked_by(method, self.rng)


def joined(pieces: Sequence[Table], parts: Sequence[Part]) -> Table:
    """Return one table from the masked parts of a file."""
    if len(parts) == 1 and parts[0].rows is None:
        return pieces[0]
    return join_parts(pieces, [rows for part in parts for rows in [part.rows] if rows is not None])


INNER = "inner"  # The parameter that has the inner method; also the place that its faults name


class InnerParameters(Parameters):
    """Parameters of methods that divide a file; the registry completes `inner` by defaults, and validates it."""

    inner: dict[str, Any] = Field(
        default_factory=dict,
        description='the method that masks each part, with its parameters: { method = "mdav", k = 5 }; default: the '
        "first that is offered for anonymity, as it is without parameters",
    )

    @field_validator("inner", mode="before")
    @classmethod
    def _named(cls, value: Any) -> Any:
        if isinstance(value, str) and "{" in value:
            raise ValueError('a table in TOML, its words in quotes, such as { method = "mdav", k = 5 }')
        value = {"method": value} if isinstance(value, str) else value
        if isinstance(value, Mapping) and value and not isinstance(value.get("method"), str):
            raise ValueError('a table with the name of a method, such as { method = "mdav", k = 5 }')
        return dict(value) if isinstance(value, Mapping) else value


class Dividing(MaskingMethod):
    """A masking method that divides the records and has an inner method mask each part by itself.

    A subclass derives its ``Params`` from `InnerParameters` and implements `divided`. The framework builds the inner
    method, any that is registered, from the parameter `inner`; it carries the parts out as it carries out strata: each
    with a stream of its own, on any executor, put together in the order of the file. An inner method may divide again.

    Parameters
    ----------
    params : Params
    inner : MaskingMethod
    """

    class Params(InnerParameters):
        """The inner method."""

    name: ClassVar[str] = ""  # The registered name, for messages

    params: Any

    def __init__(self, params: Any, inner: MaskingMethod) -> None:
        super().__init__(params)
        self.inner = inner

    @abstractmethod
    def divided(self, table: Table, rng: np.random.Generator) -> Sequence[Rows]:
        """Return the positions of each part's records: every record in one part, none of them empty.

        Parameters
        ----------
        table : Table
            The attributes to mask; the inner method fits it.
        rng : numpy.random.Generator
            Streams of the parts are spawned from it afterwards.

        Returns
        -------
        sequence of ndarray of intp
            Parts that the inner method fits (`MaskingMethod.require_fit`), so that what it promises holds in each.
        """

    @property
    def generalises(self) -> bool:
        """Whether the inner method does."""
        return self.inner.generalises

    def auxiliary_names(self, schema: Schema, masked: Sequence[str]) -> tuple[str, ...]:
        """Return the further attributes that the inner method reads."""
        with self._placed():
            return self.inner.auxiliary_names(schema, masked)

    @contextmanager
    def _placed(self) -> Iterator[None]:
        """Report faults in the block as those of the inner method."""
        where = f"method {self.name}: {INNER}" if self.name else INNER
        try:
            yield
        except InputError as error:
            raise ParameterError([replace(fault, where=f"{where}: {fault.where}") for fault in error.faults]) from None

    def require_fit(self, table: Table) -> None:
        """Raise `ParameterError` where the inner method does not fit the whole table."""
        with self._placed():
            self.inner.require_fit(table)

    def require_support(self, table: Table, who: str = "") -> None:
        """Raise `ParameterError` naming all attributes whose scale it or the inner method cannot mask."""
        super().require_support(table, who)
        with self._placed():
            self.inner.require_support(table)

    def mask(self, table: Table, rng: np.random.Generator) -> Table:
        """Return the table with each part masked by the inner method."""
        return self._masked(Material(table), rng)

    def mask_weighted(self, table: Table, weights: Numbers, rng: np.random.Generator) -> Table:
        """Return the table of a sample with each part masked by the inner method."""
        return self._masked(Material(table, weights if innermost(self).weighted else None), rng)

    def mask_given(self, table: Table, auxiliary: Table, rng: np.random.Generator) -> Table:
        """Return the table of a file with more attributes with each part masked by the inner method."""
        return self._masked(Material(table, auxiliary=auxiliary), rng)

    def _masked(self, whole: Material, rng: np.random.Generator) -> Table:
        self.require_fit(whole.table)  # of an empty table, too
        parts = parts_of(self, whole.table, None, rng)
        pieces = [part.masked(whole) for part in parts]
        return joined(pieces, parts)


def innermost(method: MaskingMethod) -> MaskingMethod:
    """Return the method that masks in the end: the method itself unless it divides."""
    while isinstance(method, Dividing):
        method = method.inner
    return method


def parts_of(
    method: MaskingMethod, table: Table, rows: Rows | None, rng: np.random.Generator, spreads: Spreads | None = None
) -> list[Part]:
    """Return the parts that a method masks by itself: one, or those that a method divides the records into."""
    if not isinstance(method, Dividing):
        return [Part(method, rows, rng, spreads)]
    own = table if rows is None else table.take(rows)
    if not len(own):
        return parts_of(method.inner, table, rows, rng, spreads)
    method.require_fit(own)
    divided = method.divided(own, rng)
    positions = np.concatenate(list(divided)) if divided else np.empty(0, dtype=np.intp)
    once = np.array_equal(np.sort(positions), np.arange(len(own)))
    if not once or not all(len(part) for part in divided):
        raise PluginError(f"{type(method).__name__} does not divide the records into parts that hold each of them once")
    spreads = spreads_of(own) if spreads is None else spreads
    found: list[Part] = []
    for part, stream in zip(divided, rng.spawn(len(divided)), strict=True):
        found += parts_of(method.inner, table, part if rows is None else rows[part], stream, spreads)
    return found
