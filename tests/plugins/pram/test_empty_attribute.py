"""An attribute without any category, all values missing, goes through a whole run."""

import json

import pytest

from evosdc.cli import main


def test_all_missing_beside_a_real_attribute(tmp_path, capsys):
    rows = "\n".join(f"{'xyz'[i % 3]}," for i in range(30))
    (tmp_path / "d.csv").write_text(f"a,empty\n{rows}\n")
    (tmp_path / "x.toml").write_text(
        'data = { file = "d.csv", protect = ["a", "empty"] }\ngenotype = { name = "pram" }\n'
        'start = { initial = true }\nalgorithm = { name = "parent-child", population = 4, generations = 2 }\n'
    )
    with pytest.raises(SystemExit) as end:
        main(["run", str(tmp_path / "x.toml"), "-o", str(tmp_path / "run"), "--json"])
    assert end.value.code == 0
    assert json.loads(capsys.readouterr().out)["generations"] == 2
    assert (tmp_path / "run" / "best.csv").read_text().splitlines()[1].endswith(",")
