"""What exists is not written over, the ending of a name says the format, and what is missing is told of."""

import json

import pandas as pd
import pytest

from evosdc.api.html import require_free
from evosdc.api.inspection import Scores
from evosdc.errors import DataError

MASK = ("mask", "mdav", "survey.csv", "--schema", "schema.toml", "--protect", "age")


@pytest.mark.parametrize(
    ("words", "name", "further"),
    [
        (("export", "r", 1), "precious.csv", "precious.manifest.json"),
        (MASK, "precious.csv", "precious.manifest.json"),
        (("mask", "pram", *MASK[2:]), "precious.csv", "precious.matrices.json"),
        (("report", "r"), "page.html", None),
        (("init", "coded.csv"), "mine.toml", "mine-zip.csv"),
    ],
)
def test_what_exists_is_written_over_when_forced_alone(evosdc, home, words, name, further):
    (home / "coded.csv").write_text("zip\n" + "\n".join(str(43101 + i % 50) for i in range(100)) + "\n")
    assert evosdc(*words, "-o", name).status == 0
    assert further is None or (home / further).exists()
    for path in filter(None, (name, further)):
        (home / path).write_text("<!doctype html>precious")
        others = {other for other in (name, further) if other not in (None, path)}
        for other in others:
            (home / other).unlink()
        answer = evosdc(*words, "-o", name)
        assert (answer.status, answer.out) == (2, ""), answer
        assert f"{path}: given a file that exists" in answer.err
        assert "--force" in answer.err
        assert (home / path).read_text() == "<!doctype html>precious"
        assert not any((home / other).exists() for other in others)
        assert evosdc(*words, "-o", name, "--force").status == 0
        assert (home / path).read_text() != "<!doctype html>precious"


@pytest.mark.parametrize(
    ("words", "name", "changed"),
    [
        (("export", "r", 1), "mine.csv", "mine.csv"),
        (("mask", "pram", *MASK[2:]), "mine.csv", "mine.csv"),
        (("report", "r"), "page.html", None),
    ],
)
def test_what_evosdc_wrote_is_written_anew_while_nobody_changed_it(evosdc, home, words, name, changed):
    for _ in range(2):
        assert evosdc(*words, "-o", name).status == 0
    if changed:
        (home / changed).write_text((home / changed).read_text() + "m,20,a\n")
        answer = evosdc(*words, "-o", name)
        assert (answer.status, answer.err.count("a file that exists")) == (2, 1)
        (home / "mine.manifest.json").write_text("[]")
        for path in (name, "mine.manifest.json"):
            assert f"{path}: given a file that exists" in evosdc(*words, "-o", name).err


def test_python_pages_are_not_written_over_either(tmp_path):
    target = Scores(dbil=1.0).report(tmp_path / "scores.html")
    assert "2" in Scores(dbil=2.0).report(target).read_text(), "it was made by evosdc"
    target.write_text("<!doctype html>precious")
    with pytest.raises(DataError, match="overwrite=True"):
        Scores(dbil=2.0).report(target)
    assert "2" in Scores(dbil=2.0).report(target, overwrite=True).read_text()
    target.write_text("precious")
    with pytest.raises(DataError, match="a file that exists"):
        require_free(target, False)


def test_a_member_that_is_the_original_is_told_of(evosdc, home):
    answer = evosdc("export", "r", 0, "--keep-order", "-o", "member.csv")
    assert answer.status == 0
    assert (home / "member.csv").read_bytes() == (home / "survey.csv").read_bytes()
    assert "Member 0 of the front is the original" in answer.err
    told = json.loads(evosdc("export", "r", 0, "-o", "other.csv", "--json").out)
    assert any("Member 0 of the front is the original" in sentence for sentence in told["warnings"])
    assert "is the original" not in evosdc("export", "r", 1, "-o", "second.csv").err


def test_the_verdict_goes_with_what_is_exported(evosdc, home):
    result = json.loads((home / "r" / "result.json").read_text())
    for publishable, headline in ((False, "not publishable"), (True, "publishable")):
        result["verdict"] |= {
            "publishable": publishable,
            "headline": headline,
            "reasons": ["An intruder finds 30 %."],
        }
        (home / "r" / "result.json").write_text(json.dumps(result))
        answer = evosdc("export", "r", 1, "-o", f"{headline[:3]}.csv", "--json")
        said = "The verdict of this run on its best file is NOT PUBLISHABLE: An intruder finds 30 %."
        assert answer.status == 0
        assert (said in answer.err, said in json.loads(answer.out)["warnings"]) == (not publishable,) * 2


def test_a_member_that_no_judge_saw_is_told_of(evosdc, home):
    result = json.loads((home / "r" / "result.json").read_text())
    for best in (0, 1):
        (home / "r" / "result.json").write_text(json.dumps(result | {"best": result["best"] | result["front"][best]}))
        answer = evosdc("export", "r", 1, "-o", f"of-{best}.csv", "--json")
        scores = result["front"][1]["scores"]
        said = (
            f"The verdict of this run is about its best file (member {best}); this one was not judged: "
            f"IL {scores['il']:.2f}, DR {scores['dr']:.2f}. This judges it: evosdc choose r 1 -o FOLDER"
        )
        assert (said in answer.err, said in json.loads(answer.out)["warnings"]) == (best == 0,) * 2


def test_the_number_of_a_member_counts_from_0(evosdc, home):
    for number in (-1, -12, 999):
        answer = evosdc("export", "r", number, "-o", "member.csv")
        assert answer.status == 2
        assert f"given {number}; wanted 0.." in answer.err
    assert "No such option" in evosdc("export", "r", 0, "--nonsense", "-o", "member.csv").err


READERS = {
    "xlsx": ("openpyxl", pd.read_excel),
    "parquet": ("pyarrow", pd.read_parquet),
    "feather": ("pyarrow", pd.read_feather),
    "sav": ("pyreadstat", pd.read_spss),
    "dta": ("pyreadstat", pd.read_stata),
    "csv.gz": ("pandas", pd.read_csv),
    "zip": ("pandas", pd.read_csv),
    "tsv": ("pandas", lambda path: pd.read_csv(path, sep="\t")),
}


@pytest.mark.parametrize("ending", sorted(READERS))
def test_the_ending_says_the_format(evosdc, home, ending):
    needed, read = READERS[ending]
    pytest.importorskip(needed, reason=f"{needed} is not installed")
    assert evosdc(*MASK, "--set", "k=4", "-o", "plain.csv").status == 0
    assert evosdc(*MASK, "--set", "k=4", "-o", f"masked.{ending}").status == 0
    found, wanted = read(home / f"masked.{ending}"), pd.read_csv(home / "plain.csv")
    assert list(found.columns) == ["sex", "age", "town"]
    assert found["age"].astype(int).tolist() == wanted["age"].tolist()
    assert found["town"].astype(str).tolist() == wanted["town"].tolist()
    scores = [
        json.loads(evosdc("measure", "survey.csv", name, "--schema", "schema.toml", "--measures", "dbil", "--json").out)
        for name in ("plain.csv", f"masked.{ending}")
    ]
    assert scores[0]["dbil"] == scores[1]["dbil"] > 0


def test_missing_values_and_formulas_in_another_format(evosdc, tmp_path):
    openpyxl = pytest.importorskip("openpyxl", reason="openpyxl is not installed")
    rows = [f"{'' if i % 9 == 0 else i % 5},=1+{i % 2},{i % 3}.5{',NA' if i % 7 == 0 else ',07'}\n" for i in range(40)]
    (tmp_path / "s.csv").write_text("n,text,half,code\n" + "".join(rows))
    assert evosdc("mask", "pram", "s.csv", "--protect", "n", "--set", "p=1", "-o", "m.xlsx").status == 0
    sheet = openpyxl.load_workbook(tmp_path / "m.xlsx").active
    cells = [[cell.value for cell in row] for row in sheet.iter_rows(min_row=2, max_row=3)]
    assert cells == [[None, "=1+0", 0.5, None], [1, "=1+1", 1.5, "07"]]
    assert sheet["B2"].data_type == "s"


@pytest.mark.parametrize("name", ["masked.foo", "masked.sas7bdat", "masked.foo.gz", "masked.pdf"])
def test_an_unknown_ending_is_refused_before_any_work(evosdc, home, name):
    for words in (MASK, ("export", "r", 1)):
        answer = evosdc(*words, "-o", name)
        assert (answer.status, answer.out) == (2, "")
        assert ".xlsx, .sav" in answer.err
        assert len(answer.err.splitlines()) == 1
    assert not (home / name).exists()


@pytest.mark.parametrize(
    ("name", "content", "advice"),
    [
        ("result.json", None, "evosdc resume r` writes it again"),
        ("result.json", "{", "evosdc resume r` writes it again"),
        ("experiment.toml", "", "evosdc resume r` writes it again"),
        ("experiment.toml", None, "evosdc resume r` writes it again"),
        ("front.csv", None, "remove result.json: `evosdc resume r`"),
        ("risk.json", "", "remove result.json: `evosdc resume r`"),
        ("environment.json", None, "Restore it"),
        ("status.json", None, "Restore it"),
    ],
)
def test_lacking_files_of_a_run_are_told_of(evosdc, home, name, content, advice):
    file = home / "r" / name
    before = file.read_bytes()
    file.unlink()
    if content is not None:
        file.write_text(content)
    for words in (("status", "r"), ("report", "r", "-o", "page.html"), ("export", "r", 1, "-o", "member.csv")):
        answer = evosdc(*words)
        assert answer.status == 2, words
        assert f"r/{name}: given" in answer.err + answer.out
        assert advice in answer.err + answer.out
    assert not (home / "page.html").exists()
    if "anew" in advice and content != "{":
        assert evosdc("resume", "r", "--quiet").status == 0
        assert evosdc("status", "r").status == 0
        assert name != "experiment.toml" or file.read_bytes() == before
