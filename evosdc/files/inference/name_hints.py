"""What the names of attributes tell of their roles: English words here, others in `evosdc.files.inference.concepts`."""

import re
from dataclasses import dataclass
from functools import lru_cache

from evosdc.files.inference.concepts import DEMOGRAPHIC, IDENTIFYING, ORDERED, SENSITIVE, UNORDERED, concepts_of
from evosdc.table.schema import Role


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_IDENTIFIER = _words(
    """
    id ids identifier uid uuid guid ssn nif dni nie nin cpf curp passport email mail e-mail phone telephone mobile
    fax iban account accountno name names firstname lastname forename surname fullname middlename address street url
    website ip username login handle mrn nhs patientid personid recordid respondentid caseid memberid employeeid
    customerid userid rowid rownames unnamed key serial
    """
)
_NAMING = _words(
    """
    ssn nif dni nie nin cpf curp passport email mail emailaddress mailaddress phone telephone mobile phonenumber
    mobilenumber telephonenumber iban name names firstname lastname forename surname fullname middlename username login
    handle screenname nickname accountname
    """
)
"""Names that can be nothing else, where they stand alone: a product's name is none."""

_IDENTIFIER_OWNERS = _words(
    """
    patient person record respondent case member employee customer user client subject row student citizen
    pat patienten kunden personal mitarbeiter versicherten paciente cliente empleado paziente dipendente klant pacjent
    """
)
_NUMBERED_THINGS = _words(
    """
    plan policy account insurance beneficiary contract licence license certificate registration passport card device
    equipment vehicle chassis engine plate chart admission enrolment enrollment membership claim docket prescription tax
    """
)
"""What has a number of its own, which stands for whom it belongs to, where the name ends so: ``health_plan_number``."""

_NUMBER_WORDS = _words("no nr num number")
_COUNTERS = _words("id no nr num number code key nummer numero numer codigo codice kod")
_HOUSEHOLD = _words(
    "household hh hhid householdid family familyid hid haushalt haushalts menage hogar haushaltsnummer haushaltsnr"
)
_HOUSEHOLD_KEYS = _words("hhid householdid familyid hid haushaltsnummer haushaltsnr")
_ENDING_IN_ID = _words(
    """
    paid unpaid prepaid covid solid hybrid valid invalid liquid fluid rapid medicaid acid amid humid thyroid steroid
    """
)
_STRATUM = _words("stratum strata stratification stratumid")
_WEIGHT = _words("weight weights wgt wt pweight pw")
_CERTAIN_WEIGHT = _words(
    """
    fnlwgt pwgtp perwt finalwt pweight finalweight samplingweight sampleweight personweight hhweight householdweight
    designweight expansion
    """
)
_WEIGHT_OWNERS = _words("sampling sample survey final person household households hh design calibrated post")
_SENSITIVE = _words(
    """
    disease diseases diagnosis diagnoses illness icd icd10 icd9 condition treatment therapy drug drugs medication
    medicine hiv aids cancer disability disabled mental depression abortion debt debts wealth assets religion
    religious faith sexual orientation political politics party
    vote voting union criminal crime offence offense conviction
    died dead death deaths deceased mortality suicide method tcateg
    """
)
_MONEY = _words(
    """
    income incomes salary salaries wage wages earnings earning pay revenue inc hhinc hhninc hninc hinc ninc pinc faminc
    """
)
_AGES = _words("age ages agep ageyears agey agemonths yob birthyear")
_BIRTHS = _words("birth birthyear birthdate birthday birthdt bdate dateofbirth dob yob born bday")
_PLACES = _words(
    """
    place places birthplace residence location locality zip zipcode postcode postcodes postalcode postal plz country
    region state province county canton district prefecture department departement municipality commune parish
    borough city town village suburb neighbourhood neighborhood nuts puma puma00 puma10 puma20 tract metro
    msa fips longitude latitude lon lat
    birthplace pob hometown
    """
)
_DEMOGRAPHIC = (
    _PLACES
    | _MONEY
    | _AGES
    | _words(
        """
    agegroup ageband agegrp sex gender race ethnic ethnicity education educ edu schooling degree marital
    maritalstatus civil civilstatus marriage occupation job profession employment workclass nationality citizenship
    citizen area urban rural urbrur birth birthyear yob dob born native language household-size hhsize householdsize
    relationship children kids youngkids oldkids child married mar maritl msp single divorced widowed partner spouse
    employed unemployed retired empstat lfs selfemp selfemployed jobclass occup occp hisp hispanic latino black white
    asian minority educa occup occ rac rac1p rac2p rac3p immigrant foreign foreigner foreignborn migrant veteran noc npf
    housing dwelling tenure own rent owner homeowner female male smsa birthdate birthday dateofbirth
    nchild nkids famsize familysize qualification qualifications interests hobbies topics
    """
    )
)
_UNORDERED = _PLACES | _words(
    """
    sex gender race ethnic ethnicity marital maritalstatus civil civilstatus occupation job profession nationality
    citizenship urbrur language religion party code codes diagnosis icd relationship rac rac1p rac2p rac3p hisp
    hispanic msp mar maritl type kind category cat tenure ownrent housing dwelling indp occp naics soc sic industry
    empstat lfs origin cause reason method interests hobbies topics
    """
)
_ORDERED = _words(
    """
    rating level grade score rank stage degree quality satisfaction decile quintile quartile percentile education educ
    edu schooling qualification qualifications
    class size severity frequency agreement importance health year years month day hour age ages
    """
)
_COUNTS = _words(
    """
    number num count counts children kids youngkids oldkids child persons members size times visits noc npf nchild nkids
    rooms cars n total hhsize famsize familysize householdsize
    """
)
_NUMBERED = _words("id case person pers respondent resp record rec subject subj row seq sequence serial patient member")
_NUMBERS = ("no", "nr", "num", "number", "nummer", "code")
"""What follows a word of the former in names that are run together, as ``idno`` and ``caseno``."""

_AGE = re.compile(r"age(?:[a-z]|yrs?|grp?|gp|cat|bands?|range|class|int|years?)")
"""Ages of surveys: ``agea``, ``ager``, ``agegr``; no agent, agency or agenda."""

_LABELS = _words("id ids name names key")
_RELATIVES = ("father", "mother", "husband", "hus", "wife", "spouse", "partner", "parent", "mom", "mum", "dad")
_LETTERS_OF_RELATIVES = "mfhw"
"""Mother, father, husband, wife: the first letter before a stem, as in ``mage`` and ``heducation``."""
_OF_RELATIVES = _words(
    """
    age ages yob dob income inc wage wages salary earnings education educ edu educa race ethnicity ethnic occupation
    occup occ job employment nationality religion white black hispanic married marital
    """
)
"""What is told of relatives, too."""
_ENDING_IN_MONEY = ("income", "wage", "wages", "salary", "earnings")
_NO_MONEY = _words("sewage")
_ENDING_IN_DEBT = ("debt", "debts")
_COUNTED = _words("size income expenditure members weight weights type head")


@dataclass(frozen=True, slots=True)
class NameHint:
    """What a name suggests.

    Parameters
    ----------
    role : Role or None
        Weight, household, stratum, sensitive or quasi-identifier.
    identifier : bool
        Whether the name is one of identifiers; the values have the last word.
    unordered : bool
        Whether numbers under this name are codes, not quantities.
    certain : bool
        Whether a weight can be no body weight.
    ordered : bool
        Whether whole numbers under this name are counts or grades, not codes.
    demographic : str
        What of a respondent others may know by this name: ``age``, ``place``, ``money``, ``trait``, or nothing.
    count : bool
        Whether whole numbers under this name count something.
    naming : bool
        Whether it says so plainly that values which records share do not refute it.
    """

    role: Role | None = None
    identifier: bool = False
    unordered: bool = False
    certain: bool = False
    ordered: bool = False
    demographic: str = ""
    count: bool = False
    naming: bool = False


def words_of(name: str) -> tuple[str, ...]:
    """Return the words of a name in lower case: ``HouseholdID`` and ``household-id`` give household and id."""
    apart = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name)
    return tuple(word.rstrip("0123456789") or word for word in re.split(r"[\W_]+", apart.lower()) if word)


@lru_cache(maxsize=4096)
def hint_of(name: str) -> NameHint:
    """Return what the name of an attribute suggests."""
    whole = "".join(words_of(name))
    words = frozenset((*words_of(name), whole))
    words |= {stem for word in words for stem in _within(word)}
    concepts = concepts_of(words_of(name))
    unordered = bool(words & _UNORDERED or concepts & UNORDERED)
    if whole in _CERTAIN_WEIGHT or (words & _WEIGHT and words & _WEIGHT_OWNERS):
        return NameHint(Role.WEIGHT, certain=True)
    if whole in _WEIGHT:
        return NameHint(Role.WEIGHT)
    if words & _STRATUM:
        return NameHint(Role.STRATUM, unordered=True)
    if (
        words & _HOUSEHOLD
        and not words & _COUNTED
        and (words & _COUNTERS or words & _HOUSEHOLD_KEYS or whole in _HOUSEHOLD)
    ):
        return NameHint(Role.HOUSEHOLD, unordered=True)
    # The name or number of a place is the place's, not a respondent's.
    located = bool(words & _PLACES or "place" in concepts)
    telling = words - _LABELS if located else words
    identifier = bool(
        telling & _IDENTIFIER
        or (concepts & IDENTIFYING and not located)
        or (words & _IDENTIFIER_OWNERS and words & _COUNTERS)
        or whole in _IDENTIFIER_OWNERS
        or _of_a_thing(words_of(name))
        or _run_together(words_of(name))
    )
    count = bool(words & _COUNTS or "household" in concepts)
    ordered = not unordered and bool(words & _ORDERED or count or concepts & ORDERED)
    if words & _SENSITIVE or concepts & SENSITIVE:
        return NameHint(Role.SENSITIVE, identifier, unordered, ordered=ordered)
    if words & _DEMOGRAPHIC or concepts & DEMOGRAPHIC:
        aged, paid = words & _AGES or "age" in concepts, words & _MONEY or "income" in concepts
        topic = "place" if located else "age" if aged else "money" if paid else "trait"
        return NameHint(Role.QUASI_IDENTIFIER, identifier, unordered, ordered=ordered, demographic=topic, count=count)
    return NameHint(None, identifier, unordered, ordered=ordered, count=count, naming=whole in _NAMING)


def is_age(name: str) -> bool:
    """Return whether the name is one of ages in years."""
    return hint_of(name).demographic == "age" and not set(words_of(name)) & {"yob", "birthyear"}


def is_birth(name: str) -> bool:
    """Return whether the name is one of days or years of birth."""
    return bool(set(words_of(name)) & _BIRTHS) or "birth" in concepts_of(words_of(name))


def is_count(name: str) -> bool:
    """Return whether the name is one of counts: children, visits, or the persons of a family."""
    hint = hint_of(name)
    return (hint.count and hint.demographic != "age") or hint.role is Role.HOUSEHOLD


def is_place(name: str) -> bool:
    """Return whether the name is one of places or post codes."""
    return hint_of(name).demographic == "place"


def _within(word: str) -> set[str]:
    """Return what a word says that is run together: of relatives ``mage`` and ``whitemom``, of money ``repwage``."""
    stems = {"wage" for end in _ENDING_IN_MONEY if word.endswith(end) and word != end and word not in _NO_MONEY}
    stems |= {"debt" for end in _ENDING_IN_DEBT if word.endswith(end)}
    stems |= {"age"} if _AGE.fullmatch(word) else set()
    if word in _DEMOGRAPHIC:  # a wage is no age of a wife
        return stems
    rest = [word[1:]] if word[:1] in _LETTERS_OF_RELATIVES else []
    rest += [word.removeprefix(one) for one in _RELATIVES if word.startswith(one)]
    rest += [word.removesuffix(one) for one in _RELATIVES if word.endswith(one)]
    return stems | {stem for stem in rest if stem in _OF_RELATIVES}


def _of_a_thing(words: tuple[str, ...]) -> bool:
    """Whether a name ends in the number of a thing that belongs to one: a count of things names them in the plural."""
    return len(words) > 1 and words[-1] in _NUMBER_WORDS and words[-2] in _NUMBERED_THINGS


def _run_together(words: tuple[str, ...]) -> bool:
    """Whether a word ends in id or name, as UTILITYID and UTILNAME do, or is a number of somebody, as IDNO is."""
    if any(word.endswith(end) and word.removesuffix(end) in _NUMBERED for word in words for end in _NUMBERS):
        return True
    long = [word for word in words if len(word) > 4]
    return any(word.endswith("name") or (word.endswith("id") and word not in _ENDING_IN_ID) for word in long)
