"""The matches that an intruder is surest of: a mean over all people hides them."""

from collections.abc import Mapping

import numpy as np
from numba import njit
from pydantic import Field

from evosdc.model import Changes, Estimate, Estimated, Judge, Rescoring
from evosdc.table.table import Numbers, Rows, Table
from evosdc.time_limit import check_time
from evosdc_judges.classes import Codes, Keys
from evosdc_judges.intervals import in_per_cent, wilson
from evosdc_judges.members import tenth
from evosdc_judges.membership import gower_places, nearest_distances
from evosdc_judges.people import People, PeopleJudge

NEGLIGIBLE = 40.0  # an original less likely by e to this power adds nothing that a number could hold
PAIRS = 10_000_000  # pairs of published records and different originals that are matched in any case
_NEVER = -1e9  # logarithm of the likelihood of a pair of values that never occurs


class SurestMatches(PeopleJudge):
    """How many of the matches that an informed intruder is surest of are right, times 100."""

    # The intruder knows the originals and how often each category was published as which other one (Torra, 2017), and
    # matches a published record with the original of the greatest likelihood; that over the sum of all originals' says
    # how sure the match is. The figure is the precision of the ``matches`` surest ones, 1 / t where t originals tie;
    # the interval is Wilson's. Beside it stand the precision of the ``surest_tenth``, that of the
    # ``most_isolated_tenth`` of the people, whose nearest other original is farthest away, and of ``all``: a mean of 6
    # to 9 per cent goes with 25 to 45 for the surest. The posterior and the tails: design.

    name = "surest-matches"
    known = True
    intruder = "trusts the matches that look surest"
    sentence = (
        "Of the matches that an informed intruder is surest of, {masked} % are right; {chance} % by chance, {original} "
        "% without masking."
    )

    class Params(Judge.Params):
        """Which matches count, and of how many."""

        matches: int = Field(20, ge=1, description="The surest matches.")
        bins: int = Field(20, ge=2, le=250, description="Classes of a numeric attribute.")
        records: int = Field(3000, ge=20, description="Published records that are matched, at least.")

    params: Params

    def fit(self, original: Table) -> "FittedSurest":
        """Classify the original."""
        return FittedSurest(original, self.people(original), self.params)


class FittedSurest(Estimated):
    """`SurestMatches` of one original."""

    def __init__(self, original: Table, people: People, params: SurestMatches.Params) -> None:
        self._people, self._matches = people, params.matches
        self._distinct, mine, self._counts = np.unique(people.codes, axis=0, return_inverse=True, return_counts=True)
        # A sample may hold another twenty surest than the next one: where matching is quick, all records are queried.
        most = max(params.records, PAIRS // len(self._distinct))
        self.asked = people.sampled(len(people), most, 16)
        self._mine = mine.astype(np.int64).ravel()
        self._apart = nearest_distances(*gower_places(original.take(self.asked), original, original), 2)[:, 1]

    def estimate(self, masked: Table) -> Estimate:
        """Return the precision of the surest matches."""
        return self.details(masked)[0]

    def track(self, masked: Table) -> "SurestTracker":
        """Return a tracker that matches again wherever a score is needed, and estimates in between."""
        return SurestTracker(self, masked)

    def details(self, masked: Table) -> tuple[Estimate, Mapping[str, float]]:
        """Return the precision of the surest matches, and of others."""
        right, sure = self.matched(masked)
        chosen = self.surest(sure)
        precision = in_per_cent(wilson(float(right[chosen].sum()), len(chosen)))
        return precision, {
            "surest_tenth": 100.0 * float(right[tenth(sure)].mean()),
            "most_isolated_tenth": 100.0 * float(right[tenth(self._apart)].mean()),
            "all": 100.0 * float(right.mean()),
        }

    def of_others(self, masked: Table) -> Estimate:
        """Return the share of a person who is drawn at random for each record: chance, without any knowledge."""
        # Shuffled records are no chance here: the intruder knows what each category was published as, and a value that
        # one person has names this person in a shuffled file as well.
        return Estimate.exact(100.0 / self._counts.sum())

    def surest(self, sure: Numbers) -> Rows:
        """Return the positions of the surest matches among the queried records."""
        return np.argsort(-sure, kind="stable")[: self._matches].astype(np.intp)

    def matched(self, masked: Table) -> tuple[Numbers, Numbers]:
        """Return for each queried record whether its match is right, and how sure it is."""
        check_time()
        codes, published = self._people.codes, self._people.published(masked)
        sizes = np.maximum(codes.max(axis=0), published.max(axis=0)).astype(np.int64) + 1
        offsets = np.concatenate(([0], np.cumsum(sizes * sizes)))[:-1]
        flat = np.zeros(int((sizes * sizes).sum()))
        for v, size in enumerate(sizes.tolist()):
            pairs = np.bincount(published[:, v].astype(np.int64) * size + codes[:, v], minlength=size * size)
            table = pairs.reshape(size, size).astype(np.float64)
            shares = np.divide(table, table.sum(axis=0), out=np.zeros_like(table), where=table > 0)
            flat[offsets[v] : offsets[v] + size * size] = np.log(
                shares, out=np.full_like(shares, _NEVER), where=shares > 0
            ).ravel()
        own = published.take(self.asked, axis=0), self._mine.take(self.asked)
        found = matches(*own, self._distinct, self._counts.astype(np.int64), flat, offsets, sizes)
        return found[:, 0], found[:, 1]


class SurestTracker(Rescoring):
    """A tracker that takes a child's surest matches for its parent's without the records that it changes."""

    # So a search that is beyond the bound tries changes of these records first.

    fitted: FittedSurest

    @property
    def score(self) -> float:
        """The precision of the table's surest matches; computed on first use."""
        if self._score is None:
            right, sure = self.fitted.matched(self.masked)
            chosen = self.fitted.surest(sure)
            self._adding = np.zeros(len(self.masked))
            self._adding[self.fitted.asked[chosen]] = 100.0 * right[chosen] / len(chosen)
            self._score = float(self._adding.sum())
        return self._score

    def estimates(self, changes: Changes) -> Numbers:
        """Return the precision of the parent without changed records, which rarely stay both sure and right."""
        score = self.score
        left = np.concatenate(([0.0], self._adding[changes.rows].cumsum()))[np.concatenate(([0], changes.ends))]
        return score - np.diff(left)


@njit(cache=True)
def matches(
    published: Codes, mine: Keys, originals: Codes, counts: Keys, likelihoods: Numbers, offsets: Keys, sizes: Keys
) -> Numbers:
    """Return for each published record the credit of its likeliest original, and that one's share of likelihoods."""
    # Mine (m,): the own one of each published record among the distinct originals; counts (d,): how many are so;
    # likelihoods: by attribute, published and original class the logarithm; offsets (V,): where its table begins.
    attributes = originals.shape[1]
    found, scores = np.empty((len(published), 2)), np.empty(len(originals))
    for j in range(len(published)):
        best = -np.inf
        for i in range(len(originals)):
            score = 0.0
            for v in range(attributes):
                score += likelihoods[offsets[v] + published[j, v] * sizes[v] + originals[i, v]]
            scores[i] = score
            best = max(best, score)
        total, tied = 0.0, 0
        for i in range(len(originals)):
            if scores[i] > best - NEGLIGIBLE:
                total += counts[i] * np.exp(scores[i] - best)
                tied += counts[i] if scores[i] >= best - 1e-9 else 0
        found[j, 0] = 1.0 / tied if scores[mine[j]] >= best - 1e-9 else 0.0
        found[j, 1] = 1.0 / total
    return found
