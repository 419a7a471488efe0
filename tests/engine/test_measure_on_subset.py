import numpy as np
import pytest

from evosdc.engine.headline import Headline
from evosdc.engine.measure_on_subset import measure_on_subset
from evosdc.errors import EvaluationError
from evosdc.model import Measure, Microdata, PrivacyModel
from evosdc.plugins.registry import default_registry
from evosdc.table.table import Table
from evosdc.testing.purity import generator
from evosdc.testing.tables import changes_of
from tests.engine.problems import microdata
from tests.testing.measures import Counts


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


@pytest.mark.parametrize("name", ["", "worst-relabelling"])
def test_a_projection_is_followed_as_its_measure_is(name):
    file = microdata()
    measure = default_registry().build("measure", name, {}) if name else Counting(None)
    seen = measure_on_subset(measure, file, file.protect[1:2])
    parent, children = masked_of(file, 1), [masked_of(file, 2), masked_of(file, 3)]
    edits = [(child, np.flatnonzero((parent.codes != child.codes).any(axis=1))) for child in children]
    tracker, changes = seen.track(parent), changes_of(parent, edits)
    assert tracker.score == pytest.approx(seen.score(parent))
    assert tracker.tries(changes).tolist() == pytest.approx([seen.score(child) for child in children])
    twin = seen.track(parent)
    twin.take(changes.part(0, 1))
    assert twin.score == pytest.approx(seen.score(children[0]))
    assert tracker.score == pytest.approx(seen.score(parent))


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
