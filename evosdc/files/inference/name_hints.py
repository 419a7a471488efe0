"""Hints on the role of a column in its name, or in its label in the file; the words are in a data file."""

import re
import tomllib
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from importlib.resources import files
from typing import Any

from evosdc.table.schema import Role

MOST_JOINED = 3  # most consecutive words of other languages that are looked up as one
_FEWEST_LETTERS = 4
_SIGNS = str.maketrans({"\N{LATIN SMALL LETTER SHARP S}": "ss", "\N{LATIN SMALL LETTER L WITH STROKE}": "l"})
# ages of surveys: ``agea``, ``ager``, ``agegr``; no agent, agency or agenda
_AGE = re.compile(r"age(?:[a-z]|yrs?|grp?|gp|cat|bands?|range|class|int|years?)")
_ENDS = {"wage": ("income", "wage", "wages", "salary", "earnings"), "debt": ("debt", "debts")}


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
    naming: bool = False  # whether it says so plainly that values which records share do not refute it
    count: bool = False  # whether whole numbers count something: children, visits, or the persons of a family
    age: bool = False  # whether it is the name of ages in years
    birth: bool = False  # whether it is the name of days or years of birth
    code: bool = False  # whether it is the name of a classification, such as those of diseases and industries
    of_adults: bool = False  # whether it speaks of marriage, work, education or income, which children have not


@cache
def words() -> Mapping[str, Any]:
    """Return the tables of ``words.toml``."""
    found: Mapping[str, Any] = tomllib.loads(files(__package__).joinpath("words.toml").read_text(encoding="utf-8"))
    return found


@cache
def _listed(key: str, section: str = "english") -> frozenset[str]:
    return frozenset(words()[section][key].split())


def words_of(name: str) -> tuple[str, ...]:
    """Return the words of a name in lower case: ``HouseholdID`` and ``household-id`` give household and id."""
    apart = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name)
    return tuple(word.rstrip("0123456789") or word for word in re.split(r"[\W_]+", apart.lower()) if word)


def hint_of(name: str, label: str = "") -> NameHint:
    """Return the hint in the name of an attribute, or else in its label in the file."""
    hint = _hint(name)
    if label and hint.role is Role.WEIGHT and not hint.certain and _hint(label).certain:
        return replace(hint, certain=True)
    if not label or hint.role is not None or hint.identifier:
        return hint
    # A label is a sentence that may speak of a name or number without being one.
    return replace(_hint(label), identifier=False, naming=False, age=hint.age, birth=hint.birth, code=hint.code)


@lru_cache(maxsize=4096)
def _hint(name: str) -> NameHint:
    parts = words_of(name)
    whole, concepts = "".join(parts), concepts_of(parts)
    known = frozenset((*parts, whole))
    known |= {stem for word in known for stem in _within(word)}
    born = bool(set(parts) & _listed("births") or "birth" in concepts)
    grown = bool(known & _listed("of_adults") or concepts & _listed("of_adults", "kinds"))
    plain_hint = NameHint(birth=born, code=bool(set(parts) & _listed("classifications")), of_adults=grown)
    unordered = bool(known & (_listed("unordered") | _listed("places")) or concepts & _listed("unordered", "kinds"))
    owned = known & _listed("weight") and known & _listed("weight_owners")
    if whole in _listed("certain_weight") or owned or "weight" in concepts:
        return replace(plain_hint, role=Role.WEIGHT, certain=True)
    if whole in _listed("weight") or "plain_weight" in concepts:
        return replace(plain_hint, role=Role.WEIGHT)
    if known & _listed("stratum"):
        return replace(plain_hint, role=Role.STRATUM, unordered=True)
    keyed = known & (_listed("counters") | _listed("household_keys")) or whole in _listed("household")
    if known & _listed("household") and keyed and not known & _listed("household_traits"):
        return replace(plain_hint, role=Role.HOUSEHOLD, unordered=True, count=True)
    # The name or number of a place is the place's, not a respondent's.
    located = bool(known & _listed("places") or "place" in concepts)
    identifier = bool(
        (known - _listed("labels") if located else known) & _listed("identifier")
        or (concepts & _listed("identifying", "kinds") and not located)
        or (known & _listed("identifier_owners") and known & _listed("counters"))
        or whole in _listed("identifier_owners")
        # A number of a thing that belongs to one; a count of things names them in the plural.
        or (parts[-2:-1] and parts[-1] in _listed("number_words") and parts[-2] in _listed("numbered_things"))
        # A number of somebody as in IDNO, and a word that ends in id or name as UTILITYID and UTILNAME do.
        or any(
            word.endswith(end) and word.removesuffix(end) in _listed("numbered")
            for word in parts
            for end in _listed("numbers", "kinds")
        )
        or any(len(w) > 4 and (w.endswith("name") or (w.endswith("id") and w not in _listed("no_id"))) for w in parts)
    )
    count = bool(known & _listed("counts") or "household" in concepts)
    ordered = not unordered and bool(known & _listed("ordered") or count or concepts & _listed("ordered", "kinds"))
    naming = plain(whole) in _listed("naming") or bool({"name", "names"} & known and known & _listed("named_people"))
    found = replace(plain_hint, identifier=identifier, unordered=unordered, ordered=ordered, naming=naming)
    ill = "health" in known and not known & _listed("numbered_things")  # a health plan is none
    then = parts[:2] == ("age", "at")  # of an offence or a diagnosis: it is an age, all the same
    if not then and (ill or known & _listed("sensitive") or concepts & _listed("sensitive", "kinds")):
        return replace(found, role=Role.SENSITIVE)
    aged, paid = known & _listed("ages") or "age" in concepts, known & _listed("money") or "income" in concepts
    if located or aged or paid or known & _listed("demographic") or concepts & _listed("demographic", "kinds"):
        topic = "place" if located else "age" if aged else "money" if paid else "trait"
        in_years = topic == "age" and not set(parts) & {"yob", "birthyear"}
        count &= topic != "age"
        return replace(found, role=Role.QUASI_IDENTIFIER, demographic=topic, count=count, age=in_years)
    return replace(found, count=count)


def _within(word: str) -> set[str]:
    """Return the hint in a compound word: relatives in ``mage`` and ``whitemom``, money in ``repwage``."""
    stems = {
        stem
        for stem, ends in _ENDS.items()
        if word.endswith(ends) and (stem == "debt" or word not in (*ends, "sewage"))
    }
    stems |= {"age"} if _AGE.fullmatch(word) else set()
    if word in _listed("demographic") | _listed("places") | _listed("money") | _listed("ages"):
        return stems  # a wage is no age of a wife
    relatives = _listed("relatives", "kinds")
    rest = [word.removeprefix(one) for one in relatives if word.startswith(one)]
    rest += [word.removesuffix(one) for one in relatives if len(one) > 1 and word.endswith(one)]
    return stems | {stem for stem in rest if stem in _listed("of_relatives")}


def plain(word: str) -> str:
    """Return a word in lower case without accents; ``ae``, ``oe`` and ``ue`` count as the letters they represent."""
    apart = unicodedata.normalize("NFKD", word.lower().translate(_SIGNS))
    letters = "".join(sign for sign in apart if not unicodedata.combining(sign))
    return letters.replace("ae", "a").replace("oe", "o").replace("ue", "u")


def concepts_of(parts: Sequence[str]) -> frozenset[str]:
    """Return the concepts that the words of a name represent, in any language of the table; none where none does."""
    bare = [plain(word) for word in parts]
    telling = [word for word in bare if word not in _listed("small", "kinds")]
    found = set(_concepts()["whole"].get("".join(bare), ()))
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


def _meant(word: str) -> set[str]:
    """Return the concepts of a word: its own, else those of its singular, its beginning, or its end."""
    table = _concepts()
    ends = [
        ending
        for ending in words()["kinds"]["plurals"].split()
        if word.endswith(ending) and len(word) - len(ending) >= _FEWEST_LETTERS
    ]
    forms = (word, *(word.removesuffix(ending) for ending in ends))
    known = next((table["single"][form] for form in forms if form in table["single"]), None)
    if known is not None:
        return known
    begins = {concept for start, meant in table["begin"].items() if word.startswith(start) for concept in meant}
    return begins | {
        concept for tail, meant in table["end"].items() if any(f.endswith(tail) for f in forms) for concept in meant
    }


@cache
def _concepts() -> Mapping[str, Mapping[str, set[str]]]:
    """Return concepts by whole names, words, and beginnings and ends of longer words."""
    table: dict[str, dict[str, set[str]]] = {"whole": {}, "single": {}, "begin": {}, "end": {}}
    for concept, entries in words()["concepts"].items():
        for entry in entries.split():
            parts = entry.strip("-=").split("_")
            word = plain("".join(parts))
            kind = "begin" if entry.endswith("-") else "whole" if entry.startswith("=") else "single"
            # Two words that are run together may seem to have a letter that neither has: grupo etario.
            for form in {word} if kind == "begin" else {word, "".join(map(plain, parts))}:
                table[kind].setdefault(form, set()).add(concept)
            if entry.startswith("-"):
                table["end"].setdefault(word, set()).add(concept)
    return table
