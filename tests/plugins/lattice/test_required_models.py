"""Registered privacy models as conditions on the classes of nodes."""

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from evosdc.assess.risk import RegisteredModels
from evosdc.errors import InputError, ParameterError
from evosdc.model import IntruderView
from evosdc.plugins.registry import default_registry
from evosdc_lattice.lattice import Lattice
from tests.plugins.lattice.tables import all_levels, files


def lattice_of(microdata, **params):
    try:
        return Lattice(Lattice.Params(**params), microdata, RegisteredModels(default_registry()))
    except ParameterError:
        assume(False)


def node(levels):
    genome = np.array(levels, dtype=np.int16)
    genome.flags.writeable = False
    return genome


@settings(suppress_health_check=list(HealthCheck), deadline=None, max_examples=20)
@given(
    files(missing=False),
    st.sampled_from(
        [("beta-likeness", "", 0.5), ("delta-disclosure", "absent = 'ignored'", 1.0), ("safepub", "", 0.3)]
    ),
)
def test_what_is_published_keeps_the_bound(microdata, asked):
    name, params, bound = asked
    lattice = lattice_of(microdata, k=1, require=(f"{name}({params}) <= {bound}",), suppression=1)
    model = lattice.space.model.models[0].model
    for levels in all_levels(microdata):
        genome = node(levels)
        kept = np.setdiff1d(np.arange(len(microdata.table)), lattice.suppressed_rows(genome))
        if not len(kept):
            continue
        whole = microdata.table.with_columns(lattice.decode(genome, np.random.default_rng(0)))
        view = IntruderView(whole, microdata.protect, ("s",))
        figure = dict(enumerate(_figures(model, view)))
        assert all(figure[row] <= bound + 1e-9 for row in kept)


def _figures(model, view):
    return model.figures_of(view)[view.classes.of]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("global-risk <= 5", "worst class"),
        ("beta-likeness >= 1", "safe side"),
        ("beta-likeness of q0 <= 1", "one of s"),
        ("no-such-model <= 1", "no-such-model"),
        ("profitability(attacker = 'journalist') <= 1", "worst class"),
    ],
)
def test_what_cannot_be_required_is_refused(text, wanted):
    microdata = _microdata()
    with pytest.raises(InputError, match=wanted):
        Lattice(Lattice.Params(k=1, require=(text,)), microdata, RegisteredModels(default_registry()))


def _microdata():
    from evosdc.model import Microdata
    from evosdc.table.hierarchy import Hierarchy
    from evosdc.table.schema import Attribute, Role, Schema
    from evosdc.table.table import Table

    tree = Hierarchy(("a", "b"), (("*",), ("*",)))
    schema = Schema(
        (
            Attribute("q0", Role.QUASI_IDENTIFIER, categories=("a", "b"), hierarchy=tree),
            Attribute("s", Role.SENSITIVE, categories=("x", "y")),
        )
    )
    return Microdata(Table(schema, np.array([[0, 0], [1, 1], [0, 1]], np.int32), np.empty((3, 0))), ("q0",))


@pytest.mark.parametrize(("former", "name"), [("equal", "nominal"), ("ordered", "ordinal"), (None, "auto")])
def test_former_names_of_distances_mean_the_same(former, name):
    assert Lattice.Params(k=2, t=0.2, distance=former) == Lattice.Params(k=2, t=0.2, distance=name)
