"""The classes of a masked file as r-clustering publishes them."""

import numpy as np
import pandas as pd
import pytest

from evosdc.errors import ParameterError
from evosdc_masking.anonymity.published_classes import published_classes
from tests.cli.conftest import evosdc  # noqa: F401 -- a fixture
from tests.plugins.masking.tables import NOMINAL, categorical

SLIDE = "age,salary,disease\n25,50,flu\n27,60,cold\n29,100,flu\n35,110,cold\n39,120,cold\n"


def test_a_cluster_has_a_centre_a_number_of_points_sensitive_values_and_a_radius() -> None:
    # The slides' table without a common value: attributes of 0 and 1, centre (1, 1, 1, 1), radius 1.
    rows = np.ones((5, 5), dtype=np.int32)
    rows[np.arange(4), np.arange(4)] = 0
    rows[:, 4] = [0, 1, 0, 1, 1]
    original = categorical(rows, (2,) * 5, (NOMINAL,) * 5)
    published = rows.copy()
    published[:, :4] = 1
    masked = categorical(published, (2,) * 5, (NOMINAL,) * 5)
    names = original.schema.names
    found = published_classes(original, masked, names[:4], names[4:])
    assert found.to_dict("records") == [
        dict.fromkeys(names[:4], "001")
        | {"records": 5, names[4]: "001 (3); 000 (2)", "radius": 1.0, "mean distance": 0.8}
    ]
    with pytest.raises(ParameterError, match="in both"):
        published_classes(original, masked, names[:4], names[3:])


def test_classes_by_command(evosdc, tmp_path) -> None:  # noqa: F811
    (tmp_path / "slide.csv").write_text(SLIDE)
    pick = ("--protect", "age,salary")
    for output in ("centre", "interval"):
        words = ("--set", "k=2", "--set", f"output={output}", "--seed", "1", "--force", "-o", "masked.csv")
        assert evosdc("mask", "r-gather", "slide.csv", *pick, *words).status == 0
        answer = evosdc("classes", "slide.csv", "masked.csv", *pick, "--sensitive", "disease", "--force", "-o", "c.csv")
        assert answer.status == 0, answer.err
        assert "2 classes of 2 to 3 records, 2.5 on average" in answer.out
        classes = pd.read_csv(tmp_path / "c.csv")
        assert classes["disease"].tolist() == ["cold (1); flu (1)", "cold (2); flu (1)"]
        assert (classes["mean distance"] <= classes["radius"]).all()
    wrong = evosdc("classes", "slide.csv", "masked.csv", *pick, "--sensitive", "diseas", "-o", "new.csv")
    assert (wrong.status, "Did you mean 'disease'?" in wrong.err) == (2, True)
