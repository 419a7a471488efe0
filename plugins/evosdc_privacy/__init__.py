"""Hooks of the privacy models: what one file, taken by itself, reveals of its respondents."""

from collections.abc import Iterator

from evosdc.hookspecs import hookimpl
from evosdc.specs import PrivacyModelSpec

_FRANCONI = "Benedetti and Franconi (1998); Polettini (2003), as in mu-Argus"


@hookimpl
def evosdc_privacy_models() -> Iterator[PrivacyModelSpec]:
    """Offer the privacy models."""
    models = (
        ("k-anonymity", "frequencies:KAnonymity",
         "Records that share their key with fewer than 2, 3, 5, 10 records; smallest class, unique records.",
         "Samarati (2001); Sweeney (2002)"),
        ("population-frequencies", "frequencies:PopulationFrequencies",
         "Members of the population that share a record's key, estimated by sampling weights.", _FRANCONI),
        ("p-sensitivity", "diversity:PSensitivity",
         "Distinct sensitive values in each class (p-sensitive k-anonymity).", "Truta and Vinay (2006)"),
        ("l-diversity", "diversity:LDiversity",
         "Distinct, entropy and recursive (c, l)-diversity of the sensitive values in each class.",
         "Machanavajjhala et al. (2007); Grassberger (2003)"),
        ("t-closeness", "diversity:TCloseness",
         "Earth mover's distance of a class's sensitive values from the whole file's.",
         "Li, Li and Venkatasubramanian (2007); missing sensitive values: reconstruction"),
        ("beta-likeness", "diversity:BetaLikeness",
         "How much more frequent a sensitive value is in a class than in the file, basic or enhanced.",
         "Cao and Karras (2012)"),
        ("delta-disclosure", "diversity:DeltaDisclosure",
         "Logarithms of shares of sensitive values in a class over those in the file.",
         "Brickell and Shmatikov (2008); base of the logarithm as in ARX"),
        ("alpha-k-anonymity", "diversity:AlphaKAnonymity",
         "Greatest share of a sensitive value in a class, which has at least k records.",
         "Wong, Li, Fu and Wang (2006)"),
        ("subset-anonymity", "subsets:SubsetAnonymity",
         "k of every set of quasi-identifiers of one size.", "mu-Argus; Templ, Kowarik and Meindl (2015)"),
        ("k-map", "population:KMap",
         "People of the population that a record may be: counted, or estimated by D3 or D4.",
         "Sweeney (2002); El Emam and Dankar (2008); Pannekoek (1999)"),
        ("average-risk", "attackers:AverageRisk",
         "Mean of one over the records that share a record's key.", "El Emam (2013)"),
        ("prosecutor-risk", "attackers:ProsecutorRisk",
         "Risk of an intruder who knows that a person is in the file: 1 / f.", "El Emam (2013)"),
        ("journalist-risk", "attackers:JournalistRisk",
         "Risk of an intruder who does not know who is in the file: 1 / F.", "El Emam (2013)"),
        ("marketer-risk", "attackers:MarketerRisk",
         "Average share of records linked correctly by an intruder who links all.", "Dankar and El Emam (2010)"),
        ("population-uniqueness", "population_uniqueness:PopulationUniqueness",
         "Percentage of the population that is unique, by Zayatz, SNB, Pitman or Dankar's choice of them.",
         "Zayatz (1991); Chen and Keller-McNulty (1998); Hoshino (2001); Dankar et al. (2012)"),
        ("log-linear-risk", "population_uniqueness:LogLinearRisk",
         "Expected correct matches of unique records by a log-linear Poisson model: tau1, tau2.",
         "Skinner and Holmes (1998); Skinner and Shlomo (2008)"),
        ("risky-cells", "subsets:RiskyCells",
         "Records in rare cells of all tables of up to `dimensions` attributes.", "mu-Argus; Hundepool et al. (2014)"),
        ("separation", "subsets:Separation",
         "alpha-distinction and alpha-separation of all sets of quasi-identifiers.", "Motwani and Xu (2007)"),
        ("safepub", "differential_privacy:SafePub",
         "delta of (epsilon, delta)-differential privacy by sampling and k-anonymity.",
         "Li, Qardaji and Su (2012); Bild, Kuhn and Prasser (2018)"),
        ("profitability", "attackers:Profitability",
         "Greatest expected profit of an attack on a record in the re-identification game.", "Wan et al. (2015)"),
        ("publisher-payoff", "attackers:PublisherPayoff",
         "Least expected payoff of a published record in the re-identification game.",
         "Wan et al. (2015); one information loss for all records: reconstruction"),
        ("individual-risk", "frequencies:IndividualRisk",
         "Probability that a record is re-identified, by sampling weights.", _FRANCONI),
        ("global-risk", "frequencies:GlobalRisk",
         "Expected number and percentage of records that are re-identified.", _FRANCONI),
        ("household-risk", "frequencies:HouseholdRisk",
         "Probability that at least one member of a record's household is re-identified.", _FRANCONI),
        ("suda2", "special_uniques:Suda2",
         "Minimal sample uniques, SUDA scores and DIS-SUDA scores.",
         "Elliot, Manning and Ford (2002); Manning, Haglin and Keane (2008); Skinner and Elliot (2002); "
         "how DIS is shared among records: reconstruction"),
        ("delta-presence", "population:DeltaPresence",
         "Probability, for members of a population file, that they are in the file.",
         "Nergiz, Atzori and Clifton (2007)"),
        ("local-differential-privacy", "differential_privacy:LocalDifferentialPrivacy",
         "Epsilon of the matrices that the file was post-randomised by.", "Kasiviswanathan et al. (2011)"),
    )  # fmt: skip
    for name, implementation, summary, source in models:
        yield PrivacyModelSpec(
            name=name, implementation=f"evosdc_privacy.{implementation}", summary=summary, source=source
        )
