"""Recipes: what a run leaves, `evosdc explain`, and `evosdc apply` on next year's file."""

import io
import json
import tomllib
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import tomli_w

import evosdc
from evosdc.cli import main
from evosdc.errors import DataError, InputError
from evosdc.experiment.assembly import assemble
from evosdc.experiment.experiment import Experiment
from evosdc.experiment.reader import Recipe, read_recipe, recipe_text
from evosdc.experiment.recipe import explanation, recipe_of
from evosdc.model import Masking
from evosdc.plugins.registry import default_registry
from evosdc.runs.layout import manifest_path, refused_name

PLANS = '"recipes", draws = 2, fresh_draws = 2, lasting = false'
EXPERIMENT = """
seed = 3
data = {{ file = "{data}", protect = ["age", "region", "income"] }}
genotype = {{ name = {plans} }}
measures = {{ il = ["ctbil", "il1s"], dr = ["dbrl"] }}
algorithm = {{ name = "racing", population = 6, children = 6 }}
fitness = "max"
stop = {{ generations = 4 }}
executor = "serial"
"""


def wave(year: int, n: int = 130) -> pd.DataFrame:
    """Return a wave of a survey."""
    rng = np.random.default_rng(year)
    age = rng.integers(18, 30, n)
    return pd.DataFrame(
        {
            "age": age,
            "region": rng.choice(["north", "south", "west"], n, p=[0.5, 0.3, 0.2]),
            "income": (age - 10 + rng.integers(0, 12, n)) * 100,
            "health": rng.choice(["good", "poor"], n),
        }
    )


def frame(year: int) -> pd.DataFrame:
    """Return a wave with the types that say what a file's columns are taken for."""
    ages = pd.CategoricalDtype(list(range(18, 30)), ordered=True)
    return wave(year).astype({"age": ages})


def evosdc_says(*words: object) -> tuple[int, str, str]:
    said, told = io.StringIO(), io.StringIO()
    with redirect_stdout(said), redirect_stderr(told), pytest.raises(SystemExit) as caught:
        main([str(word) for word in words])
    return int(caught.value.code or 0), said.getvalue(), told.getvalue()


def published(folder: Path) -> pd.DataFrame:
    """Return the masked file in a folder, whatever the verdict calls it."""
    (file,) = folder.glob("masked*.csv")
    return pd.read_csv(file)


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with two waves and a finished run on the first one."""
    home = tmp_path_factory.mktemp("waves")
    for year in (2025, 2026):
        wave(year).to_csv(home / f"{year}.csv", index=False)
    (home / "recipes.toml").write_text(EXPERIMENT.format(plans=PLANS, data="2025.csv"))
    code, _, told = evosdc_says("run", home / "recipes.toml", "-o", home / "run", "--quiet")
    assert code == 0, told
    return home


@pytest.mark.endurance
def test_a_run_leaves_a_recipe_that_says_what_its_result_says(home: Path) -> None:
    recipe = read_recipe(home / "run" / "recipe.toml")
    result = json.loads((home / "run" / "result.json").read_text())
    assert [step.masking.label for step in recipe.steps] == result["best"]["genome"]["plan"]
    assert recipe.made_for.records == 130
    assert set(recipe.made_for.attributes) == {"age", "region", "income"}
    assert recipe.scores["score"] <= recipe.original["score"]
    assert result["best"]["scores"]["length"] == len(recipe.steps)


def test_no_recipe_tells_of_few_people(home: Path) -> None:
    shares = read_recipe(home / "run" / "recipe.toml").made_for.attributes["region"].percent
    step = 100 * 10 / 130
    assert all(abs(share / step - round(share / step)) < 0.02 for share in shares.values())


def test_each_step_is_explained_by_what_the_recipe_is_without_it(home: Path) -> None:
    path = home / "run" / "recipe.toml"
    recipe = read_recipe(path)
    code, said, _ = evosdc_says("explain", path)
    assert code == 0
    assert said.count("Step ") == len(recipe.steps)
    code, said, _ = evosdc_says("explain", path, "--json")
    document = json.loads(said)
    assert document["sentences"] == evosdc.explain(path)
    if len(recipe.steps) == 1:
        assert document["steps"][0]["without"] == pytest.approx(recipe.original)


@pytest.mark.parametrize("verdict", ["publishable", "Publishable  on conditions"])
def test_what_was_required_of_the_verdict_is_no_matter_of_a_step(home: Path, verdict: str) -> None:
    recipe = read_recipe(home / "run" / "recipe.toml")
    required = recipe.model_copy(update={"judged": recipe.judged | {"constraints": [verdict, "dr <= 100"]}})
    by_hand, *sentences = explanation(required)
    assert by_hand.startswith("Changed by hand")
    assert sentences == list(explanation(recipe))


@pytest.mark.endurance
def test_the_scores_of_the_file_alone_are_those_that_measure_finds(home: Path) -> None:
    result = json.loads((home / "run" / "result.json").read_text())
    assert result["best"]["draws"] == 2
    code, _, told = evosdc_says("run", home / "recipes.toml", "-o", home / "again", "--quiet")
    assert code == 0, told
    words = ("measure", home / "2025.csv", home / "again" / "best.csv", "--protect", "age,region,income", "--json")
    _, said, _ = evosdc_says(*words, "--measures", "ctbil,dbrl")
    scores, of_file = json.loads(said), result["best"]["of_file"]["scores"]
    assert {name: scores[name] for name in ("ctbil", "dbrl")} == pytest.approx(
        {name: of_file[name] for name in ("ctbil", "dbrl")}
    )


def test_what_was_changed_by_hand_is_told_and_what_cannot_be_carried_out_is_refused(home: Path, tmp_path: Path) -> None:
    text = (home / "run" / "recipe.toml").read_text()
    document = tomllib.loads(text)
    method = document["steps"][0]["method"]
    (tmp_path / "unknown.toml").write_text(text.replace(f'method = "{method}"', 'method = "mdaw"'))
    code, _, told = evosdc_says("explain", tmp_path / "unknown.toml")
    assert code == 2
    assert "mdaw" in told
    document["steps"][0] = {"words": document["steps"][0]["words"], "method": "mdav", "params": {"k": 17}}
    (tmp_path / "changed.toml").write_text(tomli_w.dumps(document))
    sentences = evosdc.explain(tmp_path / "changed.toml")
    assert sentences[0] == "Changed by hand since the recipe was judged: step 1. All figures are those of before."
    assert any("mdav k=17" in sentence for sentence in sentences)
    with pytest.raises(InputError, match="path of a recipe file"):
        evosdc.explain(None)  # type: ignore[arg-type]


def test_the_words_of_a_step_do_not_depend_on_the_order_of_its_parameters(tmp_path: Path) -> None:
    given = {"data": {"name": "housing", "first": 60}, "measures": {"il": ["ctbil"], "dr": ["dbrl"]}}
    genotype = {"name": "recipes", "draws": 2, "lasting": False}
    experiment = Experiment(**given, genotype=genotype, algorithm="racing", fitness="max", stop={"generations": 1})
    inner = {"method": "mdav", "k": 3}
    assembly = assemble(experiment, default_registry())
    recipe = recipe_of(assembly, Masking("clustered", {"inner": inner, "c": 2}))
    (tmp_path / "recipe.toml").write_text(recipe_text(recipe), encoding="utf-8")
    read = read_recipe(tmp_path / "recipe.toml")
    assert read.steps[0].words == read.steps[0].masking.label == "clustered c=2 inner=(mdav k=3)"
    assert not any("by hand" in line for line in explanation(read))


def test_of_several_objectives_none_is_the_score_of_the_recipe(home: Path, tmp_path: Path) -> None:
    text = EXPERIMENT.format(plans=PLANS, data=home / "2025.csv").replace('fitness = "max"', 'fitness = "pareto"')
    (tmp_path / "pareto.toml").write_text(text)
    code, _, told = evosdc_says("run", tmp_path / "pareto.toml", "-o", tmp_path / "run", "--quiet")
    assert code == 0, told
    recipe = read_recipe(tmp_path / "run" / "recipe.toml")
    assert "score" not in {**recipe.scores, **recipe.original}
    assert {"il", "dr"} <= set(recipe.scores)
    assert not any("score" in sentence for sentence in evosdc.explain(tmp_path / "run" / "recipe.toml"))
    front = pd.read_csv(tmp_path / "run" / "front.csv")
    assert (front["length"] >= 1).all()


@pytest.mark.endurance
def test_a_wave_that_is_distributed_otherwise_is_told_of_in_the_result(home: Path, tmp_path: Path) -> None:
    other = wave(2026)
    other["region"] = other["region"].where(np.arange(len(other)) % 3 > 0, "north")
    other.to_csv(tmp_path / "other.csv", index=False)
    words = ("apply", home / "run" / "recipe.toml", tmp_path / "other.csv", "-o", tmp_path / "masked.csv", "--unlike")
    code, _, told = evosdc_says(*words, "--folder", tmp_path / "applied", "--quiet")
    assert code == 1, told
    result = json.loads((tmp_path / "applied" / "result.json").read_text())
    assert any(warning.startswith("region: ") for warning in result["warnings"])
    kept = tomllib.loads((tmp_path / "applied" / "experiment.toml").read_text())
    assert Path(kept["data"]["file"]).is_absolute()
    words = ("--key", tmp_path / "applied" / "key", "-o", tmp_path / "again", "--json")
    code, said, _ = evosdc_says("run", tmp_path / "applied" / "experiment.toml", *words)
    assert json.loads(said)["warnings"] == result["warnings"]
    # The profile may stand in an experiment on any file.
    text = (
        (tmp_path / "applied" / "experiment.toml")
        .read_text()
        .replace("made_for.attributes.region", "made_for.attributes.place")
    )
    (tmp_path / "other.toml").write_text(text)
    code, said, told = evosdc_says("run", tmp_path / "other.toml", "-o", tmp_path / "place", "--json")
    assert code == 1, told
    told_of = [warning for warning in json.loads(said)["warnings"] if "recipe was made for" in warning]
    assert not any(warning.startswith(("region: ", "place: ")) for warning in told_of)


def test_the_path_of_a_recipe_outlives_the_object_that_it_was_asked_of(home: Path) -> None:
    path = evosdc.protect(frame(2025), protect=["region", "income"], time=1, explainable=True).recipe
    assert path is not None
    assert evosdc.explain(path)
    assert read_recipe(path).judged["audience"] == "public"


@pytest.mark.endurance
def test_the_next_wave_is_protected_and_judged_anew(home: Path, tmp_path: Path) -> None:
    masked = tmp_path / "masked.csv"
    words = ("apply", home / "run" / "recipe.toml", home / "2026.csv", "-o", masked, "--folder", tmp_path / "applied")
    code, said, _ = evosdc_says(*words, "--seed", 4, "--keep-order", "--json")
    assert code == 1, "drawn from a public seed"
    masked = refused_name(masked)
    result = json.loads(said)
    original, published = pd.read_csv(home / "2026.csv"), pd.read_csv(masked)
    assert (published["health"] == original["health"]).all()
    assert not published.equals(original)
    attributes = ("--protect", "age,region,income", "--measures", "ctbil,dbrl")
    _, said, _ = evosdc_says("measure", home / "2026.csv", masked, *attributes, "--json")
    scores = json.loads(said)
    assert {name: scores[name] for name in ("ctbil", "dbrl")} == pytest.approx(
        {name: result["best"]["scores"][name] for name in ("ctbil", "dbrl")}
    )
    assert manifest_path(masked).exists()
    again = tmp_path / "again.csv"
    evosdc_says(*words[:3], "-o", again, "--folder", tmp_path / "again", "--seed", 4, "--keep-order")
    assert refused_name(again).read_bytes() == masked.read_bytes()


@pytest.mark.endurance
def test_python_does_the_same(home: Path, tmp_path: Path) -> None:
    found = evosdc.apply(home / "run" / "recipe.toml", frame(2026), seed=4)
    assert list(found.frame.columns) == list(wave(2026).columns)
    assert found.verdict is not None
    with pytest.raises(InputError, match="income"):
        evosdc.apply(home / "run" / "recipe.toml", frame(2026).drop(columns="income"))
    assert evosdc.apply(home / "run" / "recipe.toml", wave(2026), seed=4).verdict is not None
    alone = tmp_path / "recipe.toml"  # without the schema that lies beside it
    alone.write_text((home / "run" / "recipe.toml").read_text())
    with pytest.raises(InputError, match="ordered categories are ordinal"):
        evosdc.apply(alone, wave(2026))


@pytest.mark.endurance
def test_what_households_share_is_refused_and_a_new_column_is_told_of(home: Path, tmp_path: Path) -> None:
    whole = wave(2026).assign(family=lambda frame: [f"h{n // 2}" for n in range(len(frame))])
    whole["region"] = whole["region"].iloc[::2].repeat(2).to_numpy()
    whole.to_csv(tmp_path / "families.csv", index=False)
    schema = tmp_path / "schema.toml"
    roles = "".join(f'{name} = {{ role = "quasi-identifier" }}\n' for name in ("age", "region", "income"))
    schema.write_text(f'[attributes]\n{roles}family = {{ role = "household" }}\n')
    words = ("apply", home / "run" / "recipe.toml", tmp_path / "families.csv", "--schema", schema, "--unlike")
    code, _, told = evosdc_says(*words, "-o", tmp_path / "masked.csv", "--folder", tmp_path / "applied", "--quiet")
    assert code == 2
    assert "the same for all members of a household" in told
    assert not (tmp_path / "masked.csv").exists()
    schema.write_text(f'[attributes]\n{roles}family = {{ role = "drop" }}\n')
    code, _, told = evosdc_says(*words, "-o", tmp_path / "masked.csv", "--folder", tmp_path / "applied", "--quiet")
    assert code in (0, 1), told
    assert "health is not in the schema, so that it is published as it is" in " ".join(told.split())
    assert "family is not in the schema" not in told


@pytest.mark.endurance
def test_the_next_wave_is_published_in_random_order(home: Path, tmp_path: Path) -> None:
    words = ("apply", home / "run" / "recipe.toml", home / "2026.csv", "-o", tmp_path / "masked.csv")
    code, _, told = evosdc_says(*words, "--folder", tmp_path / "applied", "--quiet")
    assert code in (0, 1), told
    kept, old = published(tmp_path)["health"], wave(2026)["health"]
    assert list(kept) != list(old)
    assert sorted(kept) == sorted(old)
    found = evosdc.apply(home / "run" / "recipe.toml", frame(2026))
    assert list(found.frame["health"]) == list(old.iloc[found.rows]) != list(kept)


def test_a_run_without_a_recipe_says_how_one_is_made(tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "resolved.json").write_text("{}")
    for path in (tmp_path / "run", tmp_path / "run" / "recipe.toml"):
        code, _, said = evosdc_says("apply", path, "housing", "-o", tmp_path / "x.csv")
        assert (code, "a run that left no recipe" in said, "--explainable" in said) == (2, True, True)
    (tmp_path / "run" / "recipe.toml").write_text("")
    code, _, said = evosdc_says("explain", tmp_path / "run")
    assert (code, "a run folder; wanted the recipe of a run" in said, "recipe.toml" in said) == (2, True, True)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda frame: frame.drop(columns=["age", "income"]), ("age", "income")),
        (lambda frame: frame.assign(income="much"), ("income", "numeric")),
        (lambda frame: frame.assign(region="north"), ("region", "elsewhere, 50 %")),
    ],
)
def test_a_file_of_another_kind_is_refused(home: Path, tmp_path: Path, change, told) -> None:
    change(wave(2026)).to_csv(tmp_path / "other.csv", index=False)
    code, _, said = evosdc_says("apply", home / "run" / "recipe.toml", tmp_path / "other.csv", "-o", tmp_path / "x.csv")
    assert code == 2
    assert told[0] in said
    assert not (tmp_path / "x.csv").exists()


@pytest.mark.endurance
def test_a_file_that_is_distributed_otherwise_is_taken_where_that_is_asked_for(home: Path) -> None:
    other = frame(2026).assign(income=lambda frame: frame["income"] * 3)
    with pytest.raises(DataError, match="unlike"):
        evosdc.apply(home / "run" / "recipe.toml", other)
    found = evosdc.apply(home / "run" / "recipe.toml", other, unlike=True)
    assert any("income" in warning and "other" in warning for warning in found.warnings)


def test_a_recipe_starts_another_search(home: Path, tmp_path: Path) -> None:
    text = EXPERIMENT.format(plans=PLANS, data=home / "2025.csv").replace(PLANS, '"cells"')
    text = text.replace('"racing", population = 6, children = 6', '"parent-child"')
    (tmp_path / "cells.toml").write_text(text + f'start = {{ recipes = ["{home / "run" / "recipe.toml"}"] }}\n')
    code, said, told = evosdc_says("run", tmp_path / "cells.toml", "-o", tmp_path / "cells", "--json")
    assert code == 0, told
    result = json.loads(said)
    assert result["portfolio"]["size"] == 1
    recipe = read_recipe(home / "run" / "recipe.toml")
    assert result["portfolio"]["best"]["label"].startswith(recipe.entry.masking.label)
    # The folder repeats itself without the recipe's file.
    kept = tomllib.loads((tmp_path / "cells" / "experiment.toml").read_text())
    assert not kept["start"].get("recipes")
    assert kept["start"]["methods"][0]["method"] == recipe.steps[0].method


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("title = 3\n", "another kind"),
        ("format = 1\nsteps = 3\nmade_for = {}\n", "steps"),
        ("format = 2\nsteps = []\n", "format"),
        ("[[", "no TOML"),
        ("", "another kind"),
    ],
)
def test_what_is_no_recipe_is_refused(tmp_path: Path, text: str, told: str) -> None:
    path = tmp_path / "recipe.toml"
    path.write_text(text)
    for words in (("explain", path), ("apply", path, "housing", "-o", tmp_path / "x.csv")):
        code, _, said = evosdc_says(*words)
        assert code == 2
        assert told in said


def rewritten(home: Path, path: Path, change) -> Path:
    """Return a copy of the run's recipe in which something was changed by hand."""
    document = tomllib.loads((home / "run" / "recipe.toml").read_text())
    change(document)
    path.write_text(tomli_w.dumps(document))
    return path


def numbers_of(recipe):
    """What a recipe says of an attribute whose deciles it has."""
    return next(one for one in recipe["made_for"]["attributes"].values() if "deciles" in one)


def words_of(recipe):
    """What a recipe says of an attribute whose frequencies it has."""
    return next(one for one in recipe["made_for"]["attributes"].values() if "percent" in one)


def test_scores_that_are_not_there_are_passed_over(home: Path, tmp_path: Path) -> None:
    def change(recipe):
        recipe["steps"][0]["without"] = {"il": 1.0}

    sentences = evosdc.explain(rewritten(home, tmp_path / "recipe.toml", change))
    assert any("loss" in sentence and "risk" not in sentence for sentence in sentences if sentence.startswith("Step 1"))


def test_a_limit_that_does_not_hold_without_a_step_is_named(home: Path, tmp_path: Path) -> None:
    def change(recipe):
        recipe["judged"]["constraints"] = ["worst-relabelling <= 3"]
        recipe["scores"]["infeasibility"] = 0.0
        recipe["steps"][0]["without"] |= {"worst-relabelling": 5.0, "infeasibility": 1.0}

    sentences = evosdc.explain(rewritten(home, tmp_path / "recipe.toml", change))
    assert any("worst-relabelling <= 3" in sentence for sentence in sentences)


def test_strata_that_a_file_lacks_are_told(home: Path, tmp_path: Path) -> None:
    path = rewritten(home, tmp_path / "changed.toml", lambda recipe: recipe["steps"][0].update(by=["incom"]))
    code, _, said = evosdc_says("apply", path, home / "2026.csv", "-o", tmp_path / "x.csv")
    assert code == 2
    assert "step 1: by" in said
    assert "Did you mean 'income'?" in said


ADDED = {"method": "mdav", "params": {"k": 3}, "attributes": ["age", "income"]}


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda recipe: recipe["steps"].append(ADDED), "added by hand"),
        (lambda recipe: recipe["scores"].update(score=0.1), "what is beside them"),
        (lambda recipe: recipe["judged"].update(fitness={"name": "mean"}), "what is beside them"),
        (lambda recipe: recipe["made_for"].update(records=131), "what is beside them"),
        (lambda recipe: recipe.pop("digest"), "Written by hand"),
    ],
)
def test_any_change_by_hand_is_told(home: Path, tmp_path: Path, change, told) -> None:
    sentences = evosdc.explain(rewritten(home, tmp_path / "recipe.toml", change))
    assert "by hand" in sentences[0]
    assert any(told in sentence for sentence in sentences)
    assert not any("by hand" in sentence for sentence in evosdc.explain(home / "run" / "recipe.toml"))


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda recipe: recipe["steps"].append({**ADDED, "params": {"k": 0}}), "k"),
        (lambda recipe: recipe["steps"].append({**ADDED, "attributes": ["incme"]}), "Did you mean 'income'?"),
        (lambda recipe: recipe["judged"]["measures"]["il"].append({"name": "ctbill"}), "judged: measure"),
        (lambda recipe: recipe["made_for"]["attributes"].pop("age"), "no age"),
        (lambda recipe: numbers_of(recipe).update(deciles=[1.0, 2.0]), "9 deciles"),
        (lambda recipe: numbers_of(recipe).update(deciles=[9.0, *range(1, 9)]), "ascending"),
        (lambda recipe: words_of(recipe).update(percent={"north": -53.0}), "0..100"),
        (lambda recipe: recipe["steps"].append({**ADDED, "attributes": 7}), "a list such as"),
    ],
)
def test_what_cannot_be_carried_out_is_told_with_the_file_and_the_step(
    home: Path, tmp_path: Path, change, told
) -> None:
    path = rewritten(home, tmp_path / "changed.toml", change)
    number = len(tomllib.loads(path.read_text())["steps"])
    for words in (("explain", path), ("apply", path, home / "2026.csv", "-o", tmp_path / "x.csv")):
        code, _, said = evosdc_says(*words)
        assert code == 2
        assert str(path) in said
        assert told in said
        assert any(place in said for place in (f"step {number}", f"steps.{number - 1}", "judged", "made_for"))


def test_a_recipe_says_the_same_whether_defaults_were_given_or_not(home: Path) -> None:
    text = EXPERIMENT.format(plans=PLANS, data=home / "2025.csv")
    assembly = assemble(Experiment(**tomllib.loads(text)), default_registry())
    resolved = json.loads((home / "run" / "resolved.json").read_text())
    again = assemble(Experiment(**resolved), default_registry())
    plan = Masking("mdav", {"k": 3}, ("age",))
    assert recipe_text(recipe_of(assembly, plan)) == recipe_text(recipe_of(again, plan))


def test_the_last_step_has_to_make_sure_of_what_is_required(home: Path, tmp_path: Path) -> None:
    plans = PLANS + ', last = { method = "local-suppression", k = 2 }'
    text = EXPERIMENT.format(plans=plans, data=home / "2025.csv")
    (tmp_path / "weak.toml").write_text('constraints = ["k-anonymity >= 3"]\n' + text)
    code, _, told = evosdc_says("run", tmp_path / "weak.toml", "-o", tmp_path / "run")
    assert code == 2
    assert "local-suppression: k: given 2; wanted 3 at least" in told


SCHEMA = """[attributes]
age = { role = "quasi-identifier", scale = "ordinal" }
region = { role = "quasi-identifier", scale = "ordinal", categories = ["south", "west", "north"] }
income = { role = "quasi-identifier", scale = "numeric", hierarchy = { widths = [100, 500] } }
"""


@pytest.mark.endurance
def test_a_plain_wave_is_read_by_the_schema_that_the_recipe_was_made_with(tmp_path: Path) -> None:
    wave(2025).to_csv(tmp_path / "2025.csv", index=False)
    later = wave(2026)
    later.loc[3, "health"], later.loc[5, "income"] = "unknown", 1234  # values that the first wave has not
    later.to_csv(tmp_path / "2026.csv", index=False)
    (tmp_path / "schema.toml").write_text(SCHEMA)
    experiment = EXPERIMENT.format(plans=PLANS, data='2025.csv", schema = "schema.toml').replace("ctbil", "ebil")
    (tmp_path / "e.toml").write_text(experiment.replace("generations = 4", "generations = 1"))
    code, _, told = evosdc_says("run", tmp_path / "e.toml", "-o", tmp_path / "run", "--quiet")
    assert code in (0, 1), told
    assert read_recipe(tmp_path / "run" / "recipe.toml").made_for.attributes["region"].scale == "ordinal"
    words = ("apply", tmp_path / "run" / "recipe.toml", tmp_path / "2026.csv", "-o", tmp_path / "masked.csv")
    code, _, told = evosdc_says(*words, "--folder", tmp_path / "applied", "--quiet", "--unlike")
    assert code in (0, 1), told
    assert len(published(tmp_path)) == 130
    found = evosdc.apply(tmp_path / "run" / "recipe.toml", later, seed=4, unlike=True)
    assert found.frame.shape == later.shape
    assert found.verdict is not None


def test_a_wave_is_read_by_the_schema_of_the_recipe_before_anything_is_proposed(home: Path, tmp_path: Path) -> None:
    for name in ("recipe.toml", "recipe.schema.toml"):
        (tmp_path / name).write_text((home / "run" / name).read_text())
    with (tmp_path / "recipe.schema.toml").open("a") as file:
        file.write('\n[attributes.visit]\nrole = "drop"\n')
    later = wave(2026)
    later["visit"] = ["31.12.2026" if place % 2 else "2026-12-31 07:30" for place in range(len(later))]
    later.to_csv(tmp_path / "2026.csv", index=False)
    words = ("apply", tmp_path / "recipe.toml", tmp_path / "2026.csv", "-o", tmp_path / "masked.csv", "--unlike")
    code, _, told = evosdc_says(*words, "--folder", tmp_path / "applied", "--quiet")
    assert code in (0, 1), told
    assert "visit" not in published(tmp_path)
    found = evosdc.apply(tmp_path / "recipe.toml", later, unlike=True)
    assert "visit" not in found.frame


@pytest.mark.endurance
def test_a_wave_that_nobody_may_get_is_named_so(home: Path, tmp_path: Path) -> None:
    recipe = tmp_path / "recipe.toml"
    # A bound below what any file keeps.
    made = (home / "run" / "recipe.toml").read_text()
    assert made.count("[judged.genotype]\n") == 1
    recipe.write_text(made.replace("[judged.genotype]\n", "[judged]\nbound = 0.001\n\n[judged.genotype]\n"))
    applied = ("apply", recipe, home / "2026.csv", "--folder", tmp_path / "r", "-o", tmp_path / "o.csv", "--quiet")
    code, said, _ = evosdc_says(*applied, "--unlike")
    assert code == 1
    assert "The verdict forbids to publish it." in said
    assert (tmp_path / "r" / "best.NOT-PUBLISHABLE.csv").exists()


def test_a_recipe_says_where_the_published_file_is_much_better() -> None:
    recipe = Recipe.model_construct(scores={"il": 63.5}, published={"il": 4.7})
    assert "loss of about 63.5, where that file has 4.7" in recipe.beside
    assert Recipe.model_construct(scores={"il": 5.0}, published={"il": 4.7}).beside == ""
