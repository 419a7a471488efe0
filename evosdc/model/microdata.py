"""The confidential file of an experiment and which of its attributes are to be protected."""

from dataclasses import dataclass
from functools import cached_property

from evosdc.errors import DataError, Fault
from evosdc.printing import printable
from evosdc.table.record_rules import RecordRules
from evosdc.table.schema import Schema
from evosdc.table.structural_zeros import find_structural_zeros
from evosdc.table.table import Rows, Table, faults_of_missing


@dataclass(frozen=True, eq=False)
class EarlierRelease:
    """A file of the same people that is out already.

    Parameters
    ----------
    label : str
        What it is called.
    table : Table
        In a coding of its own.
    rows : ndarray of intp, shape (len(table),)
        By its records, the positions of their originals.
    """

    label: str
    table: Table
    rows: Rows


@dataclass(frozen=True, eq=False)
class Microdata:
    """A whole file with the names of its protected attributes.

    Parameters
    ----------
    table : Table
        All attributes.
    protect : tuple of str
        Those that masking may change and that an intruder is taken to know.
    zeros_threshold : float, optional
        Expected records from which a combination that never occurs is a structural zero, which masked files may not
        hold; None where structural zeros are not looked for.
    population : Table, optional
        The people that the respondents were drawn from, with the quasi-identifiers, unmasked and in a coding of their
        own: for privacy models that compare a published file with them.
    others : Table, optional
        People of the same population who are not in the file, with the attributes of `table` in its coding, unmasked:
        what an attack reaches of them it learned of the population.
    earlier : tuple of EarlierRelease
        Files of the same people that are out already.

    Raises
    ------
    SchemaError
        Names that the table does not have.
    DataError
        No record, nothing to protect, or missing values although the schema's rule forbids them.
    """

    table: Table
    protect: tuple[str, ...]
    zeros_threshold: float | None = None
    population: Table | None = None
    others: Table | None = None
    earlier: tuple[EarlierRelease, ...] = ()

    def __post_init__(self) -> None:
        self.table.schema.require(self.protect, "protect")
        faults = []
        if not self.protect:
            faults.append(
                Fault(
                    "protect",
                    f"no attribute{one_value(self.table.schema)}",
                    "at least one",
                    "Name the attributes by --protect A,B, or give some the role quasi-identifier in the schema.",
                )
            )
        if len(self.table) == 0:
            faults.append(Fault("data", "no record", "at least one record"))
        faults += faults_of_missing(self.table, self.protect)
        if faults:
            raise DataError(faults)

    @cached_property
    def original(self) -> Table:
        """The protected attributes only: what genotypes, methods and measures see."""
        return self.table.select(self.protect)

    @cached_property
    def rules(self) -> RecordRules | None:
        """Rules for masked records, by structural zeros and the schema's edit rules; None where there is no rule.

        Raises
        ------
        ParameterError
            Edit rules that do not fit the file.
        """
        zeros = None
        if self.zeros_threshold is not None:
            zeros = find_structural_zeros(self.table, self.protect, self.zeros_threshold)
        rules = RecordRules(self.table, self.protect, self.table.schema.edit_rules, zeros)
        return rules if rules.edit_rules or rules.zeros is not None else None

    def masked_so_far(self, masked: Table) -> "Microdata":
        """Return the file as the steps of a plan left it, for the next one to read.

        Parameters
        ----------
        masked : Table
            The protected attributes, shape (n, V).
        """
        return Microdata(self.table.with_columns(masked), self.protect, population=self.population)


def one_value(schema: Schema) -> str:
    """Return which columns have one value, in brackets: why there may be nothing to mask; empty without any."""
    return f" ({printable(', '.join(schema.constant))}: one value in all records)" if schema.constant else ""
