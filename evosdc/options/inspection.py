"""Options of the commands that look at files: measure, risk, judge."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from evosdc.errors import Fault, ParameterError
from evosdc.options import shared
from evosdc.options.model import argument, names, option, texts


class MeasureOptions(shared.FileOptions, shared.JsonOptions):
    """Measure the file that a RUN published, or a MASKED file against its ORIGINAL: less is better.

    ORIGINAL is a file or a registered data set. Losses and risks lie between 0 and 100. Generalised files are judged by
    the losses of generalisation.
    """

    original: str = shared.RUN_OR_ORIGINAL
    masked: Path | None = argument(None)
    crosswalk: Path | None = shared.CROSSWALK
    measures: Sequence[str | Mapping[str, Any]] | Mapping[str, Any] | None = names(
        "Registered names; default: of a run its own; by role, as evosdc protect; of a registered data set those of "
        "the literature; of generalised files lm and dm.",
        python='An entry {"name": "ctbil", "K": 3} gives parameters, as does a mapping of them by name.',
        registered="measure",
    )
    settings: Sequence[str] = texts("A parameter of a measure: ctbil.K=3.", "NAME.KEY=VALUE", only="command")
    linkage: Literal["max", "mean"] | None = option(
        None,
        "What DR takes of several record linkages: the greatest, or their mean; default: as the run, else max.",
        only="command",
    )
    protect: Sequence[str] | None = names(
        "What is judged; default: what the run protects, else the quasi-identifiers.",
        python="Where none is declared: the columns that differ.",
    )
    baselines: bool = option(
        False, "Also the scores of the original itself and of its records permuted.", only="command"
    )

    @property
    def entries(self) -> dict[str, dict[str, Any]] | None:
        """The parameters of each measure by name; None where no measure is named."""
        if self.measures is None:
            return None
        single = isinstance(self.measures, Mapping) and isinstance(self.measures.get("name"), str)
        listed: list[Any] = [self.measures] if single else list(self.measures)
        if isinstance(self.measures, Mapping) and not single:
            listed = [{"name": name, "": params} for name, params in self.measures.items()]
        found: dict[str, dict[str, Any]] = {}
        faults = []
        for entry in listed:
            given = dict(entry) if isinstance(entry, Mapping) else {"name": entry}
            name, params = given.pop("name", None), given.pop("", given)
            if not isinstance(name, str) or not isinstance(params, Mapping):
                wanted = 'a name, or {"name": ..., ...} with the parameters of the measure'
                faults.append(Fault("measures", repr(entry if name is None else {name: params}), wanted))
            else:
                found[name] = dict(params)
        if faults:
            raise ParameterError(faults)
        return found


class RiskOptions(shared.FileOptions, shared.JsonOptions):
    """Show what DATA, a file or a registered data set, reveals of its respondents when taken by itself.

    Where values of DATA were changed, as its manifest, its run folder or --original tell, counts of records that stand
    out are no re-identifications: then it is said so, and with --original how many of them are right.
    """

    data: str = shared.DATA
    quasi_identifiers: Sequence[str] | None = names(
        "What an intruder knows; default: as in the schema.",
        python="Where it declares none: all attributes but identifiers, sensitive ones, weights and households.",
    )
    sensitive: Sequence[str] | None = names("What an intruder wants to learn; default: as in the schema.")
    weight: str | None = option(None, "Attribute of sampling weights; default: as in the schema.", metavar="A")
    household: str | None = option(
        None, "Attribute that tells households apart; default: as in the schema.", metavar="A"
    )
    missing_rule: Literal["wildcard", "category", "never"] | None = option(
        None, "What a missing value equals: anything, other missing values, nothing; default: as in the schema."
    )
    population: Any = option(
        None,
        "A file of the population, for models that compare with it.",
        metavar="FILE",
        python="Here a frame or Table.",
    )
    transitions: Any = option(
        None,
        "Matrices that the file was randomised by, such as transitions.json.",
        metavar="FILE",
        python="Here the rows of each matrix, by attribute.",
    )
    original: Any = option(
        None,
        "What the data were made from, to count which of its records are right: in a file whose values were changed, a "
        "record that stands out is no re-identification.",
        metavar="FILE",
        python="Here a frame or Table, record by record.",
    )
    crosswalk: Path | None = shared.COMMAND_CROSSWALK
    models: Sequence[str] | Mapping[str, Mapping[str, Any]] | None = names(
        "Registered privacy models; default: all.",
        python="A mapping gives parameters by name.",
        registered="privacy-model",
    )
    every: bool = option(
        False, "Show all models; else five of them, where none are named.", flags=("--all",), only="command"
    )
    settings: Sequence[str] = texts("A parameter of a model.", "MODEL.KEY=VALUE", only="command")
    standing_out: int | None = option(
        None,
        "List the first N records that stand out, by position, and by which attributes; and what an informed intruder "
        "finds.",
        metavar="N",
        ge=1,
    )
    record_figures: Any = option(
        None,
        "Write what each model says of every record, by its position, as CSV.",
        metavar="FILE",
        python="Here true or false: whether the result has these figures.",
    )
    force: bool = shared.FORCE

    @property
    def known_by(self) -> tuple[Sequence[str] | None, Sequence[str] | None, str | None, str | None, str | None]:
        """What says which attributes an intruder knows and wants, and how missing values count."""
        return self.quasi_identifiers, self.sensitive, self.weight, self.household, self.missing_rule


class JudgeOptions(shared.FileOptions, shared.JsonOptions):
    """Check the file of a RUN, or a MASKED file of an ORIGINAL, by independent attacks unknown to the optimiser.

    ORIGINAL is a file or a registered data set. For a RUN, judges that had no time before run now, and the verdict and
    the report are written again. Judges measure what an attacker or an analyst learns from the file, compared with
    chance and with the original, and whether the claimed risk holds.

    Some judges compare people in the file with people who are not in it. For a RUN with a sensitive column, evosdc
    protects half of the people by the plan of the run, and attacks both halves. For two files, name other people by
    --others.
    """

    original: str = shared.RUN_OR_ORIGINAL
    masked: Path | None = argument(None)
    protect: Sequence[str] | None = names(
        "Masked columns; default: those that the run protects, else the quasi-identifiers and all columns that differ."
    )
    crosswalk: Path | None = shared.CROSSWALK
    claimed: float | Mapping[str, float] | None = option(
        None,
        "Claimed risk, in per cent; default: the claim of the run, else the greatest figure of informed measures.",
        metavar="DR",
        python="A mapping claims by family of judges: linkage, guess.",
    )
    others: Path | None = option(
        None,
        "For two files: people of the same population who are not in MASKED, for judges that compare with them.",
        metavar="FILE",
        only="command",
    )
    published: Path | None = option(
        None,
        "A published table of these people: columns of the file and count, empty if suppressed.",
        metavar="TABLE.csv",
        only="command",
    )
    earlier: Sequence[Any] = shared.EARLIER
    judges: Sequence[str] | None = names(
        "Judges to run; default: all judges that the run did not use.", registered="measure"
    )
    every: bool = option(
        False,
        "Show all judges, in words; else the figures of five, if you name no judges.",
        flags=("--all",),
        only="command",
    )
    seed: int | None = option(
        None,
        "Seed of halves and samples, to repeat an opinion; default: from the key of the run, else a new seed.",
        metavar="N",
        ge=0,
    )


class ClusterOptions(shared.FileOptions, shared.JsonOptions):
    """Put the records of DATA, a file or a registered data set, into clusters of similar ones by medians and modes.

    Shows the clusters, how near records are to them by number of clusters, and how far they hang on the starts. Writes
    the cluster of each record with -o, and nothing without.
    """

    data: str = shared.DATA
    c: int = option(
        ..., "Number of clusters; as many as there are distinct records where these are fewer.", metavar="N", ge=1
    )
    protect: Sequence[str] | None = names(
        "What records are clustered by; default: the quasi-identifiers.",
        python="Where none is declared: all attributes but identifiers.",
    )
    up_to: int = option(
        12, "Distances for 1 to N clusters, and the number that they suggest; 1: none.", metavar="N", ge=1, le=100
    )
    fuzzy: float | None = option(
        None,
        "Also degrees to which records belong to clusters; M above 1 is how fuzzy: 1.5, 2.",
        metavar="M",
        gt=1,
        le=10,
    )
    starts: int = option(10, "Random starts, of which the best counts.", metavar="N", ge=1)
    seeds: int = option(
        5, "Draws of the starts whose clusterings are compared with each other; 1: none.", metavar="N", ge=1
    )
    key: Path | None = shared.KEY
    seed: int | None = shared.SEED
    neutralise_formulas: bool = shared.NEUTRALISE_FILES
    output: Path | None = shared.new_folder("New folder for labels, representatives and a page.")
    force: bool = shared.FORCE_FOLDER
    quiet: bool = shared.QUIET
