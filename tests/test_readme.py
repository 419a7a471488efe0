"""What the README names is there, and every experiment file is valid; its blocks run in tests/docs."""

import re
import tomllib
from pathlib import Path

from evosdc.experiment.reader import parse_experiment

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")


def blocks(language):
    return re.findall(rf"```{language}\n(.*?)```", README, flags=re.DOTALL)


EXPERIMENTS = [path for path in (ROOT / "experiments").rglob("*.toml") if not path.stem.endswith(("schema", "study"))]


def test_every_experiment_file_is_valid():
    for path in EXPERIMENTS:
        experiment = parse_experiment(tomllib.loads(path.read_text(encoding="utf-8")), path.parent, str(path))
        assert experiment.data.name is not None or experiment.data.file.exists(), path


def test_files_and_folders_that_the_readme_names_exist():
    named = set(re.findall(r"`((?:evosdc|plugins|experiments|benchmarks|tests|docs)/[\w./-]*)`", README))
    named |= set(re.findall(r"\]\((docs/[^)#]+)", README))
    assert named
    assert [name for name in named if not (ROOT / name).exists()] == []


def test_the_two_ways_of_calling_evosdc_agree():
    whole, *further = [block for block in blocks("sh") if "evosdc" in block]
    assert "pip install" in whole
    assert ".venv/bin/evosdc" in whole
    activation = README.index(".venv/bin/activate`")
    for block in further:
        assert ".venv/bin/evosdc" not in block
        assert README.index(block) > activation


def words(*pages):
    return sum(len(page.read_text(encoding="utf-8").split()) for page in pages)


def test_pages_stay_short_enough_to_be_read():
    for_developers = {ROOT / "docs" / f"{name}.md" for name in ("architecture", "benchmarks", "engine")}
    pages = {page for page in (ROOT / "docs").rglob("*.md") if "generated" not in page.parts} - for_developers
    assert words(*pages) <= 45_000
    assert words(ROOT / "README.md") <= 700
    assert words(ROOT / "CHANGELOG.md") <= 1_500
    assert [page.name for page in pages if words(page) > 1_500] == []
