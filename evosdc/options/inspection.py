"""Options of the commands that look at files: measure, risk, judge."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from evosdc.errors import Fault, ParameterError
from evosdc.options import shared
from evosdc.options.model import argument, names, option, texts


class MeasureOptions(shared.FileOptions, shared.JsonOptions):
    """Measure the file that a RUN published, or a MASKED file against its ORIGINAL: less is better.

    ORIGINAL is a file or a built-in data set. Losses and risks are between 0 and 100. Generalised files have losses
    of their own.
    """

    original: str = shared.RUN_OR_ORIGINAL
    masked: Path | None = argument(None)
    crosswalk: Path | None = shared.CROSSWALK
    measures: Sequence[str | Mapping[str, Any]] | Mapping[str, Any] | None = names(
        "Registered names. Default: for a run its own measures; for a file those of evosdc protect; for a registered "
        "data set those of the literature; for generalised files lm and dm.",
        python='An entry {"name": "ctbil", "K": 3} gives parameters, as does a mapping of them by name.',
        registered="measure",
    )
    settings: Sequence[str] = texts("A parameter of a measure: ctbil.K=3.", "NAME.KEY=VALUE", only="command")
    linkage: Literal["max", "mean"] | None = option(
        None,
        "Whether DR counts the greatest record linkage or their mean; default: as the run, else max.",
        only="command",
    )
    protect: Sequence[str] | None = names(
        "Columns to compare; default: what the run protects, else the quasi-identifiers.",
        python="If no schema declares any: the columns that differ.",
    )
    baselines: bool = option(
        False, "Also show the scores of the original itself, and of the original in random order.", only="command"
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
    """Show what DATA, a file or a built-in data set, discloses about its people by itself.

    If values of DATA were changed, its unique records are no re-identifications. evosdc warns if the manifest, the run
    folder or --original shows changes; with --original it also counts the unique records of the right person.
    """

    data: str = shared.DATA
    quasi_identifiers: Sequence[str] | None = names(
        "What an intruder knows; default: as in the schema.",
        python="Where it declares none: all attributes but identifiers, sensitive ones, weights and households.",
    )
    sensitive: Sequence[str] | None = names("What an intruder wants to learn; default: as in the schema.")
    weight: str | None = option(None, "Attribute of sampling weights; default: as in the schema.", metavar="A")
    household: str | None = option(
        None, "Attribute with the numbers of households; default: as in the schema.", metavar="A"
    )
    missing_rule: Literal["wildcard", "category", "never"] | None = option(
        None, "What a missing value equals: any value, other missing values, no value; default: as in the schema."
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
        "The original of the data, to count the unique records of the right person: in a file whose values were "
        "changed, a unique record is no re-identification.",
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
        "List the first N unique records by position, with the attributes that identify them, and how many people an "
        "informed intruder re-identifies.",
        metavar="N",
        ge=1,
    )
    record_figures: Any = option(
        None,
        "Write the figures of each model for every record, by position, as CSV.",
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

    ORIGINAL is a file or a built-in data set. For a RUN, judges that had no time before run now, and the verdict and
    the report are written again. Judges measure what an attacker or an analyst learns from the file, compared with
    chance and with the original, and whether the claimed risk holds.

    Some judges compare people in the file with people who are not in it. For a RUN with a sensitive column, evosdc
    protects four fifths of the people by the plan of the run, and attacks all. For two files, name other people by
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
    """Group similar records of DATA, a file or a built-in data set, into clusters by medians and modes.

    Shows the clusters, the mean distance by number of clusters, and how much the clusters depend on random starts.
    Writes files only with -o.
    """

    data: str = shared.DATA
    c: int = option(..., "Number of clusters, at most the number of distinct records.", metavar="N", ge=1)
    protect: Sequence[str] | None = names(
        "Columns to cluster by; default: the quasi-identifiers.",
        python="Where none is declared: all attributes but identifiers.",
    )
    up_to: int = option(
        12, "Show mean distances for 1 to N clusters and the suggested number; 1: none.", metavar="N", ge=1, le=100
    )
    fuzzy: float | None = option(
        None,
        "Also compute degrees of membership; M above 1 says how fuzzy they are: 1.5, 2.",
        metavar="M",
        gt=1,
        le=10,
    )
    starts: int = option(10, "Random starts, of which the best counts.", metavar="N", ge=1)
    seeds: int = option(
        5, "Clusterings from different random starts, compared with each other; 1: none.", metavar="N", ge=1
    )
    key: Path | None = shared.KEY
    seed: int | None = shared.SEED
    neutralise_formulas: bool = shared.NEUTRALISE_FILES
    output: Path | None = shared.new_folder("New folder for labels, representatives and a page.")
    force: bool = shared.FORCE_FOLDER
    quiet: bool = shared.QUIET
