"""The contract of privacy models: what one file, taken by itself, reveals of its respondents."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import Any, ClassVar

from evosdc.data.schema import MissingRule
from evosdc.data.table import Numbers, Table
from evosdc.model.parameters import Parameters


class MissingMatch(StrEnum):
    """Which values a missing one is taken to equal when records are compared."""

    WILDCARD = "wildcard"
    CATEGORY = "category"
    NEVER = "never"

    @classmethod
    def of(cls, rule: MissingRule) -> MissingMatch:
        """Return the comparison that a schema's rule asks for."""
        return cls.WILDCARD if rule is MissingRule.WILDCARD else cls.CATEGORY


@dataclass(frozen=True, eq=False)
class Release:
    """One file as an intruder sees it.

    Parameters
    ----------
    table : Table
        All attributes, shape (n, .).
    quasi_identifiers : tuple of str
        Attributes that the intruder knows of a person.
    sensitive : tuple of str
        Attributes that the intruder wants to learn.
    weights : ndarray of float64, shape (n,), optional
        How many members of the population a record stands for.
    household : str, optional
        Attribute whose equal values form a household.
    missing : MissingMatch
        What a missing value equals: anything, other missing values, or nothing.
    """

    table: Table
    quasi_identifiers: tuple[str, ...]
    sensitive: tuple[str, ...] = ()
    weights: Numbers | None = None
    household: str | None = None
    missing: MissingMatch = MissingMatch.CATEGORY

    @cached_property
    def keys(self) -> Table:
        """The quasi-identifiers only."""
        return self.table.select(self.quasi_identifiers)


class PrivacyModel(ABC):
    """A way of judging what one file reveals.

    A subclass has a nested ``Params`` class and implements `assess`. One of its figures, `headline`, stands for all in
    tables and in constraints of a search: ``"k-anonymity >= 3"`` asks for the headline of ``k-anonymity``.
    """

    class Params(Parameters):
        """No parameters."""

    headline: ClassVar[str]
    """Key of the figure that stands for the whole assessment."""

    larger_is_safer: ClassVar[bool] = True
    """Whether a larger headline is better for the respondents."""

    def __init__(self, params: Any) -> None:
        self.params = params

    def applies(self, release: Release) -> bool:
        """Whether the file has what the model needs: sensitive attributes, weights, households."""
        return True

    @abstractmethod
    def assess(self, release: Release) -> Mapping[str, Any]:
        """Return the figures by name, JSON-able, without any record of the file.

        Raises
        ------
        InputError
            The file does not have what the model needs.
        """
