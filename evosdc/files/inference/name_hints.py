"""Hints on the role of a column in its name, or in its label in the file; the words are in a data file."""

import re
import tomllib
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files
from typing import Any

from evosdc.table.schema import Role

LANGUAGES = ("German", "French", "Spanish", "Italian", "Portuguese", "Dutch", "Polish")
MOST_JOINED = 3  # most consecutive words of other languages that are looked up as one
IDENTIFYING = frozenset({"name", "address", "contact", "number"})
SENSITIVE = frozenset({"religion", "health", "debt"})
DEMOGRAPHIC = frozenset({
    "age", "birth", "sex", "place", "occupation", "marital", "household", "income", "education", "nationality",
    "relation",
})  # fmt: skip
UNORDERED = frozenset({"sex", "place", "occupation", "marital", "nationality", "religion", "health", "relation"})
ORDERED = frozenset({"age", "education", "household"})
_SMALL_WORDS = """
    a al d da das de dei del della delle dello der des di die do dos du e el en et i in ks l la las le les los o op und
    van vom von w y z
    """
_SMALL = frozenset(_SMALL_WORDS.split())
_PLURALS = ("es", "en", "er", "s", "e", "n")
_FEWEST_LETTERS = 4
_SIGNS = str.maketrans({"\N{LATIN SMALL LETTER SHARP S}": "ss", "\N{LATIN SMALL LETTER L WITH STROKE}": "l"})
# what follows a word for a person in names that are run together, as ``idno`` and ``caseno``
_NUMBERS = ("no", "nr", "num", "number", "nummer", "code")
# ages of surveys: ``agea``, ``ager``, ``agegr``; no agent, agency or agenda
_AGE = re.compile(r"age(?:[a-z]|yrs?|grp?|gp|cat|bands?|range|class|int|years?)")
_RELATIVES = ("father", "mother", "husband", "hus", "wife", "spouse", "partner", "parent", "mom", "mum", "dad")
# mother, father, husband, wife: the first letter before a stem, as in ``mage`` and ``heducation``
_LETTERS_OF_RELATIVES = "mfhw"
_ENDING_IN_MONEY = ("income", "wage", "wages", "salary", "earnings")
_ENDING_IN_DEBT = ("debt", "debts")


@dataclass(frozen=True, slots=True)
class NameHint:
    """The hint in a name."""

    role: Role | None = None  # weight, household, stratum, sensitive or quasi-identifier
    identifier: bool = False  # whether the name is one of identifiers; the values have the last word
    unordered: bool = False  # whether numbers under this name are codes, not quantities
    certain: bool = False  # whether a weight can be no body weight
    ordered: bool = False  # whether whole numbers under this name are counts or grades, not codes
    # what of a respondent others may know by this name: ``age``, ``place``, ``money``, ``trait``, or nothing
    demographic: str = ""
    count: bool = False  # whether whole numbers under this name count something
    naming: bool = False  # whether it says so plainly that values which records share do not refute it


@dataclass(frozen=True)
class _Table:
    """Words of concepts for look-ups: whole names, words, and beginnings and ends of longer words."""

    whole: Mapping[str, frozenset[str]]
    single: Mapping[str, frozenset[str]]
    begin: tuple[tuple[str, str], ...]
    end: tuple[tuple[str, str], ...]


@cache
def words() -> Mapping[str, Any]:
    """Return the tables of ``words.toml``."""
    found: Mapping[str, Any] = tomllib.loads(files(__package__).joinpath("words.toml").read_text(encoding="utf-8"))
    return found


@cache
def _english(key: str) -> frozenset[str]:
    return frozenset(words()["english"][key].split())


def words_of(name: str) -> tuple[str, ...]:
    """Return the words of a name in lower case: ``HouseholdID`` and ``household-id`` give household and id."""
    apart = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name)
    return tuple(word.rstrip("0123456789") or word for word in re.split(r"[\W_]+", apart.lower()) if word)


def hint_of(name: str, label: str = "") -> NameHint:
    """Return the hint in the name of an attribute, or else in its label in the file."""
    hint = _hint(name)
    if label and hint.role is None and not hint.identifier:
        said = _hint(label)
        # A label is a sentence that may speak of a name or number without being one.
        return NameHint(said.role, False, said.unordered, said.certain, said.ordered, said.demographic, said.count)
    return hint


@lru_cache(maxsize=4096)
def _hint(name: str) -> NameHint:
    parts = words_of(name)
    whole, concepts = "".join(parts), concepts_of(parts)
    known = frozenset((*parts, whole))
    known |= {stem for word in known for stem in _within(word)}
    unordered = bool(known & (_english("unordered") | _english("places")) or concepts & UNORDERED)
    owned = known & _english("weight") and known & _english("weight_owners")
    if whole in _english("certain_weight") or owned or "weight" in concepts:
        return NameHint(Role.WEIGHT, certain=True)
    if whole in _english("weight") or "plain_weight" in concepts:
        return NameHint(Role.WEIGHT)
    if known & _english("stratum"):
        return NameHint(Role.STRATUM, unordered=True)
    keyed = known & (_english("counters") | _english("household_keys")) or whole in _english("household")
    if known & _english("household") and keyed and not known & _english("household_traits"):
        return NameHint(Role.HOUSEHOLD, unordered=True)
    # The name or number of a place is the place's, not a respondent's.
    located = bool(known & _english("places") or "place" in concepts)
    identifier = bool(
        (known - _english("labels") if located else known) & _english("identifier")
        or (concepts & IDENTIFYING and not located)
        or (known & _english("identifier_owners") and known & _english("counters"))
        or whole in _english("identifier_owners")
        # A number of a thing that belongs to one; a count of things names them in the plural.
        or (parts[-2:-1] and parts[-1] in _english("number_words") and parts[-2] in _english("numbered_things"))
        or _run_together(parts)
    )
    count = bool(known & _english("counts") or "household" in concepts)
    ordered = not unordered and bool(known & _english("ordered") or count or concepts & ORDERED)
    ill = "health" in known and not known & _english("numbered_things")  # a health plan is none
    if ill or known & _english("sensitive") or concepts & SENSITIVE:
        return NameHint(Role.SENSITIVE, identifier, unordered, ordered=ordered)
    aged, paid = known & _english("ages") or "age" in concepts, known & _english("money") or "income" in concepts
    if located or aged or paid or known & _english("demographic") or concepts & DEMOGRAPHIC:
        topic = "place" if located else "age" if aged else "money" if paid else "trait"
        return NameHint(Role.QUASI_IDENTIFIER, identifier, unordered, ordered=ordered, demographic=topic, count=count)
    return NameHint(None, identifier, unordered, ordered=ordered, count=count, naming=whole in _english("naming"))


def is_age(name: str) -> bool:
    """Return whether the name is one of ages in years."""
    return hint_of(name).demographic == "age" and not set(words_of(name)) & {"yob", "birthyear"}


def is_birth(name: str) -> bool:
    """Return whether the name is one of days or years of birth."""
    return bool(set(words_of(name)) & _english("births")) or "birth" in concepts_of(words_of(name))


def is_count(name: str) -> bool:
    """Return whether the name is one of counts: children, visits, or the persons of a family."""
    hint = hint_of(name)
    return (hint.count and hint.demographic != "age") or hint.role is Role.HOUSEHOLD


def is_place(name: str) -> bool:
    """Return whether the name is one of places or post codes."""
    return hint_of(name).demographic == "place"


def is_code(name: str) -> bool:
    """Return whether the name is one of a classification, such as those of diseases and industries."""
    return bool(set(words_of(name)) & _english("classifications"))


def _within(word: str) -> set[str]:
    """Return the hint in a compound word: relatives in ``mage`` and ``whitemom``, money in ``repwage``."""
    stems = {"wage" for end in _ENDING_IN_MONEY if word.endswith(end) and word != end and word != "sewage"}
    stems |= {"debt" for end in _ENDING_IN_DEBT if word.endswith(end)}
    stems |= {"age"} if _AGE.fullmatch(word) else set()
    if word in _english("demographic") | _english("places") | _english("money") | _english("ages"):
        return stems  # a wage is no age of a wife
    rest = [word[1:]] if word[:1] in _LETTERS_OF_RELATIVES else []
    rest += [word.removeprefix(one) for one in _RELATIVES if word.startswith(one)]
    rest += [word.removesuffix(one) for one in _RELATIVES if word.endswith(one)]
    return stems | {stem for stem in rest if stem in _english("of_relatives")}


def _run_together(parts: tuple[str, ...]) -> bool:
    """Whether a word ends in id or name, as UTILITYID and UTILNAME do, or is a number of somebody, as IDNO is."""
    if any(word.endswith(end) and word.removesuffix(end) in _english("numbered") for word in parts for end in _NUMBERS):
        return True
    long = [word for word in parts if len(word) > 4]
    return any(word.endswith("name") or (word.endswith("id") and word not in _english("no_id")) for word in long)


def plain(word: str) -> str:
    """Return a word in lower case without accents; ``ae``, ``oe`` and ``ue`` count as the letters they stand for."""
    apart = unicodedata.normalize("NFKD", word.lower().translate(_SIGNS))
    letters = "".join(sign for sign in apart if not unicodedata.combining(sign))
    return letters.replace("ae", "a").replace("oe", "o").replace("ue", "u")


def concepts_of(parts: Sequence[str]) -> frozenset[str]:
    """Return the concepts that the words of a name stand for, in any language of the table; none where none does."""
    bare = [plain(word) for word in parts]
    telling = [word for word in bare if word not in _SMALL]
    found = set(_table().whole.get("".join(bare), ()))
    for size in range(MOST_JOINED, 0, -1):
        place = 0
        while place + size <= len(telling):
            meant = _meant("".join(telling[place : place + size]))
            if meant:
                found |= meant
                del telling[place : place + size]  # joined words have no meaning of their own
            else:
                place += 1
    return frozenset(found)


def _meant(word: str) -> frozenset[str]:
    """Return the concepts of a word: its own, else those of its singular, its beginning, or its end."""
    table = _table()
    ends = [ending for ending in _PLURALS if word.endswith(ending) and len(word) - len(ending) >= _FEWEST_LETTERS]
    forms = (word, *(word.removesuffix(ending) for ending in ends))
    known = next((table.single[form] for form in forms if form in table.single), None)
    if known is not None:
        return known
    compound = {concept for start, concept in table.begin if word.startswith(start)}
    return frozenset(compound | {concept for tail, concept in table.end for form in forms if form.endswith(tail)})


@cache
def _table() -> _Table:
    whole: dict[str, frozenset[str]] = {}
    single: dict[str, frozenset[str]] = {}
    begin: list[tuple[str, str]] = []
    end: list[tuple[str, str]] = []
    for concept, entries in words()["concepts"].items():
        for entry in entries.split():
            parts = entry.strip("-=").split("_")
            word = plain("".join(parts))
            held = whole if entry.startswith("=") else single
            if entry.endswith("-"):
                begin.append((word, concept))
            else:
                # Two words that are run together may seem to have a letter that neither has: grupo etario.
                for form in {word, "".join(map(plain, parts))}:
                    held[form] = held.get(form, frozenset()) | {concept}
            if entry.startswith("-"):
                end.append((word, concept))
    return _Table(whole, single, tuple(begin), tuple(end))
