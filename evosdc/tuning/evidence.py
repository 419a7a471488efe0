"""How much the figures of tuned methods rest on."""

FEWEST = 12
"""Files judged for each design of a method, from which on the tuned methods are more than weak evidence."""


def evidence_sentence(evaluations: int, designs: int, sample: int = 0) -> str:
    """Return how many files the tuned methods were found on, and what that means where it is few for each design.

    Most of the files were made of a `sample` of so many records, where there was one.
    """
    of = f" (most of them of a sample of {sample} records)" if sample else ""
    many = f"The tuned methods were found on {evaluations} files{of}, for {designs} designs of methods"
    if evaluations >= FEWEST * designs:
        return f"{many}."
    return (
        f"{many}: fewer than {FEWEST} for each are weak evidence of how good they can be. More time or --evaluations "
        "may find better ones."
    )
