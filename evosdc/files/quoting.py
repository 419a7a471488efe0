"""What messages may show of a value: nothing where it may identify a respondent."""

from evosdc.files.inference.name_hints import hint_of
from evosdc.table.schema import Attribute, Role

WITHOUT = "a value"  # what stands in place of a value that is not shown
_SENTENCE_LENGTH, _SENTENCE_WORDS = 25, 4


def is_shown(name: str, role: Role | None) -> bool:
    """Return whether messages may show values of an attribute, to judge by its role and its name."""
    return (role is None or role.published) and not hint_of(name).identifier


def quoted(text: str, attribute: Attribute) -> str:
    """Return a value in quotes as messages show it; `WITHOUT` for identifiers, columns to drop, and sentences."""
    sentence = len(text) >= _SENTENCE_LENGTH and len(text.split()) >= _SENTENCE_WORDS
    return repr(text) if is_shown(attribute.name, attribute.role) and not sentence else WITHOUT
