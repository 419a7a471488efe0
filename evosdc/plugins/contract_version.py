"""Whether a plugin was written for a contract that this evosdc keeps.

The contract is all that `evosdc.model`, `evosdc.testing` and the hooks have. It has a version of its own, of two
numbers: the first rises when a plugin that kept to it may stop working, the second when something is added. A plugin
says in its module what it was written for: ``evosdc_contract = "2.0"``.
"""

import re

CONTRACT = (2, 0)  # the contract of this evosdc

IN_WORDS = ".".join(map(str, CONTRACT))


def objection(said: object) -> tuple[str, bool]:
    """Return what is wrong with the contract that a plugin names, in words, and whether it cannot be used then."""
    # A plugin that names none is taken as it is.
    if said is None:
        return "", False
    if not isinstance(said, str) or not re.fullmatch(r"[0-9]+\.[0-9]+", said):
        return f"evosdc_contract is {said!r}, wanted a text of two numbers, such as {IN_WORDS!r}", True
    first, second = map(int, said.split("."))
    if first != CONTRACT[0]:
        older = first < CONTRACT[0]
        advice = "Install a newer version of the plugin" if older else "Install a newer evosdc"
        return f"it was written for contract {said} and this evosdc has {IN_WORDS}, which is another. {advice}", True
    if second > CONTRACT[1]:
        told = f"it was written for contract {said} and this evosdc has {IN_WORDS}: what came since is not there."
        return f"{told} Install a newer evosdc.", False
    return "", False
