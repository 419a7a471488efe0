"""Small graphs for tests."""

import json
import zipfile
from pathlib import Path

import numpy as np

from evosdc.table.hierarchy import Hierarchy
from evosdc.table.schema import Attribute, Role, Scale, Schema
from evosdc.table.table import Table

PLACES = Hierarchy(
    ("Leeds", "York", "Bath", "Wells", "Rome", "Pisa"),
    (
        ("Yorkshire", "England", "*"),
        ("Yorkshire", "England", "*"),
        ("Somerset", "England", "*"),
        ("Somerset", "England", "*"),
        ("Lazio", "Italy", "*"),
        ("Tuscany", "Italy", "*"),
    ),
    names=("town", "county", "country"),
)

USERS = [
    ("ann", "Leeds", ["jazz", "chess"]),
    ("bob", "York", ["jazz"]),
    ("cid", "Leeds", ["rock", "chess"]),
    ("dot", "Bath", ["opera", "go"]),
    ("eve", "Wells", ["opera", "go"]),
    ("fay", "Rome", ["rock"]),
    ("gus", "Pisa", []),
]

EDGES = [("ann", "bob"), ("bob", "cid"), ("cid", "ann"), ("dot", "eve"), ("eve", "fay"), ("fay", "gus")]


def node_link() -> bytes:
    """Return the small graph as JSON."""
    nodes = [
        {"id": name, "place": place, "topics": topics, "age": 20 + i} for i, (name, place, topics) in enumerate(USERS)
    ]
    links = [{"source": a, "target": b, "weight": i, "said": "hello"} for i, (a, b) in enumerate(EDGES)]
    return json.dumps({"directed": False, "nodes": nodes, "links": links}).encode()


def place_attribute(role: Role = Role.QUASI_IDENTIFIER) -> Attribute:
    """Return the places with their tree."""
    return Attribute("place", role, Scale.NOMINAL, PLACES.leaves, PLACES)


def places(*names: str) -> Table:
    """Return a table of places alone."""
    attribute = place_attribute()
    codes = np.array([[attribute.code[name]] for name in names], dtype=np.int32)
    return Table(Schema((attribute,)), codes, np.empty((len(names), 0)))


def schema_beside(folder: Path) -> Path:
    """Write the schema of the small graph, with the tree of its places, and return its path."""
    lines = [";".join((leaf, *labels)) for leaf, labels in zip(PLACES.leaves, PLACES.levels, strict=True)]
    (folder / "places.csv").write_text("\n".join(lines) + "\n")
    path = folder / "schema.toml"
    path.write_text(
        "[attributes]\n"
        'place = { role = "quasi-identifier", scale = "nominal", hierarchy = "places.csv", '
        'levels = ["town", "county", "country"] }\n'
        'topics_1 = { role = "quasi-identifier", scale = "nominal" }\n'
        'topics_2 = { role = "quasi-identifier", scale = "nominal" }\n'
    )
    return path


def members_of_parliament(data: Path, folder: Path) -> Path:
    """Write the graph of members of parliament as an archive, and its schema beside it; return its path."""
    path = folder / "mps.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.write(data / "mp_vertices.csv", "nodes.csv")
        archive.write(data / "mp_edgelist.csv", "edges.csv")
    (folder / "mps.toml").write_text(
        "[attributes]\n"
        f'constituency = {{ role = "quasi-identifier", hierarchy = "{data}/location_hierarchy.csv", '
        'levels = ["constituency", "county", "region", "country"] }\n'
        'party = { role = "quasi-identifier", scale = "nominal" }\n'
        'name = { role = "identifier" }\nprofile_image_url = { role = "identifier" }\ncolour = { role = "drop" }\n'
    )
    return path
