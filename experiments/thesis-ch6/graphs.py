"""The two graphs of the study, made of published data: members of parliament on Twitter, and the karate club."""

from __future__ import annotations

import csv
import io
import json
import os
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import evosdc
from evosdc.errors import DatasetError, Fault

FOLLOWERS = (5_000, 10_000, 20_000, 40_000, 80_000, 160_000, 320_000)
"""Bounds of the bands of followers."""


@dataclass(frozen=True)
class StudyGraph:
    """A graph as files: the graph in the node-link form, and its schema.

    Parameters
    ----------
    name : str
    graph, schema : Path
    bounds : sequence of str
        Levels of the attribute `located` that are not to be exceeded, where Table 6.1 in kind asks.
    located : str
    coloured : str
        The attribute that colours the layout.
    search : mapping
        Parameters of the memetic search: on a small graph several files are improved, on a large one the best.
    """

    name: str
    graph: Path
    schema: Path
    bounds: Sequence[str]
    located: str
    coloured: str
    search: Mapping[str, int]

    def table(self) -> evosdc.Table:
        """Return a row a user, with the neighbours."""
        return evosdc.read_table(self.graph, self.schema)


def data_folder(name: str) -> Path:
    """Return a folder of published data."""
    known = os.environ.get("EVOSDC_DATA")
    if known is None or not (Path(known) / name).is_dir():
        raise DatasetError(Fault("EVOSDC_DATA", f"no folder with {name}", "the folder of the published data sets"))
    return Path(known) / name


def members_of_parliament(folder: Path) -> StudyGraph:
    """Write the graph of 585 members of parliament: constituency in its tree, party, band of followers."""
    data = data_folder("social_uk_mps_twitter")
    nodes = [
        {
            "id": row["screen_name"],
            "constituency": row["constituency"],
            "party": row["party"],
            "followers": band(int(row["followers_count"])),
        }
        for row in rows_of(data / "mp_vertices.csv")
    ]
    links = [
        {"source": row["from"], "target": row["to"], "weight": int(row["weight"])}
        for row in rows_of(data / "mp_edgelist.csv")
    ]
    bands = [band(low) for low in (0, *FOLLOWERS)]
    tree = f'hierarchy = "{data}/location_hierarchy.csv", levels = ["constituency", "county", "region", "country"]'
    schema = {
        "constituency": f'{{ role = "quasi-identifier", scale = "nominal", {tree} }}',
        "party": '{ role = "quasi-identifier", scale = "nominal" }',
        "followers": f'{{ role = "quasi-identifier", scale = "ordinal", categories = {json.dumps(bands)} }}',
    }
    bounds = ("county", "region", "country")
    return written(folder, "mps", nodes, links, True, schema, bounds, "constituency", "party", {})


def karate(folder: Path) -> StudyGraph:
    """Write the graph of 34 members of a karate club: their side, how many friends, in how many contexts they met."""
    data = data_folder("social_karate")
    edges = rows_of(data / "karate_weighted_edges.csv")
    friends, contexts = Counter[str](), Counter[str]()
    for row in edges:
        for end in (row["from"], row["to"]):
            friends[end] += 1
            contexts[end] += int(row["weight"])
    nodes = [
        {"id": row["name"], "club": row["club"], "friends": friends[row["id"]], "contexts": contexts[row["id"]]}
        for row in rows_of(data / "karate_vertices.csv")
    ]
    name = {row["id"]: row["name"] for row in rows_of(data / "karate_vertices.csv")}
    links = [{"source": name[row["from"]], "target": name[row["to"]], "weight": int(row["weight"])} for row in edges]
    ordinal = '{ role = "quasi-identifier", scale = "ordinal" }'
    schema = {"club": '{ role = "quasi-identifier", scale = "nominal" }', "friends": ordinal, "contexts": ordinal}
    search = {"climbers": 8, "rounds": 20}
    return written(folder, "karate", nodes, links, False, schema, (), "club", "club", search)


def band(followers: int) -> str:
    """Return the band of a number of followers."""
    place = sum(followers >= bound for bound in FOLLOWERS)
    ends = (0, *FOLLOWERS)
    return f"from {ends[place]:,}".replace(",", " ")


def written(
    folder: Path,
    name: str,
    nodes: Sequence[Mapping[str, Any]],
    links: Sequence[Mapping[str, Any]],
    directed: bool,
    schema: Mapping[str, str],
    bounds: Sequence[str],
    located: str,
    coloured: str,
    search: Mapping[str, int],
) -> StudyGraph:
    """Write a graph and its schema."""
    folder.mkdir(parents=True, exist_ok=True)
    graph, description = folder / f"{name}.json", folder / f"{name}.toml"
    document = {"directed": directed, "nodes": list(nodes), "links": list(links)}
    graph.write_text(json.dumps(document, ensure_ascii=False), encoding="utf-8")
    lines = ["[attributes]", *(f"{key} = {value}" for key, value in schema.items())]
    description.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return StudyGraph(name, graph, description, bounds, located, coloured, search)


def rows_of(path: Path) -> list[dict[str, str]]:
    """Return the rows of a CSV file."""
    return list(csv.DictReader(io.StringIO(path.read_text(encoding="utf-8"))))


GRAPHS = {"mps": members_of_parliament, "karate": karate}
