"""What was written when a file was published."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from evosdc.files.formulas import formula_sentences
from evosdc.files.row_order import order_sentences


@dataclass(frozen=True)
class WriteReport:
    """What was written."""

    path: Path
    dropped: tuple[str, ...]  # identifiers, and attributes of the role drop, left out
    changed: Mapping[str, int]  # how many values of each masked attribute differ from the original
    # how many cells of each column a spreadsheet would take for formulas (`evosdc.files.formulas`)
    formulas: Mapping[str, int] = field(default_factory=dict)
    neutralised: bool = False  # whether those were published with a quote before them
    ordered: tuple[str, ...] = ()  # columns left out whose order the rows keep (`evosdc.files.row_order`)

    @property
    def warnings(self) -> list[str]:
        """What has to be known before the file is given to others."""
        return [*self.formula_sentences, *self.order_sentences]

    @property
    def formula_sentences(self) -> list[str]:
        """What is said of cells that a spreadsheet would take for formulas."""
        return formula_sentences(self.formulas, self.neutralised)

    @property
    def order_sentences(self) -> list[str]:
        """What is said of rows that keep the order of a column that was left out."""
        return order_sentences(self.ordered)
