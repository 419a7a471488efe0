"""What plugins yield from the offering hooks: names and where the implementation stands.

A spec names its implementation as ``"package.module:Class"`` and holds only words, so that listing all plugins imports
neither numba nor pandas. The class is imported when it is first used.
"""

from dataclasses import dataclass

OCCASIONS = (
    "categorical", "numeric", "mixed", "experiment", "protect", "analysis", "identity", "intruder", "two-way",
    "inference", "harm", "exact", "lookup", "followed", "judge", "members", "history", "generalised", "anonymity",
    "plan", "assurance", "truthful", "numbers", "balance",
)  # fmt: skip
"""What an offer can be the default for.

Experiments: files without numbers, files of numbers, files of both; any experiment. The command protect: what it takes
of a kind, and the fitness where nothing bounds the risk that is judged (``balance``); losses for analysts
(``analysis``), and more where numbers are masked (``numbers``); risks of masked attributes that an intruder knows
(``identity``), and of masked sensitive ones (``inference``); risks by an intruder who knows how the file was masked,
which may set the bound of a verdict (``intruder``), of these the one that counts both directions (``two-way``); harms
that are kept below a bound (``harm``); risks by the exact value of one attribute, which are kept below what a verdict
accepts (``exact``); what tables of the file tell of sensitive attributes, kept below a bound too, with a parameter
``masked`` (``lookup``); judges that a search with a goal keeps below what the verdict accepts (``followed``). A second
opinion: what it asks (``judge``), and what compares people of the file with others (``members``), or knows earlier
releases (``history``). Files with labels wider than the original's: what they are judged by (``generalised``).
Files that have to fulfil a privacy model: the methods that are tried first, and genotypes that may guarantee it for
all their files (``anonymity``). Files whose values are all true, only coarser or absent (``truthful``).
A protection plan that is evolved before other genomes are, or alone: genotype and algorithm (``plan``); of the masking
methods that guarantee what is required, those that end plans before others do, since they leave alone what fulfils it
already (``assurance``)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Spec:
    """What every offer has.

    Parameters
    ----------
    name : str
        The registered name: lower case, words joined by hyphens; what users type.
    implementation : str
        ``"package.module:Class"``.
    summary : str
        One line for listings.
    source : str
        The paper or book that defines it; ``"reconstruction"`` is part of the text where evosdc fills a gap.
    default_for : tuple of str
        Those of `OCCASIONS` on which it is taken where users name nothing of its kind.
    """

    name: str
    implementation: str
    summary: str
    source: str = ""
    default_for: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class MaskingMethodSpec(Spec):
    """A masking method (`evosdc.model.MaskingMethod`).

    Parameters
    ----------
    scales : tuple of str
        Of the attributes that it can mask.
    guarantees : tuple of (str, str)
        Names of privacy models, each with the parameter that its headline is not below in any file of the method: on
        the masked attributes, with missing values read as the schema says. Such a method can end a protection plan.
    """

    scales: tuple[str, ...] = ("nominal", "ordinal", "numeric")
    guarantees: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasureSpec(Spec):
    """A measure (`evosdc.model.Measure`).

    Parameters
    ----------
    kind : {"il", "dr", "model"}
        Information loss, disclosure risk, or a figure that is not combined with either (privacy models, losses of
        generalisation).
    family : str
        Measures of one family are alternatives to each other; ``"linkage"`` measures are combined by their maximum
        before they are averaged with the others (see `evosdc.model.Aggregation`).
    scales : tuple of str
        Scales of the attributes that it can judge.
    range : tuple of float
        Least and greatest value, on the 0..100 scale where `kind` is il or dr.
    direction : {"minimise", "maximise"}
        Which way is better for a publisher.
    meaning : str, optional
        As of `FitnessSpec`, where the measure alone is the fitness.
    most_attributes : int, optional
        Files of more are judged by it only where it is named.
    knows : str, optional
        What its intruder knows of people besides masked attributes, in words: ``the neighbours of people``. Verdicts
        report his re-identifications wherever the columns of `evosdc.model.Measure.auxiliary_names` are unmasked.
    """

    kind: str = "il"
    family: str = ""
    scales: tuple[str, ...] = ("nominal", "ordinal")
    range: tuple[float, float] = (0.0, 100.0)
    direction: str = "minimise"
    meaning: str = ""
    most_attributes: int | None = None
    knows: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class PrivacyModelSpec(Spec):
    """A privacy model of one file (`evosdc.model.PrivacyModel`)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FitnessSpec(Spec):
    """A way of combining scores into objectives (`evosdc.model.Fitness`).

    Parameters
    ----------
    meaning : str, optional
        What its one objective is, as words that end the sentence "The score is ..." in reports.
    """

    meaning: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class GenotypeSpec(Spec):
    """A genotype (`evosdc.model.Genotype`)."""

    scales: tuple[str, ...] = ("nominal", "ordinal", "numeric")


@dataclass(frozen=True, slots=True, kw_only=True)
class AlgorithmSpec(Spec):
    """A search algorithm (`evosdc.model.Algorithm`)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OperatorSpec(Spec):
    """An operator of variation or selection: a function.

    Parameters
    ----------
    varies : {"mutate", "mate", "select"}
        Under which name an experiment's ``operators`` may take it.
    """

    varies: str = "mutate"


@dataclass(frozen=True, slots=True, kw_only=True)
class ExecutorSpec(Spec):
    """A way of running tasks (`evosdc.model.Executor`).

    Parameters
    ----------
    launcher : str
        ``"module:attribute"`` that is true in a program which the executor's own launcher runs; empty for none. Such a
        program takes this executor where it names none.
    """

    launcher: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class LimitSpec(Spec):
    """A limit that no masked file beats.

    `implementation` is a function ``(evosdc.model.Judgement, seconds) -> evosdc.model.Limit | None``. It returns None
    for measures that it does not bound, and where it cannot be computed in that many seconds.

    Parameters
    ----------
    il, dr : tuple of str
        Measures that it bounds and that are meant where a user names none.
    """

    il: tuple[str, ...] = ()
    dr: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class FormatSpec(Spec):
    """A format of data files.

    `implementation` is a function ``(content: bytes, where: str) -> evosdc.files.original.Original | None``: what was
    read, able to write itself with changes, or None where the file is of another format after all. `where` is the file
    in messages.

    Parameters
    ----------
    suffixes : tuple of str
        Endings of the names of its files, in lower case. It is tried for files with such names alone, and before the
        formats that evosdc knows by itself.
    """

    suffixes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class PictureSpec(Spec):
    """Pictures of a protected file for the report.

    `implementation` is a function ``(original: Table, masked: Table) -> Mapping[str, str]``: SVG documents by title,
    none where it has nothing to draw of such a file. `original` is the whole file, `masked` the protected attributes.
    Pictures may show nothing of single records.
    """


@dataclass(frozen=True, slots=True, kw_only=True)
class PortfolioSpec(Spec):
    """A list of masking methods with parameters; `implementation` is a function ``(table) -> list[Masking]``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RemoteFile:
    """One published file of a data set.

    Parameters
    ----------
    name : str
        File name in the cache.
    sha256 : str
        Of the file's bytes as published.
    urls : tuple of str
        Where it can be downloaded, tried in this order.
    folders : tuple of str
        Places below ``EVOSDC_DATA`` where the same file may lie, for example ``"adult/adult.data"``.
    """

    name: str
    sha256: str
    urls: tuple[str, ...]
    folders: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class DatasetSpec(Spec):
    """A registered data set; `implementation` is a function ``(paths: Mapping[str, Path]) -> Source``.

    Parameters
    ----------
    records, attributes : int
        Size of the file as published, for listings.
    licence : str
        Terms of use, in words.
    files : tuple of RemoteFile
        What has to be at hand before `implementation` is called; empty for generated data.
    """

    records: int
    attributes: int
    licence: str
    files: tuple[RemoteFile, ...] = ()
