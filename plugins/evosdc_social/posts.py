"""Files of posts: topics of interest (thesis, section 6.1), places, and graphs that get attributes from them."""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from evosdc.errors import DataError, Fault, ParameterError, SchemaError, did_you_mean
from evosdc.files.atomic import atomic
from evosdc.files.formats import Reading
from evosdc.files.source import parsed
from evosdc.printing import printable
from evosdc.table.hierarchy import Hierarchy
from evosdc_social.graph import Value, counted
from evosdc_social.graph_file import GraphFile, cells_of, graph_file

_PARTS = re.compile(r"[,;/|()]|\s[-\N{EN DASH}]\s")
_SIGNS = re.compile(r"[^\w ]+")

# Follows a place above the leaves that is all a user says: a leaf of its own below that place
NOT_FINER = "(not finer)"


@dataclass(frozen=True)
class Places:
    """Where users are."""

    leaves: tuple[str | None, ...]  # by user a leaf of `tree`; None where nothing was said, or it was not found
    tree: Hierarchy  # the tree that was given, with a leaf more for each place above the leaves that somebody says
    unknown: Counter[str]  # unknown places and their frequencies


def resolved(texts: Sequence[str | None], tree: Hierarchy) -> Places:
    """Return where users are, by what they wrote: ``leeds, UK`` is Leeds."""
    # Capitals, accents and punctuation are of no account. A text that is no label of the tree is cut at commas,
    # slashes, brackets and dashes, and the finest label among its parts counts that lies below the others which are
    # found; where labels contradict each other, as in ``Leeds / Rome``, the text is not found. Nothing is guessed
    # beyond that.
    paths = {(leaf, *labels) for leaf, labels in zip(tree.leaves, tree.levels, strict=True)}
    known: dict[str, list[str]] = {}
    above: dict[str, set[str]] = {}
    for path in sorted(paths):
        for level, label in enumerate(path):
            below = known.setdefault(plain(label), [])
            if label not in below:
                below.append(label)
            above.setdefault(label, set()).update(path[level:])
    known.pop("", None)
    found = {text: _place(text, known, above) for text in dict.fromkeys(text for text in texts if text)}
    leaves = set(tree.leaves)
    inner = [label for label in dict.fromkeys(found.values()) if label is not None and label not in leaves]
    places = [found.get(text or "") for text in texts]
    named = tuple(None if p is None else p if p in leaves else f"{p} {NOT_FINER}" for p in places)
    unknown = Counter(text for text in texts if text and text.strip() and found[text] is None)
    return Places(named, _with_leaves(tree, inner), unknown)


def plain(text: str) -> str:
    """Return a text without capitals, accents, punctuation and double blanks."""
    bare = "".join(s for s in unicodedata.normalize("NFKD", text.casefold()) if not unicodedata.combining(s))
    return " ".join(_SIGNS.sub(" ", bare.replace("&", " and ")).split())


def _place(text: str, known: dict[str, list[str]], above: dict[str, set[str]]) -> str | None:
    whole = known.get(plain(text))
    if whole:
        return whole[0] if len(whole) == 1 else None
    parts = [set(known[plain(part)]) for part in _PARTS.split(text) if plain(part) in known]
    # A part may be the name of several places: one of them has to be above the finest, or itself.
    finest = [label for label in set().union(*parts) if all(part & above[label] for part in parts)]
    return finest[0] if len(finest) == 1 else None


def _with_leaves(tree: Hierarchy, inner: Sequence[str]) -> Hierarchy:
    leaves, levels = list(tree.leaves), list(tree.levels)
    for label in inner:
        path = next(path for path in tree.levels if label in path)
        leaves.append(f"{label} {NOT_FINER}")
        # Below its own level the new leaf keeps its own name, so that no finer place is claimed.
        own = next(level for level, one in enumerate(path) if one == label)
        levels.append((*[leaves[-1]] * own, *path[own:]))
    return Hierarchy(tuple(leaves), tuple(levels), tree.origin, tree.names)


LEAST_SHARE = 0.1  # share of a user's weight from which a topic of a model is one of theirs
LEAST_USERS = 3  # users that have to use a word before a model sees it: rarer ones might name people, and name topics
MOST_WORDS = 5000
_NAMED = 3
_ROUNDS = 400
_WORD = re.compile(r"[^\W\d_]{3,}")


@dataclass(frozen=True)
class UserTopics:
    """The topics of users."""

    of: Mapping[str, tuple[str, ...]]  # by user the topics in the order of importance; may be empty
    words: Mapping[str, tuple[str, ...]]  # by topic the words that represent it, the most telling first


def topics_by_model(
    posts: Iterable[tuple[str, str]],
    number: int = 10,
    each: int = 3,
    model: Literal["nmf", "lda"] = "nmf",
    seed: int = 1,
) -> UserTopics:
    """Return topics that a model finds in the posts, called by their three most telling words."""
    # All posts of a user are one document. Same seed, same topics.
    if number < 1 or each < 1:
        raise ParameterError(Fault("topics", f"{min(number, each)}", "whole numbers from 1"))
    documents = _documents(posts)
    weights, vocabulary, shares = _fitted(list(documents.values()), number, model, seed)
    order = np.argsort(-weights, axis=1, kind="stable")
    words = [
        tuple(vocabulary[place] for place in row[:10] if weights[topic, place] > 0) for topic, row in enumerate(order)
    ]
    names = _named(words)
    of = {}
    for user, row in zip(documents, shares, strict=True):
        chosen = [topic for topic in np.argsort(-row, kind="stable")[:each].tolist() if row[topic] >= LEAST_SHARE]
        of[user] = tuple(names[topic] for topic in chosen)
    return UserTopics(of, dict(zip(names, words, strict=True)))


def topics_by_keywords(posts: Iterable[tuple[str, str]], keywords: Mapping[str, str], each: int = 3) -> UserTopics:
    """Return topics by how many of the words of a user's posts represent each."""
    known = {word.casefold(): topic for word, topic in keywords.items()}
    place = {topic: number for number, topic in enumerate(dict.fromkeys(keywords.values()))}
    of = {}
    for user, text in _documents(posts).items():
        counts = Counter(known[word] for word in _WORD.findall(text.casefold()) if word in known)
        of[user] = tuple(sorted(counts, key=lambda topic: (-counts[topic], place[topic]))[:each])
    words: dict[str, tuple[str, ...]] = dict.fromkeys(place, ())
    for word, topic in keywords.items():
        words[topic] = (*words[topic], word)
    return UserTopics(of, words)


def _documents(posts: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Return all that each user posts, users in the order of their names."""
    texts: dict[str, list[str]] = {}
    for user, text in posts:
        texts.setdefault(user, []).append(text)
    if not texts:
        raise DataError(Fault("posts", "no post", "at least one"))
    return {user: "\n".join(texts[user]) for user in sorted(texts)}


def _fitted(
    documents: Sequence[str], number: int, model: str, seed: int
) -> tuple[NDArray[np.float64], Sequence[str], NDArray[np.float64]]:
    """Return the weights of words by topic, the words, and each document's shares of topics."""
    try:
        from sklearn.decomposition import NMF, LatentDirichletAllocation
        from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
    except ImportError:
        advice = "Install it: pip install scikit-learn threadpoolctl, or give keywords."
        raise DataError(Fault("topics", "a topic model", "scikit-learn to fit it with", advice)) from None
    kind = TfidfVectorizer if model == "nmf" else CountVectorizer
    vectors: Any = kind(
        stop_words="english", token_pattern=_WORD.pattern, min_df=LEAST_USERS, max_df=0.8, max_features=MOST_WORDS
    )
    try:
        matrix = vectors.fit_transform(documents)
    except ValueError:
        matrix = None
    if matrix is None or min(matrix.shape) < number:
        given = f"{len(documents)} users with {0 if matrix is None else matrix.shape[1]} words in common"
        wanted = f"at least {number} of both, words that {LEAST_USERS} users have used"
        raise DataError(Fault("posts", given, wanted, "Ask for fewer topics, or give keywords."))
    if model == "nmf":
        fitted: Any = NMF(number, init="nndsvda", random_state=seed, max_iter=_ROUNDS)
    else:
        fitted = LatentDirichletAllocation(number, random_state=seed, max_iter=20, learning_method="batch")
    shares = fitted.fit_transform(matrix)
    if model == "lda":
        shares = np.where(np.asarray(matrix.sum(axis=1)) > 0, shares, 0.0)
    total = shares.sum(axis=1, keepdims=True)
    return fitted.components_, vectors.get_feature_names_out().tolist(), shares / np.where(total > 0, total, 1.0)


def _named(words: Sequence[tuple[str, ...]]) -> list[str]:
    """Return a name for each topic, all different."""
    names: list[str] = []
    for own in words:
        length = _NAMED
        name = " ".join(own[:length]) or "other"
        while name in names and length < len(own):
            length += 1
            name = " ".join(own[:length])
        names.append(name if name not in names else f"{name} {len(names) + 1}")
    return names


def read_posts(path: Path, user: str, text: str, options: Reading | None = None) -> list[tuple[str, str]]:
    """Return the posts of a file: users and texts."""
    columns = {column.name: column for column in parsed(path, options).columns}
    for name in (user, text):
        if name not in columns:
            wanted = f"one of {printable(', '.join(columns))}"
            raise SchemaError(Fault(printable(str(path)), f"no column {name!r}", wanted, did_you_mean(name, columns)))
    users, texts = cells_of(columns[user]), cells_of(columns[text])
    return [(one or "", said or "") for one, said in zip(users, texts, strict=True)]


def read_keywords(path: Path) -> dict[str, str]:
    """Return the topic of each word of a file whose first two columns are words and topics, below a header."""
    columns = parsed(path).columns
    if len(columns) < 2:
        raise DataError(Fault(printable(str(path)), "one column", "two: word,topic"))
    words, topics = map(cells_of, columns[:2])
    return {word: topic for word, topic in zip(words, topics, strict=True) if word and topic}


def read_graph(path: Path) -> GraphFile:
    """Return the graph of a file."""
    held = parsed(path)
    if not isinstance(held, GraphFile):
        raise DataError(Fault(printable(str(path)), "a file without edges", "a graph: .graphml, .json or .zip"))
    return held


def texts_of(made: GraphFile, attribute: str, path: Path) -> list[str | None]:
    """Return what a graph's users have as an attribute, as texts."""
    values = made.graph.values
    if attribute not in values:
        wanted, advice = f"one of {printable(', '.join(values))}", did_you_mean(attribute, values)
        raise SchemaError(Fault(printable(str(path)), f"no attribute {attribute!r}", wanted, advice))
    return [None if value is None or isinstance(value, tuple) else str(value) for value in values[attribute]]


def with_values(made: GraphFile, attribute: str, values: Sequence[Value]) -> GraphFile:
    """Return a graph with other values of an attribute, in the order of its nodes."""
    graph = replace(made.graph, values={**made.graph.values, attribute: list(values)})
    return graph_file(graph, printable(attribute), made.format, made.bytes_of)


def with_attribute(
    made: GraphFile, attribute: str, of: Mapping[str, tuple[str, ...]], by: str | None, path: Path
) -> tuple[GraphFile, int]:
    """Return a graph with a list for each user, called by ids or by an attribute, and how many users it lacks."""
    names = list(made.graph.ids) if by is None else texts_of(made, by, path)
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
    return with_values(made, attribute, values), strangers


def written_graph(made: GraphFile, output: Path) -> None:
    """Write a graph in the format that it was read from, ids and all, readable by its owner alone."""
    if output.suffix.lower() != made.suffix:
        wanted = f"a name that ends in {made.suffix}, as the graph does"
        raise DataError(Fault("--output", printable(str(output)), wanted))
    with atomic(output) as temporary:
        temporary.write_bytes(made.bytes_of(made.graph))
