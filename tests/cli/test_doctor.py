"""`evosdc doctor` tells what of a folder is for publication, and what is wrong."""

import json
import os
import shutil

import pytest

from evosdc.runs.layout import REFUSED
from evosdc.runs.publication_check import RUN_FILES, is_secret, kind_of
from evosdc.secret import Key
from tests.cli.conftest import SHORT

PUBLIC = ("best.csv", "for-users.html")


def told(answer):
    """Return by name whether a file is said to be for publication, and why."""
    return {one["name"]: (one["publish"], one["reason"]) for one in json.loads(answer.out)["files"]}


def wrong(answer):
    return [one["text"] for one in json.loads(answer.out)["wrong"]]


@pytest.fixture
def run(finished, tmp_path):
    """A run folder of its own, with a verdict that allows its file."""
    folder = tmp_path / "r"
    shutil.copytree(finished / "r", folder)
    folder.chmod(0o700)
    judged(folder, publishable=True, headline="publishable on conditions", conditions=["Nobody may know town."])
    (folder / "for-users.html").write_text("<html>")
    (folder / "for-users.html").chmod(0o600)
    return folder


def judged(folder, so_far=False, **publication):
    path = folder / "result.json"
    result = json.loads(path.read_text())
    path.write_text(json.dumps(result | {"verdict": publication, "so_far": so_far}))


class TestRunFolders:
    def test_two_files_are_for_publication_and_all_else_is_not(self, evosdc, run):
        answer = evosdc("doctor", run, "--json")
        assert answer.status == 0, answer
        files = told(answer)
        assert sorted(name for name, (published, _) in files.items() if published) == sorted(PUBLIC)
        assert set(files) == {path.name for path in run.iterdir()}
        assert "conditions" in files["best.csv"][1]
        assert files["key"][1] == "undo the protection"
        assert "not known to evosdc: look yourself" not in {reason for _, reason in files.values()}

    def test_it_is_told_in_few_lines(self, evosdc, run):
        answer = evosdc("doctor", run)
        lines = answer.out.splitlines()
        assert answer.status == 0
        assert len(lines) <= 15
        assert lines[0] == f"{run}: a run folder. Verdict: PUBLISHABLE ON CONDITIONS."
        assert lines[-1] == "Nothing is wrong."
        assert "key: undo the protection" in answer.out
        assert (run / "key").read_text().strip() not in answer.out

    @pytest.mark.parametrize(
        ("verdict", "reason"),
        [
            ({"publishable": False, "headline": "not publishable"}, "refused by the verdict"),
            ({"publishable": None}, "nothing was measured"),
            ({"publishable": True, "so_far": True}, "has not ended"),
        ],
    )
    def test_what_the_verdict_does_not_allow_is_not_for_publication(self, evosdc, run, verdict, reason):
        judged(run, **verdict)
        answer = evosdc("doctor", run, "--json")
        files = told(answer)
        assert answer.status == 0, "it may lie there"
        assert not any(published for published, _ in files.values())
        assert all(reason in files[name][1] for name in PUBLIC)

    def test_the_current_folder_is_looked_at(self, evosdc, run, monkeypatch):
        monkeypatch.chdir(run)
        assert evosdc("doctor").out.startswith(".: a run folder.")

    @pytest.mark.skipif(os.name != "posix", reason="permissions of POSIX")
    def test_what_others_can_read_is_wrong_and_mended_by_what_is_shown(self, evosdc, run):
        run.chmod(0o755)
        for name in ("key", "risk.json", "report.html", "scores.csv", "best.csv"):
            (run / name).touch()
            (run / name).chmod(0o644)
        answer = evosdc("doctor", run)
        assert answer.status == 1
        assert "Others on this computer can read what is for you alone: the folder, key, " in answer.out
        command = answer.out.splitlines()[-1].strip()
        assert command == f"chmod -R go= {run}"
        assert os.system(command) == 0
        assert evosdc("doctor", run).status == 0

    def test_a_public_seed_is_wrong(self, evosdc, run):
        resolved = json.loads((run / "resolved.json").read_text())
        (run / "resolved.json").write_text(json.dumps(resolved | {"seed": 1}))
        answer = evosdc("doctor", run, "--json")
        assert answer.status == 1
        assert "public seed" in wrong(answer)[0]

    def test_it_keeps_no_hash_of_the_original(self, evosdc, run):
        assert json.loads((run / "environment.json").read_text())["input"]["data"].keys() == {"name", "fingerprint"}

    def test_a_file_that_was_changed_is_wrong(self, evosdc, run):
        with (run / "best.csv").open("a") as file:
            file.write("m,20,a\n")
        assert wrong(evosdc("doctor", run, "--json"))[0].startswith("best.csv is not the file that the run wrote.")

    def test_a_stranger_among_its_files_is_told(self, evosdc, run):
        (run / "letter.txt").write_text("x")
        (run / "spare").write_text((run / "key").read_text())
        files = told(evosdc("doctor", run, "--json"))
        assert files["letter.txt"] == (False, "not known to evosdc: look yourself")
        assert files["spare"] == (False, "undo the protection")

    def test_what_a_real_protection_leaves_is_known(self, evosdc, finished, tmp_path):
        for name in ("survey.csv", "schema.toml"):
            shutil.copy(finished / name, tmp_path)
        assert evosdc(*SHORT, "-o", "p").status in (0, 1)
        assert evosdc("export", "p", "best", "-o", "out.csv").status in (0, 1)
        files = told(evosdc("doctor", "p", "--json"))
        assert "not known to evosdc: look yourself" not in {reason for _, reason in files.values()}
        secret = [name for name, (_, reason) in files.items() if reason == "undo the protection"]
        assert [name.replace(REFUSED, "") for name in secret] == ["crosswalk-out.csv", "crosswalk.csv", "key"]
        around = told(evosdc("doctor", ".", "--json"))
        allowed = {
            "out.csv": (True, "exported from p, where its verdict allows it"),
            f"out{REFUSED}.csv": (False, "refused by the verdict of its run"),
        }
        assert [allowed[name] == found for name, found in around.items() if name in allowed] == [True]
        assert around["survey.csv"] == (False, "the original, or its schema")
        assert around["p/"][0] is False


class TestOtherFolders:
    @pytest.fixture
    def here(self, finished, tmp_path):
        for name in ("survey.csv", "schema.toml"):
            shutil.copy(finished / name, tmp_path)
        return tmp_path

    def test_tune_publishes_nothing(self, evosdc, here):
        assert evosdc("tune", "survey.csv", "--schema", "schema.toml", "--time", "0.3s", "-o", "t").status == 0
        answer = evosdc("doctor", "t", "--json")
        assert answer.status == 0
        files = told(answer)
        assert not any(published for published, _ in files.values())
        assert files["best.csv"][1] == "not judged, and in the order of the original"

    def test_clusters_are_not_published(self, evosdc, here):
        assert evosdc("cluster", "survey.csv", "--schema", "schema.toml", "--c", 2, "-o", "c").status == 0
        answer = evosdc("doctor", "c", "--json")
        assert {published for published, _ in told(answer).values()} == {False}
        assert json.loads(answer.out)["kind"] == "clusters"

    def test_a_file_in_the_order_of_the_original_is_wrong_and_what_is_shown_mends_it(self, evosdc, here):
        assert evosdc("mask", "pram", "survey.csv", "--schema", "schema.toml", "-o", "out/m.csv").status == 2
        (here / "out").mkdir()
        typed = ("mask", "pram", "survey.csv", "--schema", "schema.toml", "-o", "out/m.csv")
        assert evosdc(*typed).status == 0
        answer = evosdc("doctor", "out")
        assert answer.status == 1
        assert "m.csv is not for release: its records keep the order of the original." in answer.out
        command = answer.out.splitlines()[-1].split()
        assert command == ["evosdc", *typed, "--shuffle"]
        assert evosdc(*command[1:]).status == 0
        answer = evosdc("doctor", "out", "--json")
        assert answer.status == 0
        files = told(answer)
        assert files["m.csv"] == (False, "masked, and no verdict allows it: judge it first")
        assert files["m.manifest.json"][0] is files["m.matrices.json"][0] is False

    def test_exact_days_that_were_masked_by_nobody_are_wrong(self, evosdc, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        days = [f"{1950 + n % 50}-{1 + n % 12:02d}-{1 + n % 28:02d}" for n in range(60)]
        rows = [f"{'mf'[n % 2]},{20 + n % 30},{day}" for n, day in enumerate(days)]
        (tmp_path / "o.csv").write_text("\n".join(["sex,age,admitted", *rows, ""]))
        (tmp_path / "out").mkdir()
        recoded = ("mask", "global-recoding", "--shuffle", "--set", "output=label", "--force", "-o", "out/m.csv")
        assert evosdc(*recoded, "o.csv", "--protect", "age", "--set", "width=10").status == 0
        answer = evosdc("doctor", "out")
        assert answer.status == 1
        assert "m.csv has exact days in admitted, as the original has them" in answer.out
        assert evosdc(*recoded, "o.csv", "--protect", "admitted", "--set", "level=3").status == 0
        answer = evosdc("doctor", "out")
        assert (answer.status, "exact days" in answer.out) == (0, False)
        assert "For publication: nothing." in answer.out

    def test_a_seed_is_wrong(self, evosdc, here):
        words = ("mask", "rank-swapping", "survey.csv", "--protect", "age", "--shuffle", "--seed", 1, "-o", "m.csv")
        assert evosdc(*words).status == 0
        answer = evosdc("doctor", ".")
        assert answer.status == 1
        assert "public seed" in answer.out
        assert answer.out.splitlines()[-1].strip() == (
            "evosdc mask rank-swapping survey.csv --protect age --shuffle -o m.csv"
        )

    def test_a_manifest_without_a_command_is_judged_too(self, evosdc, here):
        shutil.copy(here / "survey.csv", here / "m.csv")
        said = {"method": "pram", "seed": 1, "output": {"name": "m.csv"}}
        (here / "m.manifest.json").write_text(json.dumps(said))
        (text,) = wrong(evosdc("doctor", ".", "--json"))
        assert "public seed" in text
        assert "keep the order of the original" in text

    def test_a_key_or_crosswalk_among_published_files_is_wrong(self, evosdc, here):
        (here / "out").mkdir()
        mask = ("mask", "pram", "survey.csv", "--schema", "schema.toml", "--shuffle", "-o", "out/m.csv")
        assert evosdc(*mask, "--key", "out/mine", "--crosswalk", "out/rows.csv").status == 0
        answer = evosdc("doctor", "out")
        assert answer.status == 1
        assert "mine, rows.csv: among files for publication" in answer.out
        assert (here / "out" / "mine").read_text().strip() not in answer.out
        files = told(evosdc("doctor", "out", "--json"))
        assert files["mine"] == files["rows.csv"] == (False, "undo the protection")
        (here / "kept").mkdir()
        for name in ("mine", "rows.csv"):
            (here / "out" / name).rename(here / "kept" / name)
        assert evosdc("doctor", "out").status == 0
        assert evosdc("doctor", "kept").status == 0, "alone they may lie"

    @pytest.mark.skipif(os.name != "posix", reason="permissions of POSIX")
    def test_a_key_that_others_can_read_is_wrong(self, evosdc, here):
        (here / "kept").mkdir()
        Key.fresh().write(here / "kept" / "k")
        assert evosdc("doctor", "kept").status == 0
        (here / "kept" / "k").chmod(0o640)
        answer = evosdc("doctor", "kept")
        assert answer.status == 1
        assert answer.out.splitlines()[-1].strip() == "chmod 600 kept/k"

    def test_an_empty_folder_is_in_order(self, evosdc, here):
        (here / "empty").mkdir()
        answer = evosdc("doctor", "empty")
        assert answer.status == 0
        assert "For publication: nothing." in answer.out

    @pytest.mark.parametrize("path", ["nix", "survey.csv"])
    def test_what_is_no_folder_is_refused(self, evosdc, here, path):
        answer = evosdc("doctor", path)
        assert (answer.status, answer.out) == (2, "")
        assert "wanted a folder" in answer.err

    def test_damaged_files_are_no_reason_to_fail(self, evosdc, here):
        (here / "m.manifest.json").write_text("{")
        (here / "n.manifest.json").write_text('{"output": 3}')
        (here / "resolved.json").write_text("[]")
        (here / "result.json").write_text("")
        assert evosdc("doctor", ".").status in (0, 1)


class TestKinds:
    def test_names_of_a_kind(self):
        assert kind_of("crosswalk-out.csv").secret
        assert kind_of("best.parquet").published
        assert not kind_of("checkpoint-00000012.npz.damaged").published
        assert kind_of("bestseller.csv") is None
        assert [kind.patterns for kind in RUN_FILES if kind.published and kind.secret] == []

    def test_secrets_are_known_by_what_is_in_them(self, tmp_path):
        path = tmp_path / "any.csv"
        assert not is_secret(path)
        for text, key, crosswalk in (
            ("0f" * 32 + "\n", True, False),
            ("0f" * 32 + "\r\n", True, False),
            ("0g" * 32, False, False),
            ("0f" * 31, False, False),
            ("0f" * 32 + "0f", False, False),
            ("\ufeffpublished,original\n1,2\n", False, True),
            ("sex,age\n", False, False),
        ):
            path.write_text(text, encoding="utf-8", newline="")
            assert is_secret(path) == (key or crosswalk), text
