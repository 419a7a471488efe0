"""The scripted experiments run, and a whole run through the command leaves what a user needs."""

import csv
import json
import subprocess
import sys
from pathlib import Path

import pytest

from evosdc.cli import main
from tests.cluster.commands import wait_for

ROOT = Path(__file__).parents[3]


def write_file(folder):
    lines = ["id;age;town;illness"]
    lines += [f"{i};{20 + i % 7};{'ABC'[i % 3]}{i % 2};{'flu' if i % 4 else 'cold'}" for i in range(60)] + [
        "60;99;Z9;flu"
    ]
    (folder / "x.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    (folder / "towns.csv").write_text(
        "\n".join(f"{t}{i};{t};*" for t in "ABC" for i in (0, 1)) + "\nZ9;Z;*\n", encoding="utf-8"
    )
    (folder / "schema.toml").write_text(
        '[attributes]\nid = { role = "identifier" }\nage = { role = "quasi-identifier", scale = "numeric" }\n'
        'town = { role = "quasi-identifier", scale = "nominal", hierarchy = "towns.csv" }\n'
        'illness = { role = "sensitive", scale = "nominal" }\n',
        encoding="utf-8",
    )
    (folder / "x.toml").write_text(
        'data = { file = "x.csv", schema = "schema.toml" }\n'
        'genotype = { name = "lattice", k = 3, suppression = 2, l = 2 }\n'
        'measures = ["dm", "lm"]\nfitness = { name = "lm" }\nalgorithm = { name = "optimal" }\n',
        encoding="utf-8",
    )


@pytest.fixture
def evosdc(capsys):
    def call(*words):
        capsys.readouterr()
        with pytest.raises(SystemExit) as caught:
            main([str(word) for word in words])
        said = capsys.readouterr()
        return int(caught.value.code or 0), said.out, said.err

    return call


def run(evosdc, folder, *settings):
    words = ["run", folder / "x.toml", "-o", folder / "run", "--json"]
    for setting in settings:
        words += ["--set", setting]
    status, out, err = evosdc(*words)
    assert status == 0, err
    return json.loads(out)


@pytest.mark.parametrize("name", ["optimal", "exhaustive", "samarati", "tabu", "ga-tabu", "genetic"])
def test_a_run_publishes_a_file_that_meets_the_model(name, evosdc, tmp_path):
    write_file(tmp_path)
    result = run(evosdc, tmp_path, f"algorithm.name={name}", "stop.generations=30")
    genome = result["best"]["genome"]
    assert set(genome["levels"]) == {"age", "town"}
    assert genome["suppressed"] <= 2
    assert any("age" in note for note in result["notes"]), "the hierarchy that was built is not told"
    assert result["best"]["scores"]["violation"] == 0.0
    rows = list(csv.DictReader((tmp_path / "run" / "best.csv").open(encoding="utf-8"), delimiter=";"))
    classes = {}
    for row in rows:
        classes.setdefault((row["age"], row["town"]), []).append(row["illness"])
    hidden = classes.pop(("*", "*"), [])
    assert len(hidden) == genome["suppressed"]
    assert all(len(members) >= 3 and len(set(members)) >= 2 for members in classes.values())
    assert ("optima" in genome) == (name in ("optimal", "exhaustive", "samarati"))
    assert f"{genome['classes']['count']} classes of" in (tmp_path / "run" / "picture-1.svg").read_text("utf-8")
    assert "<circle" in (tmp_path / "run" / "picture-2.svg").read_text(encoding="utf-8")
    assert (tmp_path / "run" / "report.html").read_text(encoding="utf-8").count('class="picture"') == 2


def test_the_counts_before_and_after_are_those_of_the_attribute_that_they_name(evosdc, tmp_path):
    write_file(tmp_path)  # age, a number, comes first and is published as labels
    run(evosdc, tmp_path)
    counts = json.loads((tmp_path / "run" / "frequencies.json").read_text(encoding="utf-8"))["town"]
    rows = list(csv.DictReader((tmp_path / "run" / "best.csv").open(encoding="utf-8"), delimiter=";"))
    published = [row["town"] for row in rows]
    assert dict(zip(counts["categories"], counts["after"], strict=True)) == {
        label: published.count(label) for label in counts["categories"]
    }
    assert sum(counts["before"]) == sum(counts["after"]) == 61


def test_what_was_decided_for_the_user_is_said_in_the_report(evosdc, tmp_path):
    write_file(tmp_path)
    status, out, err = evosdc("run", tmp_path / "x.toml", "-o", tmp_path / "run")
    assert status == 0, err
    assert "report.html" in "".join(out.split()), "the terminal tells where the report is"
    said = "No hierarchy was given for age"
    assert any(said in note for note in json.loads((tmp_path / "run" / "result.json").read_text("utf-8"))["notes"])
    assert said in (tmp_path / "run" / "report.html").read_text("utf-8")


def test_a_measure_of_the_original_categories_is_refused_and_those_that_fit_are_named(evosdc, tmp_path):
    write_file(tmp_path)
    status, _, said = evosdc("run", tmp_path / "x.toml", "--set", 'measures=["lm","dbil"]', "-o", tmp_path / "r")
    assert status == 2
    assert "dbil" in said
    assert "iloss" in said


def test_constraints_are_left_to_the_exhaustive_search(evosdc, tmp_path):
    write_file(tmp_path)
    status, _, said = evosdc("run", tmp_path / "x.toml", "--set", 'constraints=["dm <= 5000"]', "-o", tmp_path / "r")
    assert status == 2
    assert "exhaustive" in said
    settings = 'constraints=["dm <= 5000"]', "algorithm.name=exhaustive"
    assert run(evosdc, tmp_path, *settings)["best"]["scores"]["infeasibility"] == 0.0


@pytest.mark.parametrize(
    "setting", ["genotype.diversity=entropy", "genotype.c=2", "genotype.t=0.5"], ids=["diversity", "c", "distance"]
)
def test_a_parameter_that_would_do_nothing_is_refused(setting, evosdc, tmp_path):
    write_file(tmp_path)
    text = (tmp_path / "x.toml").read_text(encoding="utf-8")
    alone = text.replace(", l = 2", ', distance = "equal"' if setting.startswith("genotype.t") else "")
    (tmp_path / "x.toml").write_text(alone, encoding="utf-8")
    words = [] if setting.startswith("genotype.t") else ["--set", setting]
    status, _, said = evosdc("check", tmp_path / "x.toml", *words)
    assert status == 2
    assert "alone they have no effect" in said


@pytest.mark.endurance
@pytest.mark.parametrize("name", ["ga-tabu", "exhaustive"])
def test_a_killed_search_goes_on_to_the_same_result(name, evosdc, tmp_path):
    lines = ["a,b,c,d,e,f"] + [",".join(str((i * p) % 16) for p in (1, 3, 5, 7, 11, 13)) for i in range(300)]
    (tmp_path / "x.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    attributes = "".join(f'{a} = {{ role = "quasi-identifier", scale = "ordinal" }}\n' for a in "abcdef")
    (tmp_path / "schema.toml").write_text(f"[attributes]\n{attributes}", encoding="utf-8")
    search = {"ga-tabu": 'name = "ga-tabu", population = 4', "exhaustive": 'name = "exhaustive"'}[name]
    (tmp_path / "x.toml").write_text(
        'seed = 1\ndata = { file = "x.csv", schema = "schema.toml" }\nmeasures = ["lm"]\nfitness = { name = "lm" }\n'
        f'genotype = {{ name = "lattice", k = 2, suppression = 0.1 }}\nalgorithm = {{ {search} }}\n'
        "stop = { generations = 200 }\n",
        encoding="utf-8",
    )
    whole = run(evosdc, tmp_path)
    # However quick the computer, there is time to kill it.
    program = (
        "import sys, time, evosdc.experiment.recorder as o; from evosdc.cli import main\n"
        "plain = o.Recorder.__call__\n"
        "o.Recorder.__call__ = lambda self, *given: (time.sleep(0.05), plain(self, *given))[1]\n"
        "main(sys.argv[1:])"
    )
    command = [sys.executable, "-c", program, "run", str(tmp_path / "x.toml"), "-o", str(tmp_path / "killed")]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    # The terminal is told every few seconds alone.
    journal = tmp_path / "killed" / "journal.jsonl"
    wait_for(lambda: journal.exists() and journal.read_bytes().count(b"\n") > 2, process)
    process.kill()
    process.wait(timeout=300)
    assert not (tmp_path / "killed" / "result.json").exists()
    status, _, said = evosdc("resume", tmp_path / "killed")
    assert status == 0, said
    again = json.loads((tmp_path / "killed" / "result.json").read_text(encoding="utf-8"))
    assert again["digest"] == whole["digest"]
    assert again["best"]["genome"] == whole["best"]["genome"]


def test_suppressed_records_can_be_dropped(evosdc, tmp_path):
    write_file(tmp_path)
    result = run(evosdc, tmp_path, "genotype.suppressed=drop")
    rows = (tmp_path / "run" / "best.csv").read_text(encoding="utf-8").splitlines()
    assert len(rows) == 1 + 61 - result["best"]["genome"]["suppressed"]
    assert result["best"]["genome"]["suppressed"] > 0


def test_impossible_models_are_told_before_the_run(evosdc, tmp_path):
    write_file(tmp_path)
    status, _, said = evosdc("run", tmp_path / "x.toml", "--set", "genotype.l=5", "-o", tmp_path / "r")
    assert status == 2
    assert "can be met" in said


def test_a_fitness_of_a_measure_that_is_not_taken_is_told(evosdc, tmp_path):
    write_file(tmp_path)
    status, _, said = evosdc("check", tmp_path / "x.toml", "--set", "fitness.name=entropy")
    assert status == 2
    assert "entropy" in said


@pytest.mark.parametrize("role", ["other", "weight", "stratum"])
def test_any_published_column_can_be_sensitive(role, evosdc, tmp_path):
    write_file(tmp_path)
    schema = (tmp_path / "schema.toml").read_text(encoding="utf-8")
    scale = "numeric" if role == "weight" else "nominal"
    written = schema.replace(
        'illness = { role = "sensitive", scale = "nominal" }', f'illness = {{ role = "{role}", scale = "{scale}" }}'
    )
    (tmp_path / "schema.toml").write_text(written, encoding="utf-8")
    if role == "weight":
        text = (tmp_path / "x.csv").read_text(encoding="utf-8")
        (tmp_path / "x.csv").write_text(text.replace("flu", "1.5").replace("cold", "2.5"), encoding="utf-8")
    run(evosdc, tmp_path, 'genotype.sensitive="illness"')
    classes = {}
    for row in csv.DictReader((tmp_path / "run" / "best.csv").open(encoding="utf-8"), delimiter=";"):
        classes.setdefault((row["age"], row["town"]), set()).add(row["illness"])
    classes.pop(("*", "*"), None)
    assert classes
    assert all(len(values) >= 2 for values in classes.values())


@pytest.mark.parametrize(
    ("name", "said"), [("id", "an identifier"), ("nix", "one of id, age, town"), ("age", "protected as well")]
)
def test_columns_that_cannot_be_sensitive_are_refused_once(name, said, evosdc, tmp_path):
    write_file(tmp_path)
    words = ["run", tmp_path / "x.toml", "-o", tmp_path / "run", "--set", f'genotype.sensitive="{name}"']
    status, _, err = evosdc(*words)
    assert status == 2
    assert said in err
    assert err.count("genotype lattice") == 1


@pytest.mark.parametrize("name", ["optimal", "exhaustive", "bottom-up", "ga-tabu", "top-down"])
def test_how_good_any_node_could_be_is_told(name, evosdc, tmp_path):
    write_file(tmp_path)
    result = run(evosdc, tmp_path, f"algorithm.name={name}", "stop.generations=30")
    bound = result["best"]["genome"]["bound"]
    assert bound["measure"] == "lm"
    assert bound["loss"] == result["best"]["scores"]["lm"]
    assert 0.0 < bound["least"] <= bound["loss"]
    assert bound["gap"] == pytest.approx((bound["loss"] - bound["least"]) / bound["loss"])
    proved = name in ("optimal", "exhaustive", "bottom-up")
    assert (bound["gap"] == 0.0) == proved
    assert any("No node within the limit" in note for note in result["notes"])
    report = (tmp_path / "run" / "report.html").read_text(encoding="utf-8")
    assert "No node within the limit" in report
    assert "could be saved at most" in report
