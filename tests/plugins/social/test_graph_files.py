"""Reading graphs, and writing them back without identifiers."""

import io
import json
import zipfile
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evosdc.errors import DataError
from evosdc.files.original import Published, valued_column
from evosdc.files.source import Source, read_source
from evosdc.table.row_positions import random_order
from evosdc.table.schema import Attribute, Role
from evosdc.testing.functions import unchanged_columns
from evosdc_social.formats import graphml, join_files, parse_graphml, parse_node_link, parse_zipped, zipped
from evosdc_social.formats import node_link as written_node_link
from evosdc_social.graph import Graph
from evosdc_social.graph_file import graph_file
from tests.plugins.social.graphs import EDGES, USERS, members_of_parliament, node_link, schema_beside
from tests.published import DataSets

NAMES = [name for name, _, _ in USERS]


def source(folder: Path, name: str, content: bytes) -> Source:
    (folder / name).write_bytes(content)
    return read_source(folder / name, schema_beside(folder))


def as_graphml() -> bytes:
    made = nx.Graph()
    for name, place, topics in USERS:
        made.add_node(
            name, place=place, **({"topics": "|".join(topics) + ("|" if len(topics) == 1 else "")} if topics else {})
        )
    made.add_edges_from(EDGES, weight=2.5)
    buffer = io.BytesIO()
    nx.write_graphml(made, buffer)
    return buffer.getvalue()


def as_archive() -> bytes:
    nodes = ["handle,place,topics"] + [f"{n},{p},{'|'.join(t)}{'|' if len(t) == 1 else ''}" for n, p, t in USERS]
    edges = ["a,b,weight"] + [f"{a},{b},{i}" for i, (a, b) in enumerate(EDGES)]
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("links.csv", "\n".join(edges) + "\n")
        archive.writestr("people.csv", "\n".join(nodes) + "\n")
    return buffer.getvalue()


FORMATS = {"g.json": node_link, "g.graphml": as_graphml, "g.zip": as_archive}


@pytest.mark.parametrize("name", FORMATS)
def test_every_format_gives_the_same_table(tmp_path: Path, name: str) -> None:
    found = source(tmp_path, name, FORMATS[name]())
    schema = found.table.schema
    assert len(found.table) == len(USERS)
    labels = [schema["place"].categories[code] for code in found.table.column("place")]
    assert labels == [place for _, place, _ in USERS]
    for place in (0, 1):
        attribute = schema[f"topics_{place + 1}"]
        read = [attribute.categories[c] if c >= 0 else None for c in found.table.column(attribute.name)]
        assert read == [topics[place] if len(topics) > place else None for _, _, topics in USERS]
    assert schema["neighbours"].role is Role.DROP
    texts = [schema["neighbours"].categories[code] for code in found.table.column("neighbours")]
    if name == "g.zip":  # files of edges have directions
        assert texts[0] == "0: 1.1.0 2.0.1"
        texts = [text.replace(".1.0", "").replace(".0.1", "") for text in texts]
    assert texts == ["0: 1 2", "1: 0 2", "2: 0 1", "3: 4", "4: 3 5", "5: 4 6", "6: 5"]
    (identifier,) = schema.with_role(Role.IDENTIFIER)
    assert identifier == ("handle" if name == "g.zip" else "id")


@pytest.mark.parametrize("name", FORMATS)
def test_what_is_written_names_nobody_and_is_read_again(tmp_path: Path, name: str) -> None:
    original = source(tmp_path, name, FORMATS[name]())
    protected = original.table.select(["place"])
    report = original.write(tmp_path / f"out-{name}", protected)
    content = (tmp_path / f"out-{name}").read_bytes()
    if name == "g.zip":
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            content = b"".join(archive.read(member) for member in archive.namelist())
    assert not [handle for handle in NAMES if handle.encode() in content]
    assert b"hello" not in content, "a text of an edge"
    assert b"weight" not in content, "a number of an edge"
    assert "neighbours" not in report.dropped, "edges are written"
    again = read_source(tmp_path / f"out-{name}")
    assert again.table.schema["neighbours"].categories == original.table.schema["neighbours"].categories
    assert "id" not in again.table.schema
    topics = [
        [t.schema[n].categories[c] if c >= 0 else "" for c in t.column(n)]
        for t in (again.table, original.table)
        for n in ("topics_1", "topics_2")
    ]
    assert topics[:2] == topics[2:]


TOPICS = st.one_of(st.none(), st.sampled_from(["jazz", "chess", "go"]))


@settings(max_examples=20, deadline=None)
@given(
    suffix=st.sampled_from(["json", "graphml", "zip"]),
    lists=st.integers(2, 4).flatmap(lambda m: st.lists(st.tuples(*[TOPICS] * m), min_size=1, max_size=5)),
)
def test_a_graph_that_is_read_again_is_the_table_that_was_measured(
    suffix: str, lists: list[tuple[str | None, ...]]
) -> None:
    writers = {
        "json": (written_node_link, parse_node_link),
        "graphml": (graphml, parse_graphml),
        "zip": (zipped, parse_zipped),
    }
    write, parse = writers[suffix]
    n, columns = len(lists), len(lists[0])
    users = np.arange(n, dtype=np.intp)
    full = Graph(tuple(f"n{i}" for i in users), {"topics": [("x",) * columns] * n}, users, (users + 1) % n)
    whole = graph_file(full, "whole", suffix, write)
    made = [valued_column(f"topics_{place + 1}", [r[place] for r in lists]).column for place in range(columns)]
    published = [Published(place, column, Attribute(column.name), True) for place, column in enumerate(made)]
    content = b"".join(whole.write(published, users))
    again = parse(content, "again")
    assert again is not None
    read = [[([*c.texts, None])[i] for i in c.index.tolist()] for c in again.columns[:-1]]
    assert read == [[row[place] for row in lists] for place in range(columns)]


def test_changed_values_and_records_in_another_order(tmp_path: Path) -> None:
    original, order = source(tmp_path, "g.json", node_link()), random_order(len(USERS), 1, 0)
    codes = np.full((len(USERS), 1), original.table.schema["place"].code["Bath"], dtype=np.int32)
    from evosdc.table.table import Table

    masked = Table(original.table.schema.select(["place"]), codes, np.empty((len(USERS), 0)))
    original.write(tmp_path / "o.json", masked, order=order[1:])
    document = json.loads((tmp_path / "o.json").read_text())
    assert {node["place"] for node in document["nodes"]} == {"Bath"}
    assert [node["id"] for node in document["nodes"]] == [f"n{i}" for i in range(len(USERS) - 1)]
    kept = order[1:].tolist()
    known = {
        frozenset((NAMES[kept[int(e["source"][1:])]], NAMES[kept[int(e["target"][1:])]])) for e in document["links"]
    }
    left_out = NAMES[int(order[0])]
    assert known == {frozenset(edge) for edge in EDGES if left_out not in edge}
    assert [node["age"] for node in document["nodes"]] == [20 + row for row in kept], "numbers stay numbers"


def test_members_of_parliament(data_sets: DataSets, tmp_path: Path) -> None:
    path = members_of_parliament(data_sets.path("social_uk_mps_twitter"), tmp_path)
    found = read_source(path, tmp_path / "mps.toml")
    assert len(found.table) == 585
    assert found.table.schema.withheld == ("screen_name", "profile_image_url", "name", "colour", "neighbours")
    hierarchy = found.table.schema["constituency"].hierarchy
    assert hierarchy is not None
    assert hierarchy.names == ("constituency", "county", "region", "country")


def test_the_karate_club(data_sets: DataSets) -> None:
    data = data_sets.path("social_karate")
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.write(data / "karate_vertices.csv", "nodes.csv")
        archive.write(data / "karate.csv", "edges.csv")
    found = parse_zipped(buffer.getvalue(), "karate.zip")
    assert found is not None
    assert found.graph.id_name == "name"
    assert (len(found.graph), len(found.graph.sources)) == (34, 78)
    assert found.graph.neighbours.degrees.max() == 17
    known = nx.karate_club_graph()
    assert found.graph.neighbours.degrees.tolist() == [degree for _, degree in known.degree()]


class TestBadGraphs:
    """One clear error, or a rule."""

    def read(self, **parts: object) -> object:
        return parse_node_link(json.dumps(parts).encode(), "g.json")

    def faults(self, **parts: object) -> str:
        with pytest.raises(DataError) as caught:
            self.read(**parts)
        return str(caught.value)

    def test_dangling_edges_are_counted_and_nobody_is_named(self) -> None:
        text = self.faults(nodes=[{"id": "secret"}], links=[{"source": "secret", "target": "hidden"}])
        assert "1 edge with an end that is no node" in text
        assert "secret" not in text
        assert "hidden" not in text

    def test_dangling_edges_of_graphml(self) -> None:
        content = as_graphml().replace(b'<node id="gus"', b'<node id="zoe"')
        with pytest.raises(DataError, match="1 edge with an end that is no node"):
            parse_graphml(content, "g.graphml")

    def test_self_loops_and_repeated_edges_count_for_nothing_and_stay(self) -> None:
        links = [{"source": s, "target": t} for s, t in ("aa", "ab", "ab", "ba")]
        found = self.read(nodes=[{"id": "a"}, {"id": "b"}], links=links)
        assert found.graph.neighbours.degrees.tolist() == [1, 1]
        written = parse_node_link(found.bytes_of(found.graph), "again")
        assert written is not None
        assert len(written.graph.sources) == 4

    def test_no_node_is_an_error_and_one_is_a_table_of_one(self) -> None:
        assert "a graph without nodes" in self.faults(nodes=[], links=[])
        found = self.read(nodes=[{"id": "a", "x": 1}], links=[])
        assert [column.name for column in found.columns] == ["id", "x", "neighbours"]

    def test_ids_twice(self) -> None:
        assert "1 node whose id an earlier one has" in self.faults(nodes=[{"id": "a"}, {"id": "a"}], links=[])

    def test_ids_are_compared_as_texts_and_keep_their_types(self) -> None:
        text = self.faults(nodes=[{"id": 1}, {"id": "1"}], links=[])
        assert "1 node whose id an earlier one has, the first of them node 2 with the id of node 1" in text
        assert "ids are compared as texts" in text
        found = self.read(nodes=[{"id": 7}, {"id": "8"}], links=[{"source": "7", "target": 8}])
        written = json.loads(found.bytes_of(found.graph))
        assert [node["id"] for node in written["nodes"]] == [7, "8"]
        assert [(link["source"], link["target"]) for link in written["links"]] == [(7, "8")]
        rows = np.array([1, 0])
        assert [
            node["id"] for node in json.loads(b"".join(found.write(unchanged_columns(found)[0], rows)))["nodes"]
        ] == ["n0", "n1"]

    def test_ids_and_ends_that_are_null(self) -> None:
        text = self.faults(nodes=[{"id": "None"}, {"id": None}], links=[{"source": "None", "target": None}])
        assert "1 node without an id" in text
        assert "1 edge without a source or a target" in text

    def test_a_node_without_attributes_has_missing_values(self) -> None:
        found = self.read(nodes=[{"id": "a", "x": "u"}, {"id": "b"}], links=[])
        assert found.columns[1].index.tolist() == [0, -1]

    def test_all_that_is_wrong_is_told_at_once(self) -> None:
        text = self.faults(nodes=[{"id": "a"}, {"x": 1}], links=[{"source": "a"}])
        assert "1 node without an id" in text
        assert "1 edge without a source or a target" in text

    def test_objects_as_values(self) -> None:
        assert "objects, or lists of lists" in self.faults(nodes=[{"id": "a", "x": {"y": 1}}], links=[])

    def test_an_attribute_called_neighbours(self) -> None:
        assert "several columns with the name neighbours" in self.faults(nodes=[{"id": "a", "neighbours": 1}], links=[])

    def test_two_files_that_do_not_fit(self) -> None:
        files = [("a.csv", b"x,y\n1,2\n"), ("b.csv", b"u,v\n3,4\n")]
        with pytest.raises(DataError, match="neither has a column with the ids"):
            join_files(files, "a.csv and b.csv")
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w") as archive:
            for name, content in files:
                archive.writestr(name, content)
        assert parse_zipped(buffer.getvalue(), "g.zip") is None, "what reads archives tells that there are two files"

    def test_an_id_twice_in_two_files(self) -> None:
        nodes = b"who,x,number\nann,1,1\nbob,2,2\ncid,3,3\nann,4,4\n"
        files = [("nodes.csv", nodes), ("edges.csv", b"from,to\nann,bob\nbob,cid\n")]
        wanted = "1 node whose id an earlier one has, the first of them node 4 with the id of node 1"
        with pytest.raises(DataError, match=wanted) as caught:
            join_files(files, "both")
        assert "ann" not in str(caught.value)
        again = [("nodes.csv", nodes), ("edges.csv", b"from,to,x\nann,bob,1\nbob,cid,1\n1,ann,1\n")]
        with pytest.raises(DataError, match="end that is no node"):
            join_files(again, "both")

    def test_edges_beside_an_empty_list_of_links(self) -> None:
        read = parse_node_link(b'{"nodes": [{"id": 1}], "links": [], "edges": [{"source": 1, "target": 1}]}', "g.json")
        assert read is not None
        assert len(read.graph.sources) == 1

    @pytest.mark.parametrize(
        ("content", "lack"),
        [
            (b'{"nodes": [{"id": 1}]}', "without links"),
            (b'{"links": []}', "without nodes"),
            (b"[1, 2]", "no graph"),
            (
                b'{"nodes": [{"id": 1}], "links": [{"source": 1, "target": 1}], "edges": [{"source": 1, "target": 1}]}',
                "both",
            ),
        ],
    )
    def test_json_that_is_no_graph(self, content: bytes, lack: str) -> None:
        with pytest.raises(DataError, match=lack):
            parse_node_link(content, "g.json")

    def test_edges_that_are_a_header_line_and_names_of_ends(self) -> None:
        files = [("nodes.csv", b"handle,x\nann,1\nbob,1\n"), ("edges.csv", b"source,target\n")]
        alone = join_files(files, "both")
        assert (alone.ids, len(alone.sources)) == (("ann", "bob"), 0)
        made = join_files([files[0], ("edges.csv", b"source,target\nann,bob\n")], "both")
        with zipfile.ZipFile(io.BytesIO(zipped(made))) as archive:
            assert archive.read("edges.csv").splitlines() == [b"source,target", b"ann,bob"]

    def test_what_only_begins_like_an_archive(self) -> None:
        with pytest.raises(DataError, match="no ZIP archive"):
            parse_zipped(b"PK nothing", "g.zip")

    def test_text_that_is_called_an_archive(self) -> None:
        with pytest.raises(DataError, match="no ZIP archive"):
            parse_zipped(b"hello", "g.zip")

    def test_a_schema_may_name_ids_that_are_numbers(self, tmp_path: Path) -> None:
        (tmp_path / "g.json").write_text('{"nodes": [{"id": 0, "x": "a"}, {"id": 1, "x": "b"}], "links": []}')
        (tmp_path / "s.toml").write_text('[attributes]\nid = { role = "identifier" }\nx = { role = "other" }\n')
        assert read_source(tmp_path / "g.json", tmp_path / "s.toml").table.schema.names == ("x", "neighbours")

    def test_dangling_edges_of_two_files(self) -> None:
        files = [("nodes.csv", b"who,x\nann,1\nbob,2\n"), ("edges.csv", b"from,to\nann,bob\nann,zoe\n")]
        with pytest.raises(DataError, match="1 edge with an end that is no node, the first of them edge 2") as caught:
            join_files(files, "both")
        assert "zoe" not in str(caught.value)

    def test_other_documents_are_left_to_others(self) -> None:
        assert parse_node_link(b'{"records": []}', "x.json") is None
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w") as archive:
            archive.writestr("only.csv", "x,y\n1,2\n")
        assert parse_zipped(buffer.getvalue(), "x.zip") is None

    def test_graphml_that_is_an_attack_or_no_graph(self) -> None:
        with pytest.raises(DataError, match="declares entities"):
            parse_graphml(b'<!DOCTYPE x [<!ENTITY a "b">]><graphml/>', "g.graphml")
        with pytest.raises(DataError):
            parse_graphml(b"<graphml></graphml>", "g.graphml")

    def test_non_ascii(self) -> None:
        found = self.read(nodes=[{"id": "é", "party": "Sinn Féin"}], links=[])
        assert "Sinn Féin".encode() in found.bytes_of(found.graph)
        assert "Sinn Féin".encode() in graphml(found.graph)
