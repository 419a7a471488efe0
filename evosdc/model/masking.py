"""The contract of masking methods."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from typing import Any, ClassVar

import numpy as np

from evosdc.model.parameters import Parameters
from evosdc.model.scales import require_scales
from evosdc.table.schema import Scale, Schema
from evosdc.table.spread import Spreads
from evosdc.table.table import Numbers, Table


class MaskingMethod(ABC):
    """A way of turning a table into a protected one.

    A subclass has a nested ``Params`` class and implements `mask`. It masks *every* column of the table that it is
    given: the framework selects the attributes beforehand and puts the result back afterwards.
    """

    class Params(Parameters):
        """No parameters."""

    supports: ClassVar[frozenset[Scale]] = frozenset(Scale)  # Scales of the attributes it can mask

    weighted: ClassVar[bool] = False
    """Whether sampling weights make a difference; `mask_weighted` is then called where the file has them."""

    companion: ClassVar[str] = ""
    """A word for the data that the custodian keeps beside the protected file, see `account`; empty for none."""

    pace: ClassVar[str] = ""
    """The parameter, a number, that its time grows in proportion to; empty where there is none. Where a search has
    little time, the method gets less of it."""

    promise: ClassVar[int] = 0
    """How early it is tried where time may be over before all methods had their turn: greater ones come first, after
    what led files of its kind at the middle of its range. One that is `dear` has its turn early only where it is not 0.
    """

    def __init__(self, params: Any) -> None:
        self.params = params

    @property
    def generalises(self) -> bool:
        """Whether published values can be ones that the attributes do not have: intervals or merged categories.

        The returned table then has a schema of its own, with the same attribute names in the same order. Such a file
        can be published and judged by losses of generalisation, but a search cannot start from it.
        """
        return False

    @abstractmethod
    def mask(self, table: Table, rng: np.random.Generator) -> Table:
        """Return the protected table.

        Parameters
        ----------
        table : Table
            The attributes to mask, shape (n, V). Not changed.
        rng : numpy.random.Generator
            The only source of randomness.

        Returns
        -------
        Table
            Same schema (unless the method generalises), same n, record r of the result is record r of `table`.

        Raises
        ------
        ParameterError
            Parameters that do not fit this table, k > n for one.
        """

    def mask_weighted(self, table: Table, weights: Numbers, rng: np.random.Generator) -> Table:
        """Return the protected table of a sample with weights; a method that is `weighted` overrides it.

        Parameters
        ----------
        weights : ndarray of float64, shape (n,)
            How many members of the population a record represents, positive.
        """
        return self.mask(table, rng)

    def scaled_by(self, spreads: Spreads) -> "MaskingMethod":
        """Return the method as it masks a part of a file, differences of numbers measured by the whole file's spreads.

        A method that compares records of several attributes overrides it: what varies little within a part would count
        there as much as what varies much. All others are as they were.

        Parameters
        ----------
        spreads : mapping of str to Spread
            Of the numeric attributes of the file, `evosdc.table.spread`.
        """
        return self

    def account(self, table: Table, weights: Numbers | None = None) -> Mapping[str, Any]:
        """Return what `mask` does to a table beyond its parameters, transition matrices for one; JSON-able, no records.

        ``evosdc mask`` writes it beside the protected file where the method has a `companion`.

        Parameters
        ----------
        table : Table
            The attributes to mask.
        weights : ndarray of float64, shape (n,), optional
        """
        return {}

    def auxiliary_names(self, schema: Schema, masked: Sequence[str]) -> tuple[str, ...]:
        """Return the names of attributes that the method reads but does not mask; `mask_given` gets their columns.

        Parameters
        ----------
        schema : Schema
            Of the whole file.
        masked : sequence of str
            The attributes that are masked; none of them can be auxiliary.

        Returns
        -------
        tuple of str
            Empty unless overridden. A method that has such attributes is not given sampling weights.
        """
        return ()

    def mask_given(self, table: Table, auxiliary: Table, rng: np.random.Generator) -> Table:
        """Return the protected table of a file with more attributes; a method with `auxiliary_names` overrides it.

        Parameters
        ----------
        auxiliary : Table
            The attributes named by `auxiliary_names`, with the same records. They are published as they are.
        """
        return self.mask(table, rng)

    def remarks(self, table: Table) -> tuple[str, ...]:
        """Return sentences on assumptions about a table, which its owner should know; none by default."""
        return ()

    def require_fit(self, table: Table) -> None:
        """Raise `ParameterError` when the method or its parameters do not fit a table; called before any work is done.

        Subclasses extend it by what depends on the table, ``k > n`` for one, and call it at the start of `mask`.
        """
        self.require_support(table)

    def require_support(self, table: Table, who: str = "") -> None:
        """Raise `ParameterError` naming all attributes whose scale the method cannot mask."""
        require_scales(self.supports, table, who or type(self).__name__, "Choose other attributes or another method.")


@dataclass(frozen=True)
class Masking:
    """One entry of a portfolio: a method by name, its parameters, and the attributes it is applied to.

    Parameters
    ----------
    method : str
        Registered name.
    params : mapping
    attributes : tuple of str
        Empty for all protected attributes; the others stay as they are.
    by : tuple of str
        Attributes of the whole file that form strata; each stratum is masked on its own. Empty for none.
    then : tuple of Masking
        Further steps, each applied to what the step before it made.
    draw : int, optional
        Which of the files of a random method is meant (`evosdc.secret.draw_seed`); ``evosdc mask --draw`` makes it
        again with the same key or seed. By default the run decides.
    right_labels : tuple of str
        Attributes that are published, after the last step, under the labels that most of their records have
        (`evosdc.table.corrections`): a method may have exchanged labels.
    move_values : tuple of str
        Attributes whose rare values, where they were kept, change places after all else (`evosdc.table.corrections`).
    """

    method: str
    params: Mapping[str, Any] = field(default_factory=dict)
    attributes: tuple[str, ...] = ()
    by: tuple[str, ...] = ()
    then: "tuple[Masking, ...]" = ()
    draw: int | None = None
    right_labels: tuple[str, ...] = ()
    move_values: tuple[str, ...] = ()

    @property
    def steps(self) -> "tuple[Masking, ...]":
        """The single steps in their order, itself the first; none has further steps or a draw."""
        further = (step for entry in self.then for step in entry.steps)
        return (replace(self, then=(), draw=None, right_labels=(), move_values=()), *further)

    @property
    def methods(self) -> tuple[str, ...]:
        """The names of the methods, step by step."""
        return tuple(step.method for step in self.steps)

    @property
    def label(self) -> str:
        """A short text for tables and figures: ``mdav k=3 (savings)``, ``rank-swapping p=20, then pram p=0.9``.

        Steps that do the same to one attribute each are combined: ``noise alpha=0.1 (each of age, income)``.
        """
        groups = groupby(self.steps, key=lambda s: (s.method, dict(s.params), s.by, len(s.attributes) == 1))
        texts: list[str] = []
        for (_, _, by, single), same in groups:
            steps = list(same)
            names = [step.attributes[0] for step in steps] if single else []
            if single and len(steps) > 1 and len({*names}) == len(names):  # a repeated step stands twice
                texts.append(steps[0]._words(f"each of {', '.join(names)}", by))
            else:
                texts += [step._words(", ".join(step.attributes), by) for step in steps]
        righted = [f"labels of {', '.join(self.right_labels)} put right"] if self.right_labels else []
        moved = [f"kept values of {', '.join(self.move_values)} moved"] if self.move_values else []
        return ", then ".join([*texts, *righted, *moved])

    def _words(self, attributes: str, by: tuple[str, ...]) -> str:
        words = [self.method, *(f"{key}={_parameter_text(value)}" for key, value in self.params.items())]
        where = [attributes, f"by {', '.join(by)}" if by else ""]
        return " ".join(words) + (f" ({'; '.join(filter(None, where))})" if any(where) else "")

    def to_json(self) -> dict[str, Any]:
        """Return the entry as JSON-able data, without empty optional keys."""
        document: dict[str, Any] = {
            "method": self.method,
            "params": dict(self.params),
            "attributes": list(self.attributes),
            "by": list(self.by),
        }
        if self.then:
            document["then"] = [step.to_json() for step in self.then]
        if self.right_labels:
            document["right_labels"] = list(self.right_labels)
        if self.move_values:
            document["move_values"] = list(self.move_values)
        return document if self.draw is None else document | {"draw": self.draw}

    @classmethod
    def from_json(cls, document: Mapping[str, Any]) -> "Masking":
        """Return the entry that `to_json` stored."""
        then = tuple(cls.from_json(step) for step in document.get("then", ()))
        attributes, by = tuple(document.get("attributes", ())), tuple(document.get("by", ()))
        righted = tuple(document.get("right_labels", ()))
        moved = tuple(document.get("move_values", ()))
        return cls(document["method"], document["params"], attributes, by, then, document.get("draw"), righted, moved)


def _parameter_text(value: Any) -> str:
    """Return a parameter in words; an inner method reads as a step of its own."""
    if isinstance(value, Mapping) and isinstance(value.get("method"), str):
        inner = (f"{key}={_parameter_text(own)}" for key, own in value.items() if key != "method")
        return f"({' '.join([value['method'], *inner])})"
    return str(value)
