"""Privacy models: what one file, taken by itself, reveals of its respondents.

This module holds the hooks alone and imports nothing heavy; each model stands in a module of its own.
"""

from collections.abc import Iterator

from evosdc.hookspecs import hookimpl
from evosdc.specs import PrivacyModelSpec

_FRANCONI = "Benedetti and Franconi (1998); Polettini (2003), as in mu-Argus"


@hookimpl
def evosdc_privacy_models() -> Iterator[PrivacyModelSpec]:
    """Offer the privacy models."""
    models = (
        ("k-anonymity", "anonymity:KAnonymity",
         "Records that share their key with fewer than 2, 3, 5, 10 records; smallest class, unique records.",
         "Samarati (2001); Sweeney (2002)"),
        ("population-frequencies", "anonymity:PopulationFrequencies",
         "Members of the population that share a record's key, estimated by sampling weights.", _FRANCONI),
        ("p-sensitivity", "diversity:PSensitivity",
         "Distinct sensitive values in each class (p-sensitive k-anonymity).", "Truta and Vinay (2006)"),
        ("l-diversity", "diversity:LDiversity",
         "Distinct, entropy and recursive (c, l)-diversity of the sensitive values in each class.",
         "Machanavajjhala et al. (2007)"),
        ("t-closeness", "closeness:TCloseness",
         "Earth mover's distance of a class's sensitive values from the whole file's.",
         "Li, Li and Venkatasubramanian (2007); missing sensitive values: reconstruction"),
        ("individual-risk", "reidentification:IndividualRisk",
         "Probability that a record is re-identified, by sampling weights.", _FRANCONI),
        ("global-risk", "reidentification:GlobalRisk",
         "Expected number and percentage of records that are re-identified.", _FRANCONI),
        ("household-risk", "reidentification:HouseholdRisk",
         "Probability that at least one member of a record's household is re-identified.", _FRANCONI),
        ("suda2", "special_uniques:Suda2",
         "Minimal sample uniques, SUDA scores and DIS-SUDA scores.",
         "Elliot, Manning and Ford (2002); Manning, Haglin and Keane (2008); Skinner and Elliot (2002); "
         "how DIS is shared among records: reconstruction"),
        ("delta-presence", "presence:DeltaPresence",
         "Probability, for members of a population file, that they are in the file.",
         "Nergiz, Atzori and Clifton (2007)"),
        ("local-differential-privacy", "local_privacy:LocalDifferentialPrivacy",
         "Epsilon of the matrices that the file was post-randomised by.", "Kasiviswanathan et al. (2011)"),
    )  # fmt: skip
    for name, implementation, summary, source in models:
        yield PrivacyModelSpec(
            name=name, implementation=f"evosdc_privacy.{implementation}", summary=summary, source=source
        )
