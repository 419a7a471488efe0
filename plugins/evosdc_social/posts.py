"""Files of posts, and graphs that get attributes from them: originals, ids kept."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from evosdc.errors import DataError, Fault, SchemaError, did_you_mean
from evosdc.files.atomic import atomic
from evosdc.files.column import NO_TEXT, Column
from evosdc.files.original import Original
from evosdc.files.reading import parsed
from evosdc.printing import printable
from evosdc_social.graph import Value, counted
from evosdc_social.graph_file import GraphFile


def read_posts(path: Path, user: str, text: str) -> list[tuple[str, str]]:
    """Return the posts of a file: users and texts.

    Raises
    ------
    InputError
        The file cannot be read, or lacks a column.
    """
    held = parsed(path)
    users, texts = (_texts(_column(held, name, path)) for name in (user, text))
    return [(one or "", said or "") for one, said in zip(users, texts, strict=True)]


def read_keywords(path: Path) -> dict[str, str]:
    """Return the topic of each word of a file whose first two columns are words and topics, below a header."""
    columns = parsed(path).columns
    if len(columns) < 2:
        raise DataError(Fault(printable(str(path)), "one column", "two: word,topic"))
    words, topics = (_texts(column) for column in columns[:2])
    return {word: topic for word, topic in zip(words, topics, strict=True) if word and topic}


def texts_of(path: Path, attribute: str) -> list[str | None]:
    """Return what a graph's users have as an attribute, as texts."""
    values = _attribute(_graph(path), attribute, path)
    return [None if value is None or isinstance(value, tuple) else str(value) for value in values]


def has_attribute(path: Path, attribute: str) -> bool:
    """Whether the nodes of a graph have an attribute of this name."""
    return attribute in _graph(path).graph.values


def with_values(path: Path, attribute: str, values: Sequence[Value]) -> GraphFile:
    """Return a graph with other values of an attribute, in the order of its nodes."""
    made = _graph(path)
    return replace(made, graph=replace(made.graph, values={**made.graph.values, attribute: list(values)}))


def with_attribute(
    path: Path, attribute: str, of: Mapping[str, tuple[str, ...]], by: str | None = None
) -> tuple[GraphFile, int]:
    """Return a graph with a list for each user, and how many users of the lists it does not have.

    Parameters
    ----------
    path : Path
        Of the graph.
    attribute : str
        What the list is called.
    of : mapping of str to tuple of str
        The lists of users.
    by : str, optional
        The attribute of the nodes by whose values `of` calls users; their ids if not given.

    Raises
    ------
    SchemaError, DataError
        No such attribute, no user in common, or several nodes with the same value.
    """
    made = _graph(path)
    names = list(made.graph.ids) if by is None else texts_of(path, by)
    nodes = Counter(name for name in names if name is not None)
    strangers = len(of.keys() - nodes.keys())
    where = printable(str(path))
    called = "whose ids" if by is None else f"whose values of {printable(by)}"
    if strangers == len(of):
        given = f"{counted(len(made.graph), 'node')}, {called} are none of the {counted(len(of), 'user')} of the posts"
        attributes = printable(", ".join(made.graph.values)) or "none"
        advice = f"Name the attribute that holds the users by --by, one of: {attributes}; or another column by --user."
        raise DataError(Fault(where, given, "users of the posts among the nodes", advice))
    several = [nodes[name] for name in of if nodes[name] > 1]
    if several:
        given = f"{counted(sum(several), 'node')} {called} others have, too"
        raise DataError(Fault(where, given, "one node for each user of the posts", "Join by ids, or mend the values."))
    values = [None if name is None else of.get(name) or None for name in names]
    return with_values(path, attribute, values), strangers


def written_graph(made: GraphFile, output: Path) -> None:
    """Write a graph in the format that it was read from, ids and all, readable by its owner alone.

    Raises
    ------
    DataError
        The name ends like another format.
    """
    if output.suffix.lower() != made.suffix:
        wanted = f"a name that ends in {made.suffix}, as the graph does"
        raise DataError(Fault("--output", printable(str(output)), wanted))
    with atomic(output) as temporary:
        temporary.write_bytes(made.bytes_of(made.graph))


def _graph(path: Path) -> GraphFile:
    held = parsed(path)
    if not isinstance(held, GraphFile):
        raise DataError(Fault(printable(str(path)), "a file without edges", "a graph: .graphml, .json or .zip"))
    return held


def _attribute(made: GraphFile, name: str, path: Path) -> Sequence[Value]:
    if name not in made.graph.values:
        known = list(made.graph.values)
        wanted = f"one of {printable(', '.join(known))}"
        raise SchemaError(Fault(printable(str(path)), f"no attribute {name!r}", wanted, did_you_mean(name, known)))
    return made.graph.values[name]


def _column(held: Original, name: str, path: Path) -> Column:
    names = [column.name for column in held.columns]
    if name not in names:
        wanted = f"one of {printable(', '.join(names))}"
        raise SchemaError(Fault(printable(str(path)), f"no column {name!r}", wanted, did_you_mean(name, names)))
    return held.columns[names.index(name)]


def _texts(column: Column) -> list[str | None]:
    texts = (*column.texts, None)
    return [texts[NO_TEXT if place == NO_TEXT else place] for place in column.index.tolist()]
