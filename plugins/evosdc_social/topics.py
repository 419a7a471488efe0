"""Topics of interest from what users post (thesis, section 6.1): by a topic model, or by keywords of a taxonomy.

The thesis says that implicit information is inferred from posts and not how: both ways are reconstructions.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from evosdc.errors import DataError, Fault, ParameterError

LEAST_SHARE = 0.1
"""Share of a user's weight from which a topic of a model is one of theirs."""

LEAST_USERS = 3
"""Users that have to use a word before a model sees it: rarer ones might name people, and name topics."""

MOST_WORDS = 5000
_NAMED = 3
_ROUNDS = 400
_WORD = re.compile(r"[^\W\d_]{3,}")


@dataclass(frozen=True)
class UserTopics:
    """The topics of users.

    Parameters
    ----------
    of : mapping of str to tuple of str
        By user the topics in the order of importance; empty for one whose posts tell none.
    words : mapping of str to tuple of str
        By topic the words that stand for it, the most telling first.
    """

    of: Mapping[str, tuple[str, ...]]
    words: Mapping[str, tuple[str, ...]]

    @property
    def without(self) -> int:
        """How many users have no topic."""
        return sum(not topics for topics in self.of.values())


def topics_by_model(
    posts: Iterable[tuple[str, str]],
    number: int = 10,
    each: int = 3,
    model: Literal["nmf", "lda"] = "nmf",
    seed: int = 1,
) -> UserTopics:
    """Return topics that a model finds in the posts, called by their three most telling words.

    All posts of a user are one document. Same seed, same topics.

    Parameters
    ----------
    posts : iterable of (user, text)
    number : int
        How many topics there are.
    each : int
        How many of them a user has at most.
    model : {"nmf", "lda"}
        Non-negative matrix factorisation of tf-idf weights, or latent Dirichlet allocation of counts; English words
        that say nothing are left out.
    seed : int

    Raises
    ------
    ParameterError
        A number below 1.
    DataError
        Too few words in common, or scikit-learn is not installed.
    """
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
    """Return topics by how many of the words of a user's posts stand for each.

    Parameters
    ----------
    posts : iterable of (user, text)
    keywords : mapping of str to str
        The topic of each word, such as ``{"guitar": "music"}``; of topics with as many words the first one counts more.
    each : int
        How many topics a user has at most.
    """
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
