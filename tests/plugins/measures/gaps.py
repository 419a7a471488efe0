"""What trackers of places hold of a file, against all pairs of records."""

from __future__ import annotations

import numpy as np


def assert_gaps_hold(tracker, masked):
    """By its gaps at least, all originals not equal to a record's own one are likelier or less likely, as they count.

    Enough are likelier than a lost record's own one by its gap; its rival is.
    """
    places = getattr(tracker, "_places", None)
    if places is None:
        return
    originals, lost = tracker._originals, (1 << len(places.totals)) - 1
    some = np.arange(0, len(places.likelier), 1 + len(places.likelier) // 64)
    bases = originals.bases[places.slots[:, some]]
    published = originals.slots[:-1, None] + 1 + tracker._fitted.ordered(masked).T
    categories = originals.distinct[originals.of].T
    assert np.array_equal(places.slots, published[:, np.flatnonzero(originals.linked >= 0)])
    costing = sum(places.costs[base[:, None] + category] for base, category in zip(bases, categories, strict=True))
    own = sum(places.costs[base + mine] for base, mine in zip(bases, originals.own[:, some], strict=True))
    apart = costing - own[:, None]
    equal = (originals.own[:, some, None] == categories[:, None, :]).all(axis=0)
    likelier, tied = (apart < 0).sum(axis=1), (apart == 0).sum(axis=1)
    for at, record in enumerate(some):
        above, below = int(places.above[record]), int(places.below[record])
        if own[at] >= 1 << 54:
            assert places.likelier[record] == lost
        elif places.likelier[record] == lost:
            assert (apart[at] <= -max(below, 1)).sum() >= lost
            assert places.rivals[record] < 0 or lost > 1 or apart[at, originals.of == places.rivals[record]].max() < 0
        else:
            assert (places.likelier[record], places.tied[record]) == (likelier[at], tied[at])
            others = apart[at][~equal[at]]
            assert above <= 0 or (others[others >= 0] >= above).all()
            assert below <= 0 or (others[others <= 0] <= -below).all()
