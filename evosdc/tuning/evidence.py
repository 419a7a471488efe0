"""How much the figures of tuned methods rest on."""

from collections.abc import Sequence

FEWEST = 12
"""Files judged for each design of a method, from which on the tuned methods are more than weak evidence."""


NAMED = 8
"""Designs that were not tried which the sentence names, at most."""


def evidence_sentence(evaluations: int, designs: int, sample: int = 0, untried: Sequence[str] = ()) -> str:
    """Return how many files the tuned methods were found on, and what that means where it is few for each design.

    Most of the files were made of a `sample` of so many records, where there was one. Designs that were `untried` are
    named: the best of those that were tried may be worse than one of them.
    """
    of = f" (most of them of a sample of {sample} records)" if sample else ""
    files = "1 file" if evaluations == 1 else f"{evaluations} files"
    many = f"The tuned methods were found on {files}{of}, for {designs} designs of methods"
    words = f"{many}."
    if evaluations < FEWEST * designs:
        words = (
            f"{many}: fewer than {FEWEST} for each are weak evidence of how good they can be. More time may find "
            "better ones; so may evosdc tune with more evaluations."
        )
    if untried:
        more = len(untried) - NAMED
        named = ", ".join(untried[:NAMED]) + (f" and {more} more" if more > 0 else "")
        words += f" Not tried at all: {named}."
    return words
