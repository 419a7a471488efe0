"""Specs of attribute disclosure: original values near the published ones, or guessed from them."""

from evosdc.specs import MeasureSpec

SPECS: tuple[MeasureSpec, ...] = (
    MeasureSpec(
        name="id", implementation="evosdc_measures.interval_disclosure.interval:IntervalDisclosure",
        summary="Interval disclosure: original values within p per cent of ranks of the masked one, p = 1..10.",
        source="Domingo-Ferrer and Torra (2001); for categories: reconstruction", kind="dr", family="interval",
        scales=("nominal", "ordinal", "numeric"), default_for=("categorical", "numeric", "mixed"),
    ),
    MeasureSpec(
        name="robust-interval", implementation="evosdc_measures.interval_disclosure.interval:RobustInterval",
        summary="Records with a masked number near the original one, by robust distances; needs scikit-learn.",
        source="Templ and Meindl (2008), as dRiskRMD of sdcMicro reads", kind="dr", family="interval",
        scales=("numeric",),
    ),
    MeasureSpec(
        name="best-guess", implementation="evosdc_measures.interval_disclosure.guesses:BestGuess",
        summary="Original values that are the likeliest behind the published one; sees through relabelling.",
        source="reconstruction: Bayes' rule for the transitions that the file itself shows", kind="dr", family="guess",
        scales=("nominal", "ordinal"),
    ),
    MeasureSpec(
        name="guess-gain", implementation="evosdc_measures.interval_disclosure.guesses:GuessGain",
        summary="How much better original values are guessed with the masked file than without; no relabelling helps.",
        source="Torra (2017) for the transparency principle; gain over the most frequent category: reconstruction",
        kind="dr", family="guess", scales=("nominal", "ordinal", "numeric"), default_for=("inference",),
    ),
    MeasureSpec(
        name="lookup-gain", implementation="evosdc_measures.interval_disclosure.lookup:LookupGain",
        summary="Sensitive values looked up in tables of the file: right beyond those of people not in it.",
        source="People outside the file as baseline after Giomi et al. (2023); the lookup: design",
        kind="dr", family="guess", scales=("nominal", "ordinal", "numeric"), default_for=("lookup",),
    ),
)  # fmt: skip
