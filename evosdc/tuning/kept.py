"""The best masked files of a tuning, kept so that a search can start from them without masking again."""

from collections.abc import Sequence

from evosdc.model import Masking
from evosdc.table.table import Table
from evosdc.tuning.trial import Trial

MOST = 8
"""Files that are kept; more would hold much of a large file's memory."""


class Kept:
    """The best file of each masking method, of the best methods only.

    Methods are told apart by their names, step by step: files of one method at several parameters are much alike.
    """

    def __init__(self) -> None:
        self._files: dict[tuple[str, ...], tuple[Masking, Trial, Table]] = {}

    def take(self, masking: Masking, trial: Trial, masked: Table) -> None:
        """Keep a file where it is better than what there is of its methods, and among the best of all.

        Parameters
        ----------
        masking : Masking
            Without the trial's draw.
        trial : Trial
        masked : Table
            With labels put right and records repaired, as it was judged.
        """
        methods = masking.methods
        known = self._files.get(methods)
        if known is not None and known[1].order <= trial.order:
            return
        self._files[methods] = masking, trial, masked
        if len(self._files) > MOST:
            del self._files[max(self._files, key=lambda one: self._files[one][1].order)]

    @property
    def files(self) -> Sequence[tuple[Masking, Table]]:
        """The files, each with the masking and the draw that make it."""
        return tuple((trial.exactly(masking), masked) for masking, trial, masked in self._files.values())
