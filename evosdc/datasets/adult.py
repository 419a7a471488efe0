"""Adult (census income), the training part ``adult.data``: 32561 records, 30162 of them complete.

Quasi-identifiers are those that the thesis protects: education, marital-status and occupation. Age, sex, race and
native-country would identify as well; they are `other` so that results compare with the thesis, and an experiment that
wants them names them under ``protect``. Note that education-num is a function of education. The final weight is numeric
and has the role weight.
"""

from collections.abc import Mapping
from pathlib import Path

from evosdc.datasets.loading import lines_of, nominal, numeric, ordinal, source_from_lines
from evosdc.files.source import Source
from evosdc.table.schema import Role

_PROTECTED = Role.QUASI_IDENTIFIER

ATTRIBUTES = (
    numeric("age"),
    nominal(
        "workclass",
        "Private Self-emp-not-inc Self-emp-inc Federal-gov Local-gov State-gov Without-pay Never-worked",
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


def load(paths: Mapping[str, Path]) -> Source:
    """Return the data set from ``adult.data``."""
    return source_from_lines("adult", ATTRIBUTES, lines_of(paths["adult.data"], ","), ("?",))
