import numpy as np
import pytest

from evosdc.engine.headline import Headline
from evosdc.engine.measure_on_subset import IncrementalOnSubset, measure_on_subset
from evosdc.errors import EvaluationError
from evosdc.model import Incremental, Measure, Microdata, PrivacyModel
from evosdc.plugins.registry import default_registry
from evosdc.table.table import Table
from evosdc.testing.purity import generator
from evosdc.testing.tables import changes_of
from tests.engine.problems import Counts, microdata
from tests.testing.measures import Found


class Counting(Measure):
    def fit(self, original):
        return Counts(original)


def masked_of(file, seed):
    original = file.original
    codes = original.codes.copy()
    rng = generator(seed)
    for row in rng.choice(len(codes), 5, replace=False):
        codes[row] = codes[rng.integers(len(codes))]
    return Table(original.schema, codes, original.numbers)


def test_a_projection_is_the_measure_on_the_attribute_alone():
    file = microdata()
    name = file.protect[1]
    seen = measure_on_subset(Counting(None), file, (name,))
    alone = Counts(file.original.select([name]))
    masked = masked_of(file, 1)
    assert seen.score(masked) == alone.score(masked.select([name]))


def test_a_projection_follows_changes_where_its_measure_does():
    file = microdata()
    seen = measure_on_subset(Counting(None), file, file.protect[:1])
    assert isinstance(seen, IncrementalOnSubset)
    assert isinstance(seen, Incremental)
    before, after = masked_of(file, 1), masked_of(file, 2)
    rows = np.flatnonzero((before.codes != after.codes).any(axis=1))
    assert seen.value(seen.update(seen.start(before), after, rows)) == seen.score(after)
    plain = measure_on_subset(Found(Found.Params()), file, file.protect[:1])
    assert not isinstance(plain, Incremental)
    assert plain.score(file.original) == 100.0


class Doubled(Counts):
    """Twice what `Counts` says, and read from its states."""

    def value(self, state):
        return 2.0 * super().value(state)

    def read_from(self, other):
        return self.value if type(other) is Counts else None


class Doubling(Measure):
    def fit(self, original):
        return Doubled(original)


def test_a_projection_is_read_from_one_of_the_same_attributes():
    file = microdata()
    one, other = file.protect[:1], file.protect[1:2]
    seen, source = measure_on_subset(Doubling(None), file, one), measure_on_subset(Counting(None), file, one)
    masked = masked_of(file, 1)
    assert seen.read_from(source)(source.start(masked)) == seen.score(masked) > 0
    assert seen.read_from(measure_on_subset(Counting(None), file, other)) is None
    assert seen.read_from(Counts(file.original)) is None


def test_a_projection_judges_children_together_where_its_measure_does():
    file = microdata()
    name = file.protect[1]
    seen = measure_on_subset(default_registry().build("measure", "worst-relabelling", {}), file, (name,))
    alone = measure_on_subset(Counting(None), file, (name,))
    assert seen.together
    assert not alone.together
    parent, children = masked_of(file, 1), [masked_of(file, 2), masked_of(file, 3)]
    edits = [(child, np.flatnonzero((parent.codes != child.codes).any(axis=1))) for child in children]
    found = seen.values(seen.start(parent), changes_of(parent, edits))
    assert found.tolist() == [seen.score(child) for child in children]
    assert seen.read_together_from(alone) is None


class Smallest(PrivacyModel):
    headline = "k"
    answer = 4

    def assess(self, view):
        self.seen = view
        return {"k": self.answer, "classes": 9}


def test_a_headline_is_of_the_file_that_would_be_published():
    file = microdata()
    model = Smallest(None)
    masked = masked_of(file, 3)
    assert Headline(model, file).score(masked) == 4.0
    assert model.seen.quasi_identifiers == file.protect
    np.testing.assert_array_equal(model.seen.table.select(file.protect).codes, masked.codes)
    assert len(model.seen.table.schema.attributes) == len(file.table.schema.attributes)


@pytest.mark.parametrize(("answer", "score"), [(float("inf"), 1e9), (float("-inf"), -1e9), (2.5, 2.5), (None, 1e9)])
def test_a_headline_is_finite(answer, score):
    model = Smallest(None)
    model.answer = answer
    assert Headline(model, microdata()).score(microdata().original) == score


def test_a_model_without_a_number_is_an_error():
    model = Smallest(None)
    model.answer = float("nan")
    with pytest.raises(EvaluationError, match="no number for k"):
        Headline(model, microdata()).score(microdata().original)


def test_attributes_of_the_file_that_are_not_protected_are_seen():
    file = microdata()
    part = Microdata(file.table, file.protect[:1])
    model = Smallest(None)
    Headline(model, part).score(part.original)
    # All quasi-identifiers of the file make its classes, masked or not.
    assert model.seen.quasi_identifiers == file.protect
    assert len(model.seen.table.schema.attributes) == len(file.table.schema.attributes)
