"""The table of all kinds of offers by plugins: each kind's hook, spec and contract."""

from dataclasses import dataclass

from evosdc.specs import (
    AlgorithmSpec,
    DatasetSpec,
    ExecutorSpec,
    FitnessSpec,
    FormatSpec,
    GenotypeSpec,
    LimitSpec,
    MaskingMethodSpec,
    MeasureSpec,
    OperatorSpec,
    PictureSpec,
    PortfolioSpec,
    PrivacyModelSpec,
    Spec,
)


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of offer."""

    # A kind without a contract is implemented by functions.

    name: str
    plural: str
    spec: type[Spec]  # what its hook yields
    # Name of the class in `evosdc.model` that implementations derive from; empty where they are functions.
    contract: str = ""
    short: str = ""
    given: str = ""

    @property
    def hook(self) -> str:
        """The hook that offers it (`evosdc.hookspecs`)."""
        return f"evosdc_{self.plural.replace('-', '_')}"

    @property
    def noun(self) -> str:
        """The name as a word of a sentence."""
        return self.name.replace("-", " ")

    @property
    def suite(self) -> str:
        """Name of its conformance suite in `evosdc.testing`."""
        return f"{self.contract or self.short.capitalize()}Conformance"


# By name, in the order of listings.
KINDS: dict[str, Kind] = {
    kind.name: kind
    for kind in (
        Kind("masking-method", "masking-methods", MaskingMethodSpec, "MaskingMethod", "method"),
        Kind("measure", "measures", MeasureSpec, "Measure", "measure"),
        Kind("privacy-model", "privacy-models", PrivacyModelSpec, "PrivacyModel", "model"),
        Kind("fitness", "fitnesses", FitnessSpec, "Fitness", "fitness"),
        Kind("genotype", "genotypes", GenotypeSpec, "Genotype", "genotype", "microdata"),
        Kind("algorithm", "algorithms", AlgorithmSpec, "Algorithm", "algorithm", "toolbox"),
        Kind("operator", "operators", OperatorSpec, "", "operator"),
        Kind("executor", "executors", ExecutorSpec, "Executor", "executor", "workers"),
        Kind("dataset", "datasets", DatasetSpec, "", "dataset"),
        Kind("format", "formats", FormatSpec, "", "format"),
        Kind("portfolio", "portfolios", PortfolioSpec, "", "portfolio"),
        Kind("limit", "limits", LimitSpec, "", "limit"),
        Kind("picture", "pictures", PictureSpec, "", "picture"),
    )
}
