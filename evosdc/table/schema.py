"""The schema of a file's attributes: role, scale, categories, hierarchy, and how missing values count."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cached_property
from typing import TYPE_CHECKING

from evosdc.errors import Fault, SchemaError, did_you_mean
from evosdc.printing import printable

if TYPE_CHECKING:
    from evosdc.table.edit_rules import EditRule
    from evosdc.table.hierarchy import Hierarchy


class Role(StrEnum):
    """The role of an attribute in a respondent's privacy, or its use."""

    IDENTIFIER = "identifier"
    QUASI_IDENTIFIER = "quasi-identifier"
    SENSITIVE = "sensitive"
    OTHER = "other"
    WEIGHT = "weight"
    HOUSEHOLD = "household"
    STRATUM = "stratum"
    DROP = "drop"

    @property
    def published(self) -> bool:
        """Whether an attribute of this role is part of a protected file at all."""
        return self not in WITHHELD


WITHHELD = (Role.IDENTIFIER, Role.DROP)  # roles of attributes that are left out of a protected file


class Scale(StrEnum):
    """Scale of measurement."""

    NOMINAL = "nominal"
    ORDINAL = "ordinal"
    NUMERIC = "numeric"


class MissingRule(StrEnum):
    """How a missing value counts: as a category of its own, as equal to anything, or not at all (an error)."""

    CATEGORY = "category"
    WILDCARD = "wildcard"
    ERROR = "error"


class NewValues(StrEnum):
    """What becomes of a value that neither the categories of a schema nor its hierarchy have."""

    REFUSE = "refuse"
    MISSING = "missing"
    PARENT = "parent"  # a further leaf, below what the leaves that begin most like it have in common


@dataclass(frozen=True)
class Attribute:
    """One attribute of a file.

    Parameters
    ----------
    name : str
    role : Role
    scale : Scale
    categories : tuple of str
        Labels in order; the position is the code. Empty for numeric attributes.
    hierarchy : Hierarchy, optional
    decimals : int
        Digits after the point of a numeric attribute, as written in the file.
    missing : tuple of str
        Texts that represent a missing value of this attribute, besides those of the schema.
    date_format : str
        How the categories write days, in the signs of `datetime.strptime`; empty where they are no dates. Dates are
        ordinal, in the order of time.
    new_values : NewValues
    """

    name: str
    role: Role = Role.OTHER
    scale: Scale = Scale.NOMINAL
    categories: tuple[str, ...] = ()
    hierarchy: "Hierarchy | None" = field(default=None, compare=False)
    decimals: int = 0
    missing: tuple[str, ...] = ()
    date_format: str = ""
    new_values: NewValues = field(default=NewValues.REFUSE, compare=False)

    @property
    def scale_word(self) -> str:
        """The scale as schema files say it: dates are ordinal, and called ``date``."""
        return "date" if self.date_format else str(self.scale)

    @property
    def categorical(self) -> bool:
        """Whether values are integer codes of `categories`."""
        return self.scale is not Scale.NUMERIC

    @cached_property
    def code(self) -> Mapping[str, int]:
        """Code of each category."""
        return {label: position for position, label in enumerate(self.categories)}


@dataclass(frozen=True)
class Schema:
    """All attributes of a file, in the file's order.

    Parameters
    ----------
    attributes : tuple of Attribute
    missing : tuple of str
        Texts that represent a missing value.
    na : MissingRule
        How missing values count in methods and measures.
    edit_rules : tuple of EditRule
        Combinations that no record may have.

    Raises
    ------
    SchemaError
        Two attributes share a name, or an attribute lists a category twice.
    """

    attributes: tuple[Attribute, ...]
    missing: tuple[str, ...] = ("",)
    na: MissingRule = MissingRule.CATEGORY
    edit_rules: "tuple[EditRule, ...]" = ()

    def __post_init__(self) -> None:
        faults = []
        listed = [("attributes", self.names, True)]
        listed += [(f"categories of {a.name}", a.categories, a.role.published) for a in self.attributes]
        for what, names, shown in listed:
            repeated = [name for name, count in Counter(names).items() if count > 1]
            if repeated:
                given = f"{printable(', '.join(repeated)) if shown else len(repeated)} more than once"
                faults.append(Fault(printable(what), given, "each name once", "Rename or remove."))
        if faults:
            raise SchemaError(faults)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Names of all attributes, in order."""
        return tuple(a.name for a in self.attributes)

    @cached_property
    def _by_name(self) -> Mapping[str, Attribute]:
        return {a.name: a for a in self.attributes}

    def __getitem__(self, name: str) -> Attribute:
        return self._by_name[name]

    def __contains__(self, name: object) -> bool:
        return name in self._by_name

    def __len__(self) -> int:
        return len(self.attributes)

    @cached_property
    def categorical(self) -> tuple[Attribute, ...]:
        """Nominal and ordinal attributes: the columns of `Table.codes`."""
        return tuple(a for a in self.attributes if a.categorical)

    @cached_property
    def numeric(self) -> tuple[Attribute, ...]:
        """Numeric attributes: the columns of `Table.numbers`."""
        return tuple(a for a in self.attributes if not a.categorical)

    def missing_of(self, name: str) -> tuple[str, ...]:
        """Return all texts that represent a missing value of an attribute."""
        own = self._by_name[name].missing
        return tuple(dict.fromkeys((*self.missing, *own))) if own else self.missing

    @cached_property
    def withheld(self) -> tuple[str, ...]:
        """Names of the attributes that are left out of a protected file."""
        return self.with_role(*WITHHELD)

    @property
    def constant(self) -> tuple[str, ...]:
        """Names of published categorical attributes with one category at most, of which nothing can be masked."""
        return tuple(a.name for a in self.attributes if a.role.published and a.categorical and len(a.categories) < 2)

    def with_role(self, *roles: Role) -> tuple[str, ...]:
        """Return the names of the attributes that have one of the roles."""
        return tuple(a.name for a in self.attributes if a.role in roles)

    def select(self, names: Sequence[str]) -> "Schema":
        """Return the schema of the named attributes only, in the order of `names`; edit rules of others are left out.

        Raises
        ------
        SchemaError
            Names that the file does not have.
        """
        self.require(names)
        rules = tuple(rule for rule in self.edit_rules if set(rule.names) <= set(names)) if self.edit_rules else ()
        return replace(self, attributes=tuple(self._by_name[name] for name in names), edit_rules=rules)

    def named(self, names: Iterable[str], where: str = "attributes") -> tuple[str, ...]:
        """Return names as the file has them: a name that it lacks may differ in blanks at its ends, if one column fits.

        Raises
        ------
        SchemaError
            Names that the file does not have.
        """
        found = []
        for name in dict.fromkeys(names):
            alike = [] if name in self._by_name else [own for own in self.names if own.strip() == name.strip()]
            found.append(alike[0] if len(alike) == 1 else name)
        self.require(found, where)
        return tuple(dict.fromkeys(found))

    def require(self, names: Iterable[str], where: str = "attributes") -> None:
        """Raise `SchemaError` naming every one of `names` that the schema lacks."""
        faults = []
        for name in names:
            if name not in self._by_name:
                wanted = f"one of {printable(', '.join(self.names))}"
                faults.append(Fault(where, repr(name), wanted, did_you_mean(name, self.names)))
        if faults:
            raise SchemaError(faults)
