"""``evosdc cluster``: tables for people, JSON for programs, files of a new folder."""

import csv
import json
import stat

import pytest

from tests.report.parsing import parsed

GROUPS = [("m", 20, "north", "a"), ("f", 40, "south", "b"), ("m", 60, "ëast", "c")]


@pytest.fixture
def survey(tmp_path):
    rows = [(sex, age + i % 3, region, town) for i in range(20) for sex, age, region, town in GROUPS]
    lines = ["sex,age,region,town", *(",".join(map(str, row)) for row in rows)]
    (tmp_path / "survey.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    (tmp_path / "schema.toml").write_text(
        '[attributes]\nsex = { role = "quasi-identifier", scale = "nominal" }\n'
        'age = { role = "quasi-identifier", scale = "numeric" }\n'
        'region = { role = "quasi-identifier", scale = "nominal" }\n'
    )
    return ("survey.csv", "--schema", "schema.toml", "--c", "3")


def rows_of(path):
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_tables_for_people(evosdc, survey, tmp_path):
    before = sorted(path.name for path in tmp_path.iterdir())
    answer = evosdc("cluster", *survey, "--up-to", "6")
    assert answer.status == 0
    assert "sex m, age 21, region north" in " ".join(answer.out.replace("│", " ").split())
    assert "suggested, taken" in answer.out
    assert "The curve up to 6 clusters suggests 3" in answer.out
    assert "Clusterings by 5 seeds are all equal." in answer.out
    assert "rule 'category'" in answer.out
    assert sorted(path.name for path in tmp_path.iterdir()) == before, "nothing is written without -o"


def test_files_of_a_new_folder(evosdc, survey, tmp_path):
    answer = evosdc("cluster", *survey, "--fuzzy", "1.2", "-o", "found", "--quiet")
    assert answer.status == 0
    assert answer.err == ""
    folder = tmp_path / "found"
    names = ("clusters.json", "fuzzy-representatives.csv", "labels.csv", "memberships.csv", "report.html")
    assert sorted(path.name for path in folder.iterdir()) == [*names, "representatives.csv"]
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert {stat.S_IMODE(path.stat().st_mode) for path in folder.iterdir()} == {0o600}
    labels = [row["cluster"] for row in rows_of(folder / "labels.csv")]
    assert labels == labels[:3] * 20, "in the order of the file"
    assert sorted(labels[:3]) == ["0", "1", "2"]
    centres = rows_of(folder / "representatives.csv")
    own = next(row for row in centres if row["cluster"] == labels[0])
    assert (own["records"], own["sex"], own["age"], own["region"], own["medoid"]) == ("20", "m", "21", "north", "3")
    for row in rows_of(folder / "memberships.csv"):
        assert sum(map(float, row.values())) == pytest.approx(1.0, abs=1e-5)
    assert evosdc("cluster", *survey, "-o", "found").status == 2, "a folder that exists is left alone"
    assert evosdc("cluster", *survey, "-o", "found", "--force").status == 0
    assert sorted(path.name for path in folder.iterdir()) == sorted(
        {*names, "representatives.csv"} - {"memberships.csv", "fuzzy-representatives.csv"}
    )
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "letter.txt").write_text("dear")
    assert evosdc("cluster", *survey, "-o", "mine", "--force").status == 2, "only what the command wrote is replaced"
    assert (tmp_path / "mine" / "letter.txt").exists()


def test_json_is_one_object_and_the_same_by_the_same_seed(evosdc, survey, tmp_path):
    answer = evosdc("cluster", *survey, "--json", "--seed", "5", "-o", "one")
    account = json.loads(answer.out)
    assert answer.err == ""
    assert account["attributes"] == ["sex", "age", "region"]
    assert [row["records"] for row in account["clusters"]] == [20, 20, 20]
    assert account["elbow"]["suggested"] == 3
    assert account["stability"]["seeds"] == [5, 6, 7, 8, 9]
    assert account["fuzzy"] is None
    assert account["files"] == ["labels.csv", "representatives.csv", "clusters.json", "report.html"]
    again = evosdc("cluster", *survey, "--json", "--seed", "5", "-o", "two")
    assert again.out == answer.out
    assert (tmp_path / "one/labels.csv").read_bytes() == (tmp_path / "two/labels.csv").read_bytes()
    stored = json.loads((tmp_path / "one/clusters.json").read_text(encoding="utf-8"))
    assert stored == {key: value for key, value in account.items() if key != "files"}


def test_attributes_may_be_named_and_parts_left_out(evosdc, survey):
    answer = evosdc("cluster", *survey, "--protect", "town", "--up-to", "1", "--seeds", "1", "--json")
    account = json.loads(answer.out)
    assert account["attributes"] == ["town"]
    assert account["elbow"] is None
    assert account["stability"] is None
    assert account["distance"] == 0.0


def test_more_clusters_than_records_differ(evosdc, survey):
    answer = evosdc("cluster", "survey.csv", "--schema", "schema.toml", "--protect", "sex", "--c", "9")
    assert answer.status == 0
    assert "9 clusters were requested; there are 2" in answer.err


def test_the_page_tells_the_same(evosdc, survey, tmp_path):
    evosdc("cluster", *survey, "--fuzzy", "2", "-o", "found")
    text = (tmp_path / "found/report.html").read_text(encoding="utf-8")
    page = parsed(text)
    assert page.unclosed == []
    assert page.title == "Clusters of survey.csv"
    curve = page.figures["elbow"]["data"][1]
    assert list(curve["x"]) == list(range(1, 10))
    assert "ëast" in page.text
    assert "sum of degrees" in page.text
    assert "http" not in text.split("<script")[0].replace("http-equiv", "")


def test_formulas_are_made_texts_on_request(evosdc, tmp_path):
    (tmp_path / "f.csv").write_text("=a,b\n" + "=1+x,u\n" * 5 + "c,v\n" * 4)
    words = ("cluster", "f.csv", "--protect", "=a,b", "--c", "2", "--quiet", "-o")
    assert evosdc(*words, "plain").status == 0
    assert evosdc(*words, "safe", "--neutralise-formulas").status == 0
    assert rows_of(tmp_path / "plain/representatives.csv")[0]["=a"] == "=1+x"
    assert rows_of(tmp_path / "safe/representatives.csv")[0]["'=a"] == "'=1+x"


def test_a_cluster_of_few_records_shows_none_of_them(evosdc, tmp_path):
    (tmp_path / "few.csv").write_text("town,age\n" + "north,b30\n" * 9 + "secret,b70\n")
    words = ("cluster", "few.csv", "--protect", "town,age", "--c", "2", "-o", "found")
    answer = evosdc(*words)
    assert "not shown" in answer.out
    found = tmp_path / "found"
    told = answer.out + answer.err + (found / "report.html").read_text() + (found / "clusters.json").read_text()
    assert "secret" not in told
    assert "secret" in (found / "representatives.csv").read_text()


def test_losses_of_the_measure_are_beside_their_yardstick(evosdc, survey):
    same = evosdc("measure", "survey.csv", "survey.csv", "--schema", "schema.toml", "--measures", "cluster-agreement",
                  "--set", "cluster-agreement.index=fuzzy-rand", "--json")  # fmt: skip
    assert json.loads(same.out)["cluster-agreement"] == 0.0
    account = json.loads(evosdc("cluster", *survey, "--json").out)
    assert account["stability"]["losses"].keys() == account["stability"]["greatest"].keys()


def test_the_measure_drives_a_search(evosdc, survey, tmp_path):
    (tmp_path / "e.toml").write_text(
        'data = { file = "survey.csv", schema = "schema.toml" }\nexecutor = "serial"\nstart = { random = 3 }\n'
        'measures = { il = [{ name = "cluster-agreement", begin = "original", clusters = 3 }], dr = ["dbrl"] }\n'
        "stop = { generations = 2 }\n"
    )
    answer = evosdc("run", "e.toml", "-o", "r", "--quiet", "--json")
    assert answer.status == 0, answer.err
    assert 0.0 <= json.loads(answer.out)["best"]["scores"]["cluster-agreement"] <= 100.0


def test_many_clusters_are_counted_not_listed(evosdc, tmp_path):
    (tmp_path / "many.csv").write_text("x\n" + "".join(f"v{i}\n" for i in range(60)) * 3)
    answer = evosdc(
        "cluster", "many.csv", "--protect", "x", "--c", "50", "--up-to", "1", "--seeds", "1", "--starts", "1"
    )
    assert answer.status == 0, answer.err
    assert "And 10 smaller clusters" in answer.out


def test_masking_that_changes_nothing_is_told(evosdc, tmp_path):
    (tmp_path / "own.csv").write_text("sex,region\n" + "f,n\nm,s\n" * 20)
    inner = ("--set", "c=2", "--set", "inner=rank-swapping")
    answer = evosdc("mask", "clustered", "own.csv", "--protect", "sex,region", *inner, "-o", "m.csv")
    assert answer.status == 0
    assert "No value was changed" in " ".join(answer.err.split())
