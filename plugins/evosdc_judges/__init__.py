"""Judges: measures that a search did not see, for a second opinion on what it found.

This module holds the hooks alone and imports nothing heavy; each judge stands in a module of its own.
"""

from collections.abc import Iterator
from dataclasses import replace

from evosdc.hookspecs import hookimpl
from evosdc.specs import MeasureSpec

_SCALES = ("nominal", "ordinal", "numeric")
_FOLLOWED = ("displacement-linkage", "surest-matches")
_GIOMI = "Giomi, Boenisch, Wehmeyer and Tasnadi (2023), PoPETs; halves of the people as control: reconstruction"
_RAAB = "Raab, Nowok and Dibben (2024), practical privacy metrics for synthetic data"


@hookimpl
def evosdc_measures() -> Iterator[MeasureSpec]:
    """Offer the judges of risk, then those of use."""
    risks = (
        ("learned-linkage", "linkage:LearnedLinkage", "linkage",
         "Linkage by attribute weights learned from half of the people: share linked in the other half.",
         "Abril, Navarro-Arribas and Torra (2012); logistic weights, learned transitions: reconstruction"),
        ("partial-linkage", "linkage:PartialLinkage", "linkage",
         "Linkage by intruders who know some attributes only: mean over all subsets.",
         "Domingo-Ferrer and Torra (2001) for the linkage; mean over subsets: reconstruction"),
        ("displacement-linkage", "linkage:DisplacementLinkage", "linkage",
         "Linkage by how far values were moved in their order, and which categories were published as which.",
         "Domingo-Ferrer and Muralidhar (2016) for distances by rank; the likelihood: reconstruction"),
        ("linkability", "released:Linkability", "linkage",
         "People of whom two sets of attributes meet in one record of the file, beyond control.", _GIOMI),
        ("learned-inference", "learned:LearnedInference", "guess",
         "Original values that a classifier learns from all masked ones, beyond shuffled records.",
         "RAPID and TCAP for the attack model; form: reconstruction"),
        ("inference", "released:Inference", "guess",
         "Values guessed from the nearest record of the file, beyond control.", _GIOMI),
        ("singling-out", "released:SinglingOut", "singling-out",
         "Unique combinations of the file that single out a person, beyond control.", _GIOMI),
        ("repu", "attribution:ReplicatedUniques", "replication",
         "Unique people whose combination of values is unique in the file too.", _RAAB),
        ("disco", "attribution:DisclosiveInSynthetic", "attribution",
         "People whose values go with one target alone in the file, and it is theirs.", _RAAB),
        ("tcap", "attribution:CorrectAttribution", "attribution",
         "Targets that go with one combination of values in the file and are right.",
         "Taub, Elliot, Pampaka and Smith (2018)"),
        ("downcoding", "downcoding:Downcoding", "minimality",
         "People alone in their group with a finer value, which follows from the file being no coarser than needed.",
         "Cohen (2022), attacks on deidentification's defenses; the posterior: reconstruction"),
        ("surest-matches", "linkage:SurestMatches", "tail",
         "Right ones among the 20 matches that an informed intruder is surest of.",
         "Torra (2017) for the intruder; the tails: design"),
    )  # fmt: skip
    members = (
        ("members-inference", "members:MembersInference", "excess",
         "Sensitive values that a learner on the file guesses of its people, minus those of people who are not in it.",
         "Giomi et al. (2023) for the control; learners: design"),
        ("rarity-reconstruction", "members:RarityReconstruction", "reconstruction",
         "The same with each right guess weighted by the rarity of the value.",
         "NIST's reconstruction exercise (2025) for the score; learners: design"),
        ("membership-nndr", "members:NearestRatio", "membership",
         "Members distinguished from others by distance to the nearest record over the second: AUC; 50 by chance.",
         "Nearest neighbour distance ratio; Gower's distances: design"),
        ("membership-domias", "members:DensityRatio", "membership",
         "Members distinguished from others by the density of the file over that of the population: AUC; 50 by chance.",
         "Van Breugel, Sun, Qian and van der Schaar (2023); densities by nearest records: reconstruction"),
        ("membership-avoidance", "members:Avoidance", "membership",
         "Members distinguished from others by combinations that the file conspicuously avoids: AUC; 50 by chance.",
         "design"),
    )  # fmt: skip
    history = _spec(
        "release-history", "history:ReleaseHistory", "history", "dr",
        "People re-identified by the file and all earlier releases of the same original together.",
        "Torra (2017) for the intruder; rows joined by columns that releases share: design",
    )  # fmt: skip
    losses = (
        ("tables-3", "analysis:ThreeWayTables", "tables", "il",
         "Records in another cell of three-way tables, masked and unmasked attributes.",
         "NIST's k-marginal score for the like; form: reconstruction"),
        ("association", "analysis:Association", "association", "il",
         "Absolute change of Cramer's V over pairs with a masked attribute, unmasked ones included.",
         "Shlomo and Young (2006); absolute form and mean: reconstruction"),
        ("classifier-utility", "analysis:ClassifierUtility", "analysis", "il",
         "What the masked file does not teach about unmasked attributes, of what the original teaches.",
         "usual in the literature on specific information loss; form: reconstruction"),
        ("pmse", "analysis:PropensityRatio", "propensity", "model",
         "Propensity score mean squared error, as a ratio to its null expectation.",
         "Snoke, Raab, Nowok, Dibben and Slavkovic (2018)"),
    )  # fmt: skip
    yield replace(
        _spec("specks", "analysis:PropensityDistance", "propensity", "il",
              "Kolmogorov-Smirnov distance between the propensity scores of published and original records.",
              "Bowen, Liu and Su (2021), SPECKS; the model: reconstruction"),
        default_for=(),
    )  # fmt: skip
    for name, place, family, summary, source in risks:
        occasions = ("judge", "followed") if name in _FOLLOWED else ("judge",)
        yield replace(_spec(name, place, family, "dr", summary, source), default_for=occasions)
    for name, place, family, summary, source in members:
        least = 0.0 if family == "membership" else -100.0
        yield replace(_spec(name, place, family, "dr", summary, source), range=(least, 100.0), default_for=("members",))
    yield replace(history, default_for=("history",))
    for name, place, family, kind, summary, source in losses:
        yield _spec(name, place, family, kind, summary, source)


def _spec(name: str, place: str, family: str, kind: str, summary: str, source: str) -> MeasureSpec:
    return MeasureSpec(
        name=name,
        implementation=f"evosdc_judges.{place}",
        summary=summary,
        source=source,
        kind=kind,
        family=family,
        scales=_SCALES,
        range=(0.0, float("inf")) if kind == "model" else (0.0, 100.0),
        default_for=("judge",),
    )
