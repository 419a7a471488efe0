"""The registered data sets: names, sizes, licences, files, hashes. Text only, so that listing is cheap."""

from evosdc.specs import DatasetSpec, RemoteFile

_UCI = "https://archive.ics.uci.edu/ml/machine-learning-databases"
_CC_BY = "CC BY 4.0 (UCI Machine Learning Repository)"
_CASC = "CASC reference file, free for research on disclosure control; shipped in the R package sdcMicro (GPL-2)"
_CASC_SOURCE = (
    "Brand, R., Domingo-Ferrer, J. and Mateo-Sanz, J. M. (2002). Reference data sets to test and compare SDC methods "
    "for protection of numerical microdata. CASC project, IST-2000-25069."
)


def _file(place: str, *urls: str, sha256: str) -> tuple[RemoteFile]:
    """Return the one file of a data set under its published name; `place` is where it may lie below ``EVOSDC_DATA``."""
    return (RemoteFile(name=place.rpartition("/")[2], folders=(place,), sha256=sha256, urls=urls),)


HOUSING = DatasetSpec(
    name="housing", implementation="evosdc.datasets.housing:load",
    summary="A made-up housing survey: 3 ordinal and 8 nominal attributes; generated, nothing to download.",
    source="reconstruction: shaped like the U.S. Housing Survey 1993 extract of the literature, which is not public",
    records=1000, attributes=11, licence="part of evosdc; every record is made up",
)  # fmt: skip
ADULT = DatasetSpec(
    name="adult", implementation="evosdc.datasets.published:adult",
    summary="Census income 1994 (U.S. Current Population Survey), the training part; 30162 complete records.",
    source="Becker, B. and Kohavi, R. (1996). Adult. UCI Machine Learning Repository. doi:10.24432/C5XW20",
    records=32561, attributes=15, licence=_CC_BY,
    files=_file(
        "adult/adult.data", f"{_UCI}/adult/adult.data",
        sha256="5b00264637dbfec36bdeaab5676b0b309ff9eb788d63554ca0a249491c86603d",
    ),
)  # fmt: skip
GERMAN_CREDIT = DatasetSpec(
    name="german-credit", implementation="evosdc.datasets.published:german_credit",
    summary="Credit applicants (Statlog): 13 categorical and 7 numeric attributes and the credit class.",
    source="Hofmann, H. (1994). Statlog (German Credit Data). UCI Machine Learning Repository. doi:10.24432/C5NC77",
    records=1000, attributes=21, licence=_CC_BY,
    files=_file(
        "german_credit/german.data", f"{_UCI}/statlog/german/german.data",
        sha256="b21f3d81db8071257d5ff1deaeba1fd4303b62712e6fcc9715c7a86202cb5871",
    ),
)  # fmt: skip
SOLAR_FLARE = DatasetSpec(
    name="solar-flare", implementation="evosdc.datasets.published:solar_flare",
    summary="Active regions of the sun in 1978: 10 categorical attributes and 3 counts of flares.",
    source="Bradshaw, G. (1989). Solar Flare. UCI Machine Learning Repository. doi:10.24432/C5530G", records=1066,
    attributes=13, licence=_CC_BY,
    files=_file(
        "solar_flare/flare.data2", f"{_UCI}/solar-flare/flare.data2",
        sha256="78fdb7a42bfc9c8c3fffc81624b18a700a2e2aeca7a47e3c1f4939c830b41832",
    ),
)  # fmt: skip
PIMA = DatasetSpec(
    name="pima", implementation="evosdc.datasets.published:pima",
    summary="Pima Indians diabetes: 8 numeric attributes and the test result. Withdrawn from UCI.",
    source="Smith, J. W., Everhart, J. E., Dickson, W. C., Knowler, W. C. and Johannes, R. S. (1988). Using the ADAP "
        "learning algorithm to forecast the onset of diabetes mellitus. SCAMC, 261-265.",
    records=768, attributes=9, licence="none stated; donated to UCI in 1990 and later withdrawn there",
    files=_file(
        "pima_diabetes/pima-indians-diabetes.data",
        sha256="06f5b7c2cd7bca686fda4f92eab5f61e7ff6426a9acefa2e3dda04fc54293cf5",
    ),
)  # fmt: skip
POKER_HAND = DatasetSpec(
    name="poker-hand", implementation="evosdc.datasets.published:poker_hand",
    summary="Hands of five cards, the training part: suit and rank of each card, and the hand.",
    source="Cattral, R. and Oppacher, F. (2006). Poker Hand. UCI Machine Learning Repository. doi:10.24432/C5KW38",
    records=25010, attributes=11, licence=_CC_BY,
    files=_file(
        "poker_hand/poker-hand-training-true.data", f"{_UCI}/poker/poker-hand-training-true.data",
        sha256="37becdf87d5f8cbf2b91d6471e965a25b86cb4a6d878c0f94a4025969fca464f",
    ),
)  # fmt: skip
TARRAGONA = DatasetSpec(
    name="tarragona", implementation="evosdc.datasets.published:tarragona",
    summary="Companies of the Tarragona area, 1995: 13 numeric attributes.", source=_CASC_SOURCE, records=834,
    attributes=13, licence=_CASC,
    files=_file(
        "casc_tarragona/Tarragona.csv",
        sha256="d5f719a134a3476b2157d9675d1a2b211dbc06ad6109685ad1e4b7847cfa45a4",
    ),
)  # fmt: skip
CENSUS = DatasetSpec(
    name="census", implementation="evosdc.datasets.published:census",
    summary="Persons of the U.S. Current Population Survey 1995: 13 numeric attributes.", source=_CASC_SOURCE,
    records=1080, attributes=13, licence=_CASC,
    files=_file(
        "casc_census/CASCrefmicrodata.csv",
        sha256="40fb91564d4379274610e941161fd38729adb471bddb9c71d7c01ef142fd0f5b",
    ),
)  # fmt: skip
EIA = DatasetSpec(
    name="eia", implementation="evosdc.datasets.published:eia",
    summary="U.S. electric utilities by month, 1996: 10 numeric attributes, state, month and two identifiers.",
    source=_CASC_SOURCE, records=4092, attributes=15, licence=_CASC,
    files=_file(
        "casc_eia/EIA.csv",
        sha256="4df54e21b3451e3c0b6081fa1c9ef5dbd8f09d484925ed2ade759b78b4869d1b",
    ),
)  # fmt: skip


def dataset_specs() -> tuple[DatasetSpec, ...]:
    """Return the specs of all data sets that come with evosdc."""
    return (HOUSING, ADULT, GERMAN_CREDIT, SOLAR_FLARE, PIMA, POKER_HAND, TARRAGONA, CENSUS, EIA)
