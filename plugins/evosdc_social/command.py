"""``evosdc graph``: files of nodes and edges to graphs, graphs to microdata files and back."""

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from evosdc.options import shared
from evosdc.options.model import Options, argument, names, option


class JoinOptions(Options):
    """Write one graph of a CSV file of NODES and one of EDGES, whose first two columns are the ends.

    The column of NODES with the ids is found. Ids are kept: the graph is as confidential as the files.
    """

    nodes: Path = argument(Path())
    edges: Path = argument(Path())
    output: Path = option(..., "Ends in .graphml, .json or .zip.", metavar="GRAPH")
    encoding: str | None = shared.ENCODING
    undirected: bool = option(False, "Take edges for connections without a direction.")
    force: bool = shared.FORCE


class ExtractOptions(Options):
    """Write a microdata file of GRAPH: a row a user, with the degree and what the neighbours are like.

    Identifiers are left out, and a schema is written beside it. The file is the original, as confidential as the graph:
    protect it by any method, and put the result back by evosdc graph insert.
    """

    graph: Path = argument(Path())
    schema_file: Path | None = shared.SCHEMA
    neighbours: Sequence[str] = names(
        "Attributes of which a row tells the most frequent value among neighbours.", (), metavar="A,B"
    )
    output: Path = option(..., "The microdata file.", metavar="USERS.csv")
    force: bool = shared.FORCE


class InsertOptions(Options):
    """Write GRAPH with the values of a MASKED microdata file, whose rows are its users in their order.

    The order is that of evosdc graph extract. The column neighbours tells it; a file without that column has to be as
    evosdc mask or protect wrote it, with the manifest beside it or in its run folder.

    What the graph tells by itself, degrees and neighbours, is not written; its identifiers are left out.
    """

    graph: Path = argument(Path())
    masked: Path = argument(Path())
    schema_file: Path | None = shared.SCHEMA
    encoding: str | None = shared.ENCODING
    sheet: str | None = shared.SHEET
    output: Path = option(..., "The protected graph.", metavar="PROTECTED")
    in_order: bool = option(False, "Take the rows as they stand, whatever wrote them.")
    force: bool = shared.FORCE


class TopicsOptions(Options):
    """Write GRAPH with the topics of its users, found in a file of POSTS, as the list `topics`.

    The graph keeps its ids: it is as confidential as before. OUTPUT.topics.csv beside it has the words of each topic.
    """

    graph: Path = argument(Path())
    posts: Path = argument(Path())
    user: str = option(..., "The column of POSTS with the users.", metavar="COLUMN")
    by: str | None = option(
        None, "The attribute of GRAPH that calls users as POSTS does; default: their ids.", metavar="ATTRIBUTE"
    )
    text: str = option(..., "The column with what they post.", metavar="COLUMN")
    encoding: str | None = shared.ENCODING
    sheet: str | None = shared.SHEET
    number: int = option(10, "Topics that a model looks for.", metavar="N")
    each: int = option(3, "Topics of a user at most, in the order of importance.", metavar="N")
    model: Literal["nmf", "lda"] = option("nmf", "How topics are found.")
    keywords: Path | None = option(None, "A file of word,topic; in place of a model.", metavar="CSV")
    seed: int = option(1, "What a model draws from.", metavar="N")
    output: Path = option(..., "The graph to write.", metavar="GRAPH")
    force: bool = shared.FORCE


class PlacesOptions(Options):
    """Write GRAPH with places as the tree calls them, in place of what users wrote.

    Beside OUTPUT stand the tree, with a leaf more for each place above the leaves, and the unknown places.
    """

    graph: Path = argument(Path())
    attribute: str = option(..., "What users wrote of where they are.", metavar="A")
    tree: Path = option(..., "The tree of places, from the finest to the root.", metavar="CSV")
    output: Path = option(..., "The graph to write.", metavar="GRAPH")
    force: bool = shared.FORCE


def join(options: JoinOptions) -> None:
    """Write one graph of two files."""
    from dataclasses import replace

    from evosdc.cli.inputs import require_apart
    from evosdc.cli.text import say
    from evosdc.errors import DataError, Fault
    from evosdc.files.atomic import atomic, require_unused
    from evosdc.files.encoding import read_bytes
    from evosdc.printing import printable
    from evosdc_social.formats import graphml, join_files, node_link, zipped

    nodes, edges, output = options.nodes, options.edges, options.output
    writers = {".graphml": graphml, ".json": node_link, ".zip": zipped}
    if output.suffix.lower() not in writers:
        wanted = f"one that ends in {', '.join(writers)}"
        raise DataError(Fault("--output", printable(str(output)), wanted, "The ending says the format."))
    require_apart(output, nodes, edges)
    require_unused(output, replace=options.force)
    where = printable(f"{nodes} and {edges}")
    made = join_files([(path.name, read_bytes(path)) for path in (nodes, edges)], where, options.encoding)
    made = replace(made, directed=not options.undirected)
    with atomic(output) as temporary:
        temporary.write_bytes(writers[output.suffix.lower()](made))
    say(f"{len(made)} nodes, {len(made.sources)} edges. Wrote {output}, which holds the ids of all nodes.")


def extract(options: ExtractOptions) -> None:
    """Write the users of a graph as a microdata file."""
    from evosdc.cli.inputs import open_source, require_apart
    from evosdc.cli.text import say
    from evosdc.files.atomic import atomic, require_unused
    from evosdc.files.delimited_file import plain_text
    from evosdc.files.schema.schema_file import dump_schema, hierarchy_files
    from evosdc_social.extraction import extracted, extracted_schema

    data, output, schema = options.graph, options.output, options.schema_file
    source = open_source(str(data), schema)
    heading, rows = extracted(source, options.neighbours)
    described = extracted_schema(source, options.neighbours)
    beside = output.with_suffix(".toml")
    for path in (output, beside, *hierarchy_files(described, beside).values()):
        require_apart(path, data, schema)
        require_unused(path, replace=options.force)
    with atomic(output) as temporary:
        temporary.write_bytes(plain_text(heading, rows))
    dump_schema(described, beside)
    say(f"{len(rows)} users: {', '.join(heading)}. Wrote {output} and its schema {beside.name}.")


def insert(options: InsertOptions) -> None:
    """Write a graph with protected values."""
    from evosdc.cli.inputs import open_source, require_apart, require_order
    from evosdc.cli.text import say
    from evosdc.files.atomic import require_unused
    from evosdc.files.formats import Reading
    from evosdc.files.source import parsed
    from evosdc_social.extraction import written_back
    from evosdc_social.graph import NEIGHBOURS

    data, masked, output, schema = options.graph, options.masked, options.output, options.schema_file
    require_apart(output, data, masked, schema)
    require_unused(output, replace=options.force)
    source = open_source(str(data), schema)
    rows = parsed(masked, Reading(**options.reading))
    table, others = written_back(source, rows, str(masked))
    if not options.in_order and all(column.name != NEIGHBOURS for column in rows.columns):
        require_order(masked)
    written = source.write(output, table)
    changed = ", ".join(f"{name} {count}" for name, count in written.changed.items())
    say(f"{len(table)} users, cells changed: {changed}. Wrote {output}.")
    if written.dropped:
        say(f"Left out: {', '.join(written.dropped)}.")
    if others:
        say(f"Not in the graph, and not written: {', '.join(others)}.")


def topics(options: TopicsOptions) -> None:
    """Write a graph with topics."""
    from evosdc.cli.inputs import require_apart
    from evosdc.cli.text import say
    from evosdc.files.atomic import require_unused, write_text
    from evosdc.files.delimited_file import plain_text
    from evosdc.files.formats import Reading
    from evosdc_social.posts import (
        read_graph,
        read_keywords,
        read_posts,
        topics_by_keywords,
        topics_by_model,
        with_attribute,
        written_graph,
    )

    data, posts, output, keywords = options.graph, options.posts, options.output, options.keywords
    beside = output.with_suffix(".topics.csv")
    require_apart(output, data, posts, keywords)
    require_unused(output, beside, replace=options.force)
    listed = read_posts(posts, options.user, options.text, Reading(**options.reading))
    if keywords is not None:
        found = topics_by_keywords(listed, read_keywords(keywords), options.each)
    else:
        found = topics_by_model(listed, options.number, options.each, options.model, options.seed)
    given = read_graph(data)
    made, strangers = with_attribute(given, "topics", found.of, options.by, data)
    written_graph(made, output)
    write_text(beside, plain_text(["topic", "words"], [[t, " ".join(w)] for t, w in found.words.items()]).decode())
    silent = sum(not value for value in made.graph.values["topics"])
    say(f"{len(found.words)} topics; {silent} of {len(made.graph)} users have none. Wrote {output} and {beside.name}.")
    if "topics" in given.graph.values:
        say(f"They stand in place of the topics that {data.name} has.")
    if strangers:
        say(f"{strangers} users of {posts.name} are not in the graph.")


def places(options: PlacesOptions) -> None:
    """Write a graph with places."""
    from evosdc.cli.inputs import require_apart
    from evosdc.cli.text import say
    from evosdc.files.atomic import require_unused, write_text
    from evosdc.files.delimited_file import plain_text
    from evosdc.files.schema.hierarchies import read_hierarchy, write_hierarchy
    from evosdc_social.posts import read_graph, resolved, texts_of, with_values, written_graph

    data, output, tree, attribute = options.graph, options.output, options.tree, options.attribute
    own, lost = output.with_suffix(".places.csv"), output.with_suffix(".unknown.csv")
    require_apart(output, data, tree)
    require_unused(output, own, lost, replace=options.force)
    given = read_graph(data)
    found = resolved(texts_of(given, attribute, data), read_hierarchy(tree))
    written_graph(with_values(given, attribute, found.leaves), output)
    write_hierarchy(found.tree, own)
    rows = [[text, str(count)] for text, count in sorted(found.unknown.items(), key=lambda pair: (-pair[1], pair[0]))]
    write_text(lost, plain_text(["text", "users"], rows).decode())
    here, unknown = sum(leaf is not None for leaf in found.leaves), found.unknown.total()
    silent = len(found.leaves) - here - unknown
    say(f"{here} users found, {unknown} not, {silent} say nothing. Wrote {output}, {own.name} and {lost.name}.")
    say(f'Name the tree in the schema: {attribute} = {{ role = "quasi-identifier", hierarchy = "{own.name}" }}')
