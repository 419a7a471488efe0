"""The data sets of the literature that are read from published files: their attributes, and how each file is read."""

import csv
from collections.abc import Mapping, Sequence
from pathlib import Path

from evosdc.datasets.loading import lines_of, nominal, numeric, ordinal, source_from_lines
from evosdc.errors import DatasetError, Fault
from evosdc.files.source import Source
from evosdc.table.schema import Attribute, Role

_PROTECTED = Role.QUASI_IDENTIFIER

_ADULT = (
    numeric("age"),
    nominal(
        "workclass", "Private Self-emp-not-inc Self-emp-inc Federal-gov Local-gov State-gov Without-pay Never-worked"
    ),
    numeric("fnlwgt", Role.WEIGHT),
    ordinal(
        "education",
        "Preschool 1st-4th 5th-6th 7th-8th 9th 10th 11th 12th HS-grad Some-college Assoc-voc Assoc-acdm Bachelors "
        "Masters Prof-school Doctorate",
        _PROTECTED,
    ),
    numeric("education-num"),
    nominal(
        "marital-status",
        "Married-civ-spouse Divorced Never-married Separated Widowed Married-spouse-absent Married-AF-spouse",
        _PROTECTED,
    ),
    nominal(
        "occupation",
        "Tech-support Craft-repair Other-service Sales Exec-managerial Prof-specialty Handlers-cleaners "
        "Machine-op-inspct Adm-clerical Farming-fishing Transport-moving Priv-house-serv Protective-serv Armed-Forces",
        _PROTECTED,
    ),
    nominal("relationship", "Wife Own-child Husband Not-in-family Other-relative Unmarried"),
    nominal("race", "White Asian-Pac-Islander Amer-Indian-Eskimo Other Black"),
    nominal("sex", "Male Female"),
    numeric("capital-gain"),
    numeric("capital-loss"),
    numeric("hours-per-week"),
    nominal(
        "native-country",
        "Cambodia Canada China Columbia Cuba Dominican-Republic Ecuador El-Salvador England France Germany Greece "
        "Guatemala Haiti Holand-Netherlands Honduras Hong Hungary India Iran Ireland Italy Jamaica Japan Laos Mexico "
        "Nicaragua "
        "Outlying-US(Guam-USVI-etc) Peru Philippines Poland Portugal Puerto-Rico Scotland South Taiwan Thailand "
        "Trinadad&Tobago United-States Vietnam Yugoslavia",
    ),
    nominal("class", "<=50K >50K", Role.SENSITIVE),
)


def adult(paths: Mapping[str, Path]) -> Source:
    """Adult (census income), the training part ``adult.data``: 32561 records, 30162 of them complete.

    Quasi-identifiers are those that the thesis protects: education, marital-status and occupation. Age, sex, race and
    native-country would identify as well; they are `other` so that results compare with the thesis, and an experiment
    that wants them names them under ``protect``. Note that education-num is a function of education. The final weight
    is numeric and has the role weight.
    """
    return source_from_lines("adult", _ADULT, lines_of(paths["adult.data"], ","), ("?",))


_GERMAN_CREDIT = (
    ordinal("existacc", "A11 A12 A13 A14", _PROTECTED),
    numeric("duration"),
    nominal("credit-history", "A30 A31 A32 A33 A34"),
    nominal("purpose", "A40 A41 A42 A43 A44 A45 A46 A47 A48 A49 A410"),
    numeric("credit-amount"),
    ordinal("savings", "A61 A62 A63 A64 A65", _PROTECTED),
    ordinal("presemploy", "A71 A72 A73 A74 A75", _PROTECTED),
    numeric("installment-rate"),
    nominal("personal-status-sex", "A91 A92 A93 A94 A95"),
    nominal("other-debtors", "A101 A102 A103"),
    numeric("residence-since"),
    nominal("property", "A121 A122 A123 A124"),
    numeric("age"),
    nominal("other-installment-plans", "A141 A142 A143"),
    nominal("housing", "A151 A152 A153"),
    numeric("existing-credits"),
    ordinal("job", "A171 A172 A173 A174"),
    numeric("people-liable"),
    nominal("telephone", "A191 A192"),
    nominal("foreign-worker", "A201 A202"),
    nominal("class", "1 2", Role.SENSITIVE),
)


def german_credit(paths: Mapping[str, Path]) -> Source:
    """German Credit (Statlog): 1000 applicants.

    Categories are in the order of their documented codes. Quasi-identifiers are those that the thesis protects:
    existing account, savings and present employment. ``A14`` (no account) and ``A65`` (unknown savings) close the
    ordinal scales.
    """
    return source_from_lines("german-credit", _GERMAN_CREDIT, lines_of(paths["german.data"], None))


_SOLAR_FLARE = (
    nominal("class", "A B C D E F H", _PROTECTED),
    nominal("largspot", "X R S A H K", _PROTECTED),
    ordinal("spotdist", "X O I C", _PROTECTED),
    ordinal("activity", "1 2"),
    ordinal("evolution", "1 2 3"),
    ordinal("previous-activity", "1 2 3"),
    nominal("historically-complex", "1 2"),
    nominal("became-complex", "1 2"),
    ordinal("area", "1 2"),
    ordinal("largest-spot-area", "1 2"),
    numeric("c-class"),
    numeric("m-class"),
    numeric("x-class"),
)


def solar_flare(paths: Mapping[str, Path]) -> Source:
    """Solar Flare, the second part ``flare.data2``: 1066 active regions.

    Quasi-identifiers are those that the thesis protects: class, largest spot size and spot distribution. Class ``A``
    never occurs, and largest-spot-area is constant. The class scale A..F ends with the remnant ``H``, so it is nominal.
    """
    return source_from_lines("solar-flare", _SOLAR_FLARE, lines_of(paths["flare.data2"], None, skip=1))


_PIMA = (
    numeric("pregnant", _PROTECTED),
    numeric("glucose", _PROTECTED),
    numeric("pressure", _PROTECTED),
    numeric("triceps", _PROTECTED),
    numeric("insulin", _PROTECTED),
    numeric("bmi", _PROTECTED, decimals=1),
    numeric("pedigree", _PROTECTED, decimals=3),
    numeric("age", _PROTECTED),
    nominal("class", "0 1", Role.SENSITIVE),
)


def pima(paths: Mapping[str, Path]) -> Source:
    """Pima Indians diabetes: 768 women.

    All eight numeric attributes are quasi-identifiers, the test result is sensitive. Zeros of glucose, pressure,
    triceps, insulin and bmi are physiologically impossible and represent missing values; they are left as published.
    """
    return source_from_lines("pima", _PIMA, lines_of(paths["pima-indians-diabetes.data"], ","))


_POKER_HAND = (
    *(
        attribute
        for card in range(1, 6)
        for attribute in (
            nominal(f"s{card}", "1 2 3 4", _PROTECTED),
            ordinal(f"c{card}", "1 2 3 4 5 6 7 8 9 10 11 12 13", _PROTECTED),
        )
    ),
    ordinal("class", "0 1 2 3 4 5 6 7 8 9", Role.SENSITIVE),
)


def poker_hand(paths: Mapping[str, Path]) -> Source:
    """Poker Hand, the training part: 25010 hands of five cards.

    Suits are nominal by nature, though the publisher's description calls them ordinal. The cards are the quasi-
    identifiers, the hand is sensitive.
    """
    return source_from_lines("poker-hand", _POKER_HAND, lines_of(paths["poker-hand-training-true.data"], ","))


_TARRAGONA_NAMES = (
    "fixed-assets current-assets treasury uncommitted-funds paid-up-capital short-term-debt sales labor-costs "
    "depreciation operating-profit financial-outcome gross-profit net-profit"
)
_TARRAGONA = tuple(numeric(name, _PROTECTED) for name in _TARRAGONA_NAMES.split())


def tarragona(paths: Mapping[str, Path]) -> Source:
    """CASC reference file Tarragona: 834 companies of the Tarragona area, 1995.

    All 13 numeric attributes are quasi-identifiers. Negative values are genuine.
    """
    return _casc("tarragona", _TARRAGONA, paths["Tarragona.csv"])


_CENSUS_NAMES = "afnlwgt agi emcontrb fedtax ptotval statetax taxinc pothval intval pearnval fica wsalval ernval"
_CENSUS = tuple(numeric(name, _PROTECTED) for name in _CENSUS_NAMES.split())


def census(paths: Mapping[str, Path]) -> Source:
    """CASC reference file Census: 1080 persons of the Current Population Survey 1995.

    All 13 numeric attributes are quasi-identifiers. The final weight afnlwgt is one of them, as in the literature.
    """
    return _casc("census", _CENSUS, paths["CASCrefmicrodata.csv"])


_EIA_STATES = (
    "AK AL AR AZ CA CO CT DC DE FL GA HI IA ID IL IN KS KY LA MA MD ME MI MN MO MS MT NC ND NE NH NJ NM NV NY OH OK OR "
    "PA RI SC SD TN TX UT VA VT WA WI WV WY"
)
_EIA_AMOUNTS = "resrevenue ressales comrevenue comsales indrevenue indsales othrevenue othrsales totrevenue totsales"

_EIA = (
    nominal("utilityid", (), Role.IDENTIFIER),
    nominal("utilname", (), Role.IDENTIFIER),
    nominal("state", _EIA_STATES),
    nominal("year", "96"),
    ordinal("month", "1 2 3 4 5 6 7 8 9 10 11 12"),
    *(numeric(name, _PROTECTED) for name in _EIA_AMOUNTS.split()),
)


def eia(paths: Mapping[str, Path]) -> Source:
    """CASC reference file EIA: 4092 monthly reports of U.S. electric utilities, 1996.

    The ten numeric attributes are quasi-identifiers; number and name of the utility are identifiers.
    """
    return _casc("eia", _EIA, paths["EIA.csv"])


def _casc(name: str, attributes: Sequence[Attribute], path: Path) -> Source:
    """Return a reference file; its header, with hyphens for points and in lower case, must name the attributes."""
    with path.open(encoding="utf-8", newline="") as stream:
        header, *lines = csv.reader(stream)
    names = [title.lower().replace(".", "-") for title in header]
    wanted = [attribute.name for attribute in attributes]
    if names != wanted:
        raise DatasetError(Fault(str(path), f"the columns {', '.join(names)}", ", ".join(wanted)))
    return source_from_lines(name, attributes, lines)
