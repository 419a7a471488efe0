"""What `evosdc mask pram` says its matrices prove."""

from __future__ import annotations

from tests.cli.conftest import evosdc  # noqa: F401 -- a fixture


def written(path):
    rows = "".join(f"{'mf'[i % 2]},{'abc'[i * i % 3]}\n" for i in range(300))
    (path / "people.csv").write_text(f"sex,town\n{rows}")
    (path / "schema.toml").write_text(
        '[attributes]\nsex = { categories = ["m", "f"] }\ntown = { categories = ["a", "b", "c"] }\n'
    )


def test_given_matrices_prove_and_designs_of_frequencies_do_not(evosdc, tmp_path) -> None:  # noqa: F811
    written(tmp_path)
    words = ("mask", "pram", "people.csv", "--schema", "schema.toml", "--protect", "sex")
    made = evosdc(*words, "--set", "design=a", "-o", "a.csv")
    assert made.status == 0, made.err
    assert "No proof: the matrices were made from these data" in made.out
    given = evosdc(*words, "--set", "design=matrix", "--set", "matrix=a.matrices.json", "-o", "b.csv")
    assert given.status == 0, given.err
    assert "Proof for matrices that were not chosen by these data" in given.out
    assert "linked record by record" in given.out
