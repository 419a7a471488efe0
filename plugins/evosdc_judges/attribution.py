"""Disclosure by the combinations of a published file alone: replicated uniques, and attributed targets."""

from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from evosdc.errors import Fault, ParameterError
from evosdc.model import Estimate, Estimated, Judge, Microdata
from evosdc.table.equivalence import equivalence_classes
from evosdc.table.schema import Role, Scale
from evosdc.table.table import Table
from evosdc.time_limit import check_time
from evosdc_judges.analysis import WholeFileJudge
from evosdc_judges.classes import Codes, Keys, classes_of


class ReplicatedUniques(Judge):
    """Records unique in the original whose combination of values is unique in the published file too, in per cent."""

    # ``repU`` of Raab, Nowok and Dibben (2024), as a percentage of all records: combinations that occur exactly once in
    # both files over the number of records. It looks at two sets of records and not at who is who: a file in another
    # order has the score of the original. Labels count as they stand; classes of numbers are a reconstruction.

    supports = frozenset(Scale)
    known = True
    warns_from = 0.5
    intruder = "looks unique people up in the published file"
    sentence = (
        "{masked} % of the people are unique, and so is a published record with just their values, theirs or not; "
        "{original} % in the unmasked file."
    )

    class Params(Judge.Params):
        """Classes."""

        bins: int = Field(20, ge=2, le=1000, description="Classes of a numeric attribute.")

    params: Params

    def fit(self, original: Table) -> "FittedReplicatedUniques":
        """Find the combinations of the original."""
        return self.fit_in(Microdata(original, original.schema.names))

    def fit_in(self, microdata: Microdata) -> "FittedReplicatedUniques":
        """Find the combinations of the original, and of people who are not in the file."""
        self.require_support(microdata.original)
        names = microdata.original.schema.names
        others = None if microdata.others is None else microdata.others.select(names)
        return FittedReplicatedUniques(microdata.original, self.params.bins, others)


class FittedOnSets(Estimated):
    """A figure of two sets of records, of the people of a file or of others; nothing is drawn."""

    def __init__(self, whole: Table, bins: int, others: Table | None) -> None:
        self._whole, self._classes = whole, classes_of(whole, bins)
        self._original = self._classes.of(whole)
        self._others = None if others is None else self._classes.of(others)

    @abstractmethod
    def share(self, people: Codes, published: Codes) -> float:
        """Return the figure of people and published records by their classes, 0..1."""

    def estimate(self, masked: Table) -> Estimate:
        """Return the figure of the people of the file; attributes that are not protected stay as they are."""
        return self._of(self._original, masked)

    def of_others(self, masked: Table) -> Estimate | None:
        """Return the same of people who are not in the file."""
        return None if self._others is None else self._of(self._others, masked)

    def _of(self, people: Codes, masked: Table) -> Estimate:
        return Estimate.exact(100.0 * self.share(people, self._classes.of(self._whole.with_columns(masked))))


class FittedReplicatedUniques(FittedOnSets):
    """`ReplicatedUniques` of one original."""

    def share(self, people: Codes, published: Codes) -> float:
        """Return the share of people who are unique in both files."""
        n = len(people)
        of = equivalence_classes(np.vstack((people, published))).of
        ours, theirs = (np.bincount(part, minlength=len(of)) for part in (of[:n], of[n:]))
        return float(((ours == 1) & (theirs == 1)).sum()) / n


class Attribution(WholeFileJudge):
    """Common to `DisclosiveInSynthetic` and `CorrectAttribution`: keys and targets of a file."""

    class Params(Judge.Params):
        """Keys and targets."""

        targets: tuple[str, ...] = Field(
            (), description="Attributed attributes; default: the sensitive attributes of the file, or each judged one."
        )
        bins: int = Field(20, ge=2, le=1000, description="Classes of a numeric attribute.")

    name = ""  # of the measure
    params: Params

    def auxiliary_names(self) -> tuple[str, ...]:
        """Return the targets that are named."""
        return self.params.targets

    def fit_in(self, microdata: Microdata) -> "FittedAttribution":
        """Count the original."""
        where = f"measure {self.name}"
        self.require_support(microdata.original)
        whole = microdata.table
        whole.schema.require(self.params.targets, f"{where}: targets")
        targets = self.params.targets or whole.schema.with_role(Role.SENSITIVE) or microdata.protect
        keys = {target: [name for name in microdata.protect if name != target] for target in targets}
        sensitive = set(whole.schema.with_role(Role.SENSITIVE))
        keys = {t: [n for n in names if n not in sensitive] or names for t, names in keys.items()}
        if not all(keys.values()):
            given = f"{microdata.protect[0]} alone, which is the target"
            advice = "Name as target an attribute that is not protected."
            raise ParameterError(Fault(where, given, "protected attributes besides the target", advice))
        needed = list(dict.fromkeys([*microdata.protect, *targets]))
        others = None if microdata.others is None else microdata.others.select(needed)
        return FittedAttribution(whole.select(needed), keys, self.params.bins, self.share, others)

    @staticmethod
    @abstractmethod
    def share(counts: "Counts") -> float:
        """Return the figure of one target, 0..1."""


@dataclass(frozen=True)
class Counts:
    """Records of both files by the combinations of key and target that occur in either."""

    original: Keys  # shape (m,); by combination of key and target
    published: Keys
    of_key: Keys  # shape (m,); position of each combination's key among the keys

    @property
    def disclosive(self) -> NDArray[np.bool_]:
        """Whether all published records of the combination's key have its target, and there are any."""
        found: NDArray[np.bool_] = (self.published > 0) & (self.published == self.by_key(self.published))
        return found

    def by_key(self, counts: Keys) -> Keys:
        """Return for each combination the sum over its key."""
        return np.bincount(self.of_key, weights=counts)[self.of_key].astype(np.int64)


Share = Callable[[Counts], float]


class DisclosiveInSynthetic(Attribution):
    """Per cent of the people whose key goes, in the published file, with one target alone, and with theirs."""

    # ``DiSCO`` (disclosive in synthetic, correct in original) of Raab, Nowok and Dibben (2024). Targets are the
    # sensitive attributes of the file, whether masked or not, else each judged attribute in turn; keys are the other
    # judged attributes that are not sensitive. It looks at two sets of records and not at who is who; labels count as
    # they stand. The mean over targets is a reconstruction.

    name = "disco"
    intruder = "looks a person's values up and finds one target alone"
    sentence = (
        "For {masked} % of the people all published records with their values have one and the same target, and it is "
        "theirs; {chance} % by chance, {original} % in the unmasked file."
    )

    @staticmethod
    def share(counts: Counts) -> float:
        """Return the share of originals in a combination that is disclosive."""
        return float(counts.original[counts.disclosive].sum() / counts.original.sum())


class CorrectAttribution(Attribution):
    """How often a key that goes with one target alone in the published file has it in the original, times 100."""

    # ``TCAP``, the targeted correct attribution probability (Taub, Elliot, Pampaka and Smith, 2018): over the published
    # records whose key goes with their target alone, the mean share of the originals with that key that have that
    # target: a share of such records, not of people. Records whose key no original has are left out; without any left
    # it is 0. Targets, keys and labels as in `DisclosiveInSynthetic`.

    name = "tcap"
    intruder = "trusts published records whose values go with one target alone"
    sentence = (
        "Where all published records with the same values have one target, it is right for {masked} % of the people "
        "with these values; {chance} % by chance, {original} % in the unmasked file."
    )

    @staticmethod
    def share(counts: Counts) -> float:
        """Return the mean share of originals with the target of disclosive published records."""
        of_key = counts.by_key(counts.original)
        chosen = counts.disclosive & (of_key > 0)
        weights = counts.published[chosen]
        if not weights.sum():
            return 0.0
        return float((weights * counts.original[chosen] / of_key[chosen]).sum() / weights.sum())


class FittedAttribution(FittedOnSets):
    """An `Attribution` of one original."""

    def __init__(self, whole: Table, keys: dict[str, list[str]], bins: int, share: Share, others: Table | None) -> None:
        super().__init__(whole, bins, others)
        self._keys, self._of_target = keys, share

    def share(self, people: Codes, published: Codes) -> float:
        """Return the mean over targets."""
        position = {name: v for v, name in enumerate(self._whole.schema.names)}
        shares = [
            self._of_target(self._counts(people, published, [position[name] for name in names], position[target]))
            for target, names in self._keys.items()
        ]
        return float(np.mean(shares))

    def _counts(self, people: Codes, published: Codes, names: Sequence[int], target: int) -> Counts:
        check_time()
        n, both = len(people), np.vstack((people, published))
        of_key = equivalence_classes(both[:, list(names)]).of.astype(np.int64)
        width = int(self._classes.sizes[target])
        combinations, inverse = np.unique(of_key * width + both[:, target], return_inverse=True)
        inverse = inverse.reshape(-1)
        original, theirs = (np.bincount(part, minlength=len(combinations)) for part in (inverse[:n], inverse[n:]))
        return Counts(original.astype(np.int64), theirs.astype(np.int64), combinations // width)
