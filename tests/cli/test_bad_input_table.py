"""A table of bad input for every command: one clear error, exit status 2, no traceback, nothing written or lost."""

import json
import os
import shlex
import shutil
from pathlib import Path

import pytest

from evosdc.cli import COMMANDS, main

GOOD = "sex,age,town,pay\n" + "".join(
    f"{'mf'[i % 2]},{20 + i % 7},{'abc'[i % 3]},{i * 37 % 101}.5\n" for i in range(30)
)
SCHEMA = """[attributes]
sex = { role = "quasi-identifier", scale = "nominal" }
age = { role = "quasi-identifier", scale = "ordinal" }
"""
RECIPE = """format = 1
steps = [{{ method = "{method}", params = {{ p = 20 }} }}]
judged = {{ measures = {{ il = ["ctbil"], dr = ["id"] }} }}
[made_for]
records = 30
protect = ["sex"]
attributes = {{ {attribute} = {{ scale = "{scale}", percent = {{ m = 50, f = 50 }} }} }}
"""
RUN = (
    'data = { file = "good.csv", schema = "schema.toml" }\nstop = { generations = 1 }\nstart = { random = 2 }\n'
    'measures = { il = ["ctbil"], dr = ["id"] }\nexecutor = "serial"\n'
)

TABLES = {
    "empty.csv": b"",
    "blank.csv": b"\n\n  \n",
    "header.csv": b"sex,age\n",
    "ragged.csv": b"sex,age\nm,20\nf\nm,22,7\n",
    "twice.csv": b"sex,sex\nm,f\nf,m\n",
    "binary.csv": bytes(range(256)) * 4,
    "open.csv": b'sex,age\n"m,20\nf,21\n',
    "numbers.csv": b"1,2\n3,4\n5,6\n",
    "broken.parquet": b"PAR1 and nothing more",
}
SCHEMAS = {
    "text.toml": "sex is secret\n",
    "list.toml": "attributes = []\n",
    "column.toml": '[attributes]\nsexx = { role = "quasi-identifier" }\n',
    "role.toml": '[attributes]\nsex = { role = "quasi" }\n',
    "scale.toml": '[attributes]\nsex = { scale = "ratio" }\n',
    "key.toml": '[attributes]\nsex = { rôle = "other", kind = 3 }\n',
    "category.toml": '[attributes]\nsex = { role = "quasi-identifier", categories = ["m"] }\n',
    "number.toml": '[attributes]\nsex = { role = "quasi-identifier", scale = "numeric" }\n',
    "hierarchy.toml": '[attributes]\nsex = { role = "quasi-identifier", hierarchy = "nowhere.csv" }\n',
    "leaf.toml": '[attributes]\nsex = { role = "quasi-identifier", hierarchy = "leaf.csv" }\n',
    "rule.toml": '[attributes]\nage = { role = "quasi-identifier", hierarchy = { width = [5] } }\n',
    "na.toml": 'na = "sometimes"\n[attributes]\nsex = { role = "quasi-identifier" }\n',
    "formulas.toml": 'neutralise_formulas = 1\n[attributes]\nsex = { role = "quasi-identifier" }\n',
    "rules.toml": '[attributes]\nsex = { role = "quasi-identifier" }\n[[edit_rules]]\nif = 3\n',
    "nothing.toml": "",
    "identifier.toml": '[attributes]\nsex = { role = "identifier" }\nage = { role = "quasi-identifier" }\n',
}
EXPERIMENTS = {
    "x-text.toml": "what now\n",
    "x-none.toml": "",
    "x-file.toml": 'data = { file = "nowhere.csv" }\n',
    "x-name.toml": 'data = { name = "hosing" }\n',
    "x-both.toml": 'data = { file = "good.csv", name = "housing" }\n',
    "x-key.toml": 'data = { name = "housing" }\nstopp = { generations = 3 }\n',
    "x-genotype.toml": 'data = { name = "housing" }\ngenotype = "cellls"\n',
    "x-fitness.toml": 'data = { name = "housing" }\nfitness = "meen"\n',
    "x-measure.toml": 'data = { name = "housing" }\nmeasures = { il = ["dbill"], dr = ["id"] }\n',
    "x-kind.toml": 'data = { name = "housing" }\nmeasures = { il = ["dbrl"], dr = ["id"] }\n',
    "x-algorithm.toml": 'data = { name = "housing" }\nalgorithm = { name = "parent-child", generations = -1 }\n',
    "x-portfolio.toml": 'data = { name = "housing" }\nstart = { portfolio = "best" }\n',
    "x-method.toml": 'data = { name = "housing" }\nstart = [{ method = "mdav", k = 5000 }]\n',
    "x-executor.toml": 'data = { name = "housing" }\nexecutor = "cloud"\n',
    "x-constraint.toml": 'data = { name = "housing" }\nconstraints = ["dr smaller 3"]\n',
    "x-stop.toml": 'data = { name = "housing" }\nstop = { seconds = 0 }\n',
    "x-protect.toml": 'data = { file = "good.csv", protect = ["nope"] }\n',
    "x-sweep.toml": 'data = { name = "housing" }\nsweep = { "genotype.nope" = [1, 2] }\n',
    "x-seed.toml": 'data = { name = "housing" }\nseed = "lucky"\n',
    "x-formulas.toml": 'data = { name = "housing", neutralise_formulas = "please" }\n',
}

DATA = [*TABLES, "nowhere.csv", "folder", "."]
BY_DATA = ("init {0} -o new.toml", "protect {0} -o new", "mask pram {0} -o new.csv", "measure {0} good.csv", "risk {0}",
           "judge {0} good.csv", "check --data {0}", "cluster {0} --c 2")  # fmt: skip
BY_SCHEMA = ("protect good.csv --schema {0} -o new", "mask pram good.csv --schema {0} -o new.csv",
             "risk good.csv --schema {0}", "measure good.csv good.csv --schema {0}")  # fmt: skip
NO_RUNS = ["nowhere", "folder", "good.csv", "bare", "no-experiment", "list"]
DAMAGED = ["no-environment", "torn-environment", "poor-environment", "no-checkpoint", "torn-checkpoint"]
WORDS = """
protect
protect good.csv --schema schema.toml --protect nope -o new
protect good.csv --schema schema.toml --protect sex,sex -o new
protect good.csv --schema schema.toml --protect '' -o new
protect good.csv --schema identifier.toml --protect sex -o new
protect good.csv --schema schema.toml --time soon -o new
protect good.csv --schema schema.toml --time 0s -o new
protect good.csv --schema schema.toml --time -5 -o new
protect good.csv --schema schema.toml --fitness meen -o new
protect good.csv --schema schema.toml --il dbill -o new
protect good.csv --schema schema.toml --dr dbill,prll -o new
protect good.csv --schema schema.toml --require 'k-anonymity above 3' -o new
protect good.csv --schema schema.toml --require 'k-anonimity >= 3' -o new
protect good.csv --schema schema.toml --seed -1 -o new
protect good.csv --schema schema.toml --executor cloud -o new
protect good.csv --schema schema.toml --workers 0 -o new
protect good.csv --schema schema.toml -o good.csv
protect good.csv --schema schema.toml -o folder
protect good.csv --schema schema.toml -o .
protect good.csv --schema schema.toml -o run
protect good.csv --schema schema.toml -o good.csv/new
protect housing --schema schema.toml -o new
protect housng -o new
tune
tune nowhere.csv
tune good.csv --schema schema.toml --methods mdaw
tune good.csv --schema schema.toml --time never
tune good.csv --schema schema.toml --evaluations 0
tune good.csv --schema schema.toml --fitness meen
tune good.csv --schema schema.toml --protect nope
tune good.csv --schema schema.toml -o folder
tune good.csv --schema schema.toml -o good.csv
run
run good.csv -o new
run folder -o new
run x.toml -o folder
run x.toml -o .
run x.toml -o run
run x.toml --set seed -o new
run x.toml --set seed=x -o new
run x.toml --set =3 -o new
run x.toml --set a..b=1 -o new
run x.toml --set title.x=3 -o new
run x.toml --set stop.seconds=inf -o new
run x.toml --workers none -o new
run x.toml --executor cloud -o new
run x.toml --hosts nowhere.txt --executor scoop -o new
check
check x.toml --protect sex
check x.toml --set nope=1
check --data good.csv --schema schema.toml --protect nope
check --data good.csv --schema schema.toml --set seed=1
check --data good.csv --schema schema.toml --threshold 0
mask
mask mdaw good.csv -o new.csv
mask mdav good.csv
mask mdav good.csv --schema schema.toml --set k=41 -o new.csv
mask mdav good.csv --schema schema.toml --set k=0 -o new.csv
mask mdav good.csv --schema schema.toml --set k=three -o new.csv
mask mdav good.csv --schema schema.toml --set kk=3 -o new.csv
mask mdav good.csv --schema schema.toml --set k -o new.csv
mask mdav good.csv --schema schema.toml --set 'groups=[["sex"]]' -o new.csv
mask pram good.csv --schema schema.toml --set p=1.5 -o new.csv
mask pram good.csv --schema schema.toml --set design=z -o new.csv
mask pram good.csv --schema schema.toml --set design=matrix --set matrices=nowhere.json -o new.csv
mask pram good.csv --schema schema.toml --set design=matrix --set matrices=good.csv -o new.csv
mask pram good.csv --schema schema.toml --equation nowhere.toml -o new.csv
mask pram good.csv --schema schema.toml --protect nope -o new.csv
mask pram good.csv --schema schema.toml --protect '' -o new.csv
mask pram good.csv --schema schema.toml --by nope -o new.csv
mask pram good.csv --schema schema.toml --right-labels nope -o new.csv
mask pram good.csv --schema schema.toml --then mdaw -o new.csv
mask pram good.csv --schema schema.toml --then '' -o new.csv
mask pram good.csv --schema schema.toml --then 'pram p=2' -o new.csv
mask pram good.csv --schema schema.toml --then 'pram "p=0.9' -o new.csv
mask pram good.csv --schema schema.toml --seed -1 -o new.csv
mask pram good.csv --schema schema.toml --seed x -o new.csv
mask pram good.csv --schema schema.toml -o good.csv
mask pram good.csv --schema schema.toml -o schema.toml
mask pram good.csv --schema schema.toml -o folder
mask pram good.csv --schema schema.toml -o no/such/new.csv
mask pram good.csv --schema schema.toml -o good.csv/new.csv
mask rank-swapping good.csv --schema schema.toml --set p=101 -o new.csv
mask top-coding good.csv --schema schema.toml --set q=1 -o new.csv
mask noise good.csv --schema schema.toml -o new.csv
mask pram housing --schema schema.toml -o new.csv
measure
measure good.csv
measure good.csv nowhere.csv
measure good.csv short.csv --schema schema.toml
measure good.csv wide.csv --schema schema.toml
measure good.csv narrow.csv --schema schema.toml
measure good.csv other.csv --schema schema.toml
measure good.csv good.csv --schema schema.toml --measures dbill
measure good.csv good.csv --schema schema.toml --measures ''
measure good.csv good.csv --schema schema.toml --measures ctbil --set ctbil.K=none
measure good.csv good.csv --schema schema.toml --measures ctbil --set ctbil.k=3
measure good.csv good.csv --schema schema.toml --measures ctbil --set dbil.K=3
measure good.csv good.csv --schema schema.toml --measures ctbil --set K=3
measure good.csv good.csv --schema schema.toml --measures height --set height.k=3
measure good.csv good.csv --schema schema.toml --protect nope
measure good.csv good.csv --schema schema.toml --linkage most
measure good.csv good.csv --schema nothing.toml
judge
judge good.csv
judge good.csv nowhere.csv
judge good.csv short.csv --schema schema.toml
judge good.csv good.csv --schema schema.toml --judges nobody
judge good.csv good.csv --schema schema.toml --claimed 101
judge good.csv good.csv --schema schema.toml --protect nope
judge good.csv good.csv --schema schema.toml --seed -2
cluster
cluster good.csv --schema schema.toml
cluster nowhere.csv --c 2
cluster good.csv --schema schema.toml --c 0
cluster good.csv --schema schema.toml --c two
cluster good.csv --schema schema.toml --c 2 --protect nope
cluster good.csv --schema schema.toml --c 2 --protect ''
cluster good.csv --schema schema.toml --c 2 --fuzzy 1
cluster good.csv --schema schema.toml --c 2 --fuzzy nan
cluster good.csv --schema schema.toml --c 2 --fuzzy 11
cluster good.csv --schema schema.toml --c 2 --up-to 0
cluster good.csv --schema schema.toml --c 2 --seed -1
cluster good.csv --schema schema.toml --c 2 -o folder
cluster good.csv --schema schema.toml --c 2 -o good.csv
cluster good.csv --schema schema.toml --c 2 -o good.csv/new
risk
risk good.csv --schema schema.toml --quasi-identifiers nope
risk good.csv --schema schema.toml --quasi-identifiers ''
risk good.csv --schema schema.toml --sensitive nope
risk good.csv --schema schema.toml --quasi-identifiers sex --sensitive sex
risk good.csv --schema schema.toml --weight town
risk good.csv --schema schema.toml --household nope
risk good.csv --schema schema.toml --missing-rule perhaps
risk good.csv --schema schema.toml --population nowhere.csv
risk good.csv --schema schema.toml --transitions nowhere.json
risk good.csv --schema schema.toml --transitions good.csv
risk good.csv --schema schema.toml --models k-anonimity
risk good.csv --schema schema.toml --models k-anonymity --set k-anonymity.k=none
risk good.csv --schema schema.toml --models k-anonymity --set l-diversity.l=2
risk good.csv --schema schema.toml --set k=2
measure good.csv good.csv --schema schema.toml --set subsets=2
risk good.csv --schema identifier.toml --quasi-identifiers sex
apply
apply recipe.toml good.csv --schema schema.toml
apply nowhere.toml good.csv -o new.csv
apply good.csv good.csv -o new.csv
apply schema.toml good.csv -o new.csv
apply recipe.toml housing -o new.csv
apply recipe.toml narrow.csv --schema schema.toml -o new.csv
apply recipe-method.toml good.csv --schema schema.toml -o new.csv
apply recipe-attribute.toml good.csv --schema schema.toml -o new.csv
apply recipe-scale.toml good.csv --schema schema.toml -o new.csv
apply recipe.toml good.csv --schema schema.toml -o new.csv --folder folder
apply recipe.toml good.csv --schema schema.toml -o good.csv --force
apply recipe.toml good.csv --schema schema.toml -o recipe.toml --force
apply recipe.toml good.csv --schema schema.toml -o folder
apply recipe.toml good.csv --schema schema.toml -o new.pickle
apply recipe.toml good.csv --schema schema.toml -o no/such/new.csv
apply recipe.toml good.csv --schema schema.toml -o new.csv --seed x
explain
explain nowhere.toml
explain good.csv
explain schema.toml
explain folder
limit
limit nowhere.csv
limit good.csv --schema schema.toml --protect nope
limit good.csv --schema schema.toml --dr all
limit good.csv --schema schema.toml --lines 1
limit good.csv --schema schema.toml --time x
init
init good.csv -o schema.toml
init good.csv -o good.csv --force
init good.csv -o folder --force
init good.csv -o no/such/new.toml
init good.csv -o new.toml --missing nope=9
init good.csv -o new.toml --missing age
report
report -o new.html
report run -o good.csv
report run -o folder
report run -o no/such/new.html
report run nowhere -o new.html
dossier
dossier nowhere
dossier run --release nowhere.toml
dossier run --release good.csv
dossier run -o no/such/new.html
judge run --earlier nowhere
choose run
choose run x -o new
choose run 99 -o new
compare
compare run
compare nowhere
compare run --surfaces good.csv
compare run --paired --surfaces no/such/s.csv
export run
export run 0
export run il= -o new.csv
export run x -o new.csv
export run -1 -o new.csv
export run 99 -o new.csv
export run 0 -o run/best.csv
export run 0 -o run/resolved.json
export run 0 -o good.csv
export run 0 -o schema.toml
export run 0 -o folder
export run 0 -o no/such/new.csv
finish run --wait later
watch run --interval 0
plugins show nope
plugins doctor nobody
plugins list --plugin nowhere.py
plugins list --plugin
plugins test graphml
plugins lisst
new-plugin
new-plugin measure
new-plugin meazure mine
new-plugin measure Mine
new-plugin measure dbil
new-plugin commands mine
new-plugin measure mine -o folder
new-plugin measure mine -o good.csv
compile --processes 0
compile now
compile --anewer
datasets lisst
datasets attributes
datasets attributes hosing
datasets fetch
datasets fetch hosing
datasets fetch housing -o no/such/new.csv
datasets fetch housing -o folder
equation
equation nowhere.toml
equation good.csv
equation schema.toml
estimate good.csv
estimate good.csv --protect sex
estimate good.csv --matrices nowhere.json --protect sex
estimate good.csv --matrices good.csv --protect sex
edit
edit nowhere.toml sex role=other
edit schema.toml sex
edit schema.toml sex role=quasi
edit schema.toml sex colour=red
edit schema.toml --undo
edit good.csv sex role=other
study report
study report nowhere
study report good.csv
study report . --block colour
app nowhere
app . --host 0.0.0.0 --no-browser
app . --certificate nowhere.pem --no-browser
frobnicate
doctor nowhere
doctor good.csv --colour red
protekt good.csv
protect good.csv --colour red
""".strip().splitlines()


def cases():
    """Return all words by the name of the command."""
    texts = [pattern.format(name) for pattern in BY_DATA for name in DATA]
    # Edit rules are of originals: a published file is read without them.
    apart = {"identifier.toml": BY_SCHEMA, "rules.toml": BY_SCHEMA[2:3]}
    texts += [pattern.format(name) for pattern in BY_SCHEMA for name in SCHEMAS if pattern not in apart.get(name, ())]
    texts += [f"{command} {name}" for command in ("run -o new", "check") for name in EXPERIMENTS]
    texts += [f"{command} {name}" for command in ("resume", "status", "watch", "finish") for name in NO_RUNS]
    # A report shows as much as there is, be it next to nothing.
    texts += [f"report -o new.html {name}" for name in NO_RUNS if name != "no-experiment"]
    texts += [f"export {name} 0 -o new.csv" for name in NO_RUNS]
    texts += [f"member {name} 0" for name in NO_RUNS]
    texts += [f"{command} {name}" for command in ("resume", "finish") for name in DAMAGED if "check" not in name]
    texts += [f"export {name} 0 -o new.csv" for name in DAMAGED]
    texts += [*WORDS, "resume torn-checkpoint", "finish torn-checkpoint", "finish no-checkpoint"]
    grouped = {}
    for text in texts:
        grouped.setdefault(text.split()[0], []).append(text)
    return grouped


CASES = cases()


def test_there_are_enough_of_them_for_every_command():
    assert sum(map(len, CASES.values())) >= 200
    assert set(COMMANDS) | {"limit", "equation", "estimate"} <= set(CASES)


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    """A folder with a good file, a finished run, damaged copies of it, and every bad file."""
    home = tmp_path_factory.mktemp("home")
    (home / "good.csv").write_text(GOOD)
    (home / "schema.toml").write_text(SCHEMA)
    (home / "x.toml").write_text(RUN)
    (home / "leaf.csv").write_text("m;*\n")
    (home / "short.csv").write_text(GOOD[: GOOD.rindex("f,")])
    (home / "wide.csv").write_text("".join(line + ",x\n" for line in GOOD.splitlines()))
    (home / "narrow.csv").write_text("".join(line.split(",")[0] + "\n" for line in GOOD.splitlines()))
    (home / "other.csv").write_text(GOOD.replace("\nm,", "\nx,"))
    for name, content in TABLES.items():
        (home / name).write_bytes(content)
    usual = {"method": "rank-swapping", "attribute": "sex", "scale": "nominal"}
    odd = {"method": {"method": "rank-swaping"}, "attribute": {"attribute": "nope"}, "scale": {"scale": "ordinal"}}
    for name, change in {"recipe": {}, **{f"recipe-{key}": value for key, value in odd.items()}}.items():
        (home / f"{name}.toml").write_text(RECIPE.format(**usual | change))
    for name, text in (SCHEMAS | EXPERIMENTS).items():
        (home / name).write_text(text, encoding="utf-8")
    (home / "folder").mkdir()
    (home / "folder" / "mine.txt").write_text("mine")
    before = Path.cwd()
    os.chdir(home)
    try:
        with pytest.raises(SystemExit) as caught:
            main(["run", "x.toml", "-o", "run", "--quiet", "--json"])
        assert caught.value.code == 0
    finally:
        os.chdir(before)
    damage(home)
    return home


def damage(home):
    for name in ("bare", "no-experiment", "list", *DAMAGED):
        shutil.copytree(home / "run", home / name)
        (home / name / "status.json").write_text('{"state": "interrupted", "generation": 1}')
        (home / name / "result.json").unlink()
    for path in (home / "bare").iterdir():
        if path.suffix in (".json", ".npz", ".jsonl"):
            path.unlink()
    (home / "no-experiment" / "resolved.json").write_text("{}")
    (home / "list" / "resolved.json").write_text("[1, 2")
    (home / "no-environment" / "environment.json").unlink()
    (home / "torn-environment" / "environment.json").write_text('{"evosdc": ')
    (home / "poor-environment" / "environment.json").write_text("{}")
    for path in (home / "no-checkpoint").glob("checkpoint-*"):
        path.unlink()
    for path in (home / "torn-checkpoint").glob("checkpoint-*"):
        path.write_bytes(path.read_bytes()[:100])


def snapshot(home):
    """Return what stands where, and when it was last written to: reading all files after each line takes far longer."""
    found = {str(home): ()}
    for entry in os.scandir(home):
        if entry.is_dir(follow_symlinks=False):
            found |= snapshot(entry.path)
        elif not entry.name.startswith(".lock"):
            known = entry.stat()
            found[entry.path] = (known.st_ino, known.st_size, known.st_mtime_ns)
    return found


def fault_of(words, capsys):
    """Return what is wrong with the answer to bad input; nothing where it is as it should be."""
    capsys.readouterr()
    with pytest.raises(SystemExit) as caught:
        main(words)
    said = capsys.readouterr()
    text = said.err.strip()
    if caught.value.code != 2:
        return f"exit status {caught.value.code}: {text[-200:]}"
    if said.out:
        return f"printed {said.out[:100]!r}"
    if not text or "Traceback" in text or "defect" in text or "pydantic" in text:
        return f"unclear: {text[-300:]!r}"
    if not any(line.startswith("Error: ") for line in text.splitlines()):
        return f"no error: {text[-200:]!r}"
    return ""


@pytest.mark.parametrize("command", CASES)
def test_bad_input(command, home, capsys, monkeypatch):
    monkeypatch.chdir(home)
    monkeypatch.setattr("evosdc.cli.status.GRACE", 0.0)
    wrong, before = {}, snapshot(home)
    for text in CASES[command]:
        fault = fault_of(shlex.split(text), capsys)
        after = snapshot(home)
        if not fault and after != before:
            changed = sorted(set(after.items()) ^ set(before.items()))
            fault = f"changed {changed[:3]}"
        before = after
        if fault:
            wrong[text] = fault
    assert not wrong, "\n" + json.dumps(wrong, indent=1, ensure_ascii=False)
