"""The genotype `lattice`: full-domain generalisation with suppression, its losses, and searches of the lattice.

This module holds the hooks alone and imports nothing heavy.
"""

from collections.abc import Iterator

from evosdc.hookspecs import hookimpl
from evosdc.specs import AlgorithmSpec, GenotypeSpec, MeasureSpec

_ALL = ("nominal", "ordinal", "numeric")
_CUI = "Cui, Kim and Lee (2011); limit of suppression and choice of the next node: reconstruction"
_MEANINGS = {"dm": "the discernibility of the published records (DM: each record costs the size of its group)"}
_UNBOUNDED = (0.0, float("inf"))


@hookimpl
def evosdc_genotypes() -> Iterator[GenotypeSpec]:
    """Offer `lattice`."""
    yield GenotypeSpec(
        name="lattice", implementation="evosdc_lattice.lattice:Lattice",
        summary="A level of generalisation for each attribute; unsafe classes are suppressed.",
        source="Samarati (2001); Sweeney (2002); treatment of missing values: reconstruction",
        default_for=("truthful",),
    )  # fmt: skip


@hookimpl
def evosdc_measures() -> Iterator[MeasureSpec]:
    """Offer the losses of generalised files; each can be a fitness by itself."""
    losses = (
        ("dm", "DiscernibilityMeasure", "Discernibility metric: for each record the number of equal records, summed.",
         "Bayardo and Agrawal (2005)", _UNBOUNDED),
        ("dm-star", "MonotoneDiscernibilityMeasure", "Discernibility metric with suppression ignored.",
         "Bayardo and Agrawal (2005)", _UNBOUNDED),
        ("lm", "LossMetricMeasure", "Loss metric: share of an attribute's leaves below the published value.",
         "Iyengar (2002)", _UNBOUNDED),
        ("iloss", "LeafShareMeasure", "ILoss: share of an attribute's leaves that a published value adds to one.",
         "Xiao and Tao (2006); suppressed cells, and the mean over records: reconstruction", _UNBOUNDED),
        ("cavg", "AverageClassSizeMeasure", "Average size of the classes over k.", "LeFevre et al. (2006)", _UNBOUNDED),
        ("aecs", "PlainClassSizeMeasure", "Average size of the classes.", "LeFevre et al. (2006)", _UNBOUNDED),
        ("entropy", "EntropyMeasure", "Non-uniform entropy: bits from published to original values.",
         "Gionis and Tassa (2009)", _UNBOUNDED),
        ("precision", "ImprecisionMeasure", "One minus precision: mean level over height.",
         "Sweeney (2002); how suppressed cells count: reconstruction", (0.0, 1.0)),
        ("ambiguity", "AmbiguityMeasure", "Mean number of original records that a published one may be.",
         "Nergiz and Clifton (2007)", _UNBOUNDED),
        ("kl-divergence", "DivergenceMeasure", "Kullback-Leibler divergence of the original from the published file.",
         "Kifer and Gehrke (2006)", _UNBOUNDED),
        ("height", "HeightMeasure", "Height of the node: sum of the levels.", "Samarati (2001)", _UNBOUNDED),
    )  # fmt: skip
    for name, implementation, summary, source, bounds in losses:
        yield MeasureSpec(
            name=name, implementation=f"evosdc_lattice.measures:{implementation}", summary=summary,
            meaning=_MEANINGS.get(name, ""), source=source, kind="model", family="generalisation", scales=_ALL,
            range=bounds, default_for=("generalised",) if name in ("lm", "dm") else (),
        )  # fmt: skip


@hookimpl
def evosdc_algorithms() -> Iterator[AlgorithmSpec]:
    """Offer the searches of the lattice: exact ones, the heuristics of Cui et al., and baselines."""
    searches = (
        ("samarati", "baselines:Samarati", "Binary search for the least height, then the best node of that height.",
         "Samarati (2001)"),
        ("exhaustive", "exact:Exhaustive", "Every node of the lattice; all tied optima.", "exact"),
        ("optimal", "exact:Optimal", "All optima, by predictive tagging and lower bounds.",
         "after El Emam et al. (2009) and Kohlmayer et al. (2012): reconstruction"),
        ("genetic", "genetic:Genetic", "Genetic algorithm on level vectors: roulette, one-point crossover.", _CUI),
        ("tabu", "tabu:Tabu", "Tabu search from node to node.", _CUI),
        ("ga-tabu", "genetic:GeneticTabu", "Genetic algorithm with a tabu search in place of mutation.", _CUI),
        ("random-restarts", "baselines:RandomRestarts", "Descent from random nodes, again and again.", "baseline"),
        ("bottom-up", "baselines:BottomUp", "Best-first search from the lowest node upwards.", "baseline"),
        ("top-down", "baselines:TopDown", "Greedy descent from the highest node.", "baseline"),
    )  # fmt: skip
    for name, implementation, summary, source in searches:
        yield AlgorithmSpec(
            name=name, implementation=f"evosdc_lattice.{implementation}", summary=summary, source=source
        )  # fmt: skip
