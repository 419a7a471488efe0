"""Specs of the information losses of categorical attributes."""

from evosdc.specs import MeasureSpec

_SHLOMO = "Shlomo and Young (2006), as the handbook describes them"
_UNBOUNDED = (0.0, float("inf"))
_HANDBOOK = "Domingo-Ferrer and Torra (2001); handbook chapter on disclosure risk and information loss"
SPECS: tuple[MeasureSpec, ...] = (
    MeasureSpec(
        name="dbil", implementation="evosdc_measures.categorical_loss.distances:DistanceBasedLoss",
        summary="Distance-based information loss: mean distance between original and masked categories.",
        source=_HANDBOOK, kind="il", default_for=("categorical", "mixed"),
    ),
    MeasureSpec(
        name="ctbil", implementation="evosdc_measures.categorical_loss.tables:ContingencyTableLoss",
        summary="Contingency-table-based information loss: cells moved in all tables of up to K attributes.",
        source=f"{_HANDBOOK}; bounded normalisation: reconstruction", kind="il",
        default_for=("categorical", "mixed", "analysis"),
    ),
    MeasureSpec(
        name="ctbil-across", implementation="evosdc_measures.categorical_loss.across:ContingencyLossAcross",
        summary="Cells moved in the two-way tables of protected with unprotected attributes that go together most.",
        source=f"{_HANDBOOK}; Bergsma (2013); choice of tables, normalisation: reconstruction", kind="il",
        scales=("nominal", "ordinal", "numeric"), default_for=("analysis",),
    ),
    MeasureSpec(
        name="ebil", implementation="evosdc_measures.categorical_loss.entropy:EntropyBasedLoss",
        summary="Entropy-based information loss: uncertainty about the original category given the masked one.",
        source=f"{_HANDBOOK}; estimate from the data and normalisation: reconstruction", kind="il",
        default_for=("categorical", "mixed"),
    ),
    MeasureSpec(
        name="actbil", implementation="evosdc_measures.categorical_loss.tables:AverageContingencyTableLoss",
        summary="Average contingency-table-based loss: mean change of a cell, in records.",
        source=_HANDBOOK, kind="model", range=_UNBOUNDED,
    ),
    MeasureSpec(
        name="ctbil-mv", implementation="evosdc_measures.categorical_loss.tables:MeanVariation",
        summary="Mean relative change of the occupied cells of all tables of up to K attributes, in per cent.",
        source="mean variation of frequencies (microaggregation slides); what is done with empty cells: reconstruction",
        kind="model", range=_UNBOUNDED,
    ),
    MeasureSpec(
        name="frequency-change", implementation="evosdc_measures.categorical_loss.tables:FrequencyChange",
        summary="Mean relative change of the categories' frequencies, in per cent.",
        source="thesis, captions of section 4.1; formula: reconstruction", kind="model", range=_UNBOUNDED,
    ),
    MeasureSpec(
        name="hellinger", implementation="evosdc_measures.categorical_loss.tables:HellingerLoss",
        summary="Mean Hellinger distance between the tables of up to K attributes.",
        source=f"{_SHLOMO}; normalisation and mean over tables: reconstruction", kind="il",
    ),
    MeasureSpec(
        name="k-marginal", implementation="evosdc_measures.categorical_loss.tables:KMarginal",
        summary="Mean distance of all tables of k attributes; NIST's k-marginal score is 1000 less ten times that.",
        source="NIST PSCR challenge (2018); all tables instead of drawn ones: reconstruction", kind="il",
    ),
    MeasureSpec(
        name="false-zeros", implementation="evosdc_measures.categorical_loss.tables:FalseZeros",
        summary="Occupied cells of all tables of up to K attributes that become empty: per cent.",
        source="Eurostat's guidelines on targeted record swapping, as infoLoss of sdcMicro", kind="il",
    ),
    MeasureSpec(
        name="cell-quantile", implementation="evosdc_measures.categorical_loss.tables:CellQuantile",
        summary="A quantile of the changes of the occupied cells of all tables of up to K attributes.",
        source="Eurostat's guidelines on targeted record swapping, as infoLoss of sdcMicro", kind="model",
        range=_UNBOUNDED,
    ),
    MeasureSpec(
        name="relabelling", implementation="evosdc_measures.categorical_loss.relabelling:Relabelling",
        summary="Records that would read right if the categories' labels were exchanged: a harm, for constraints.",
        source="reconstruction; assignment of labels after Kuhn (1955)", kind="model",
        scales=("nominal", "ordinal", "numeric"),
    ),
    MeasureSpec(
        name="worst-relabelling", implementation="evosdc_measures.categorical_loss.relabelling:WorstRelabelling",
        summary="Records of an attribute that would read right if labels were exchanged; the worst attribute.",
        source="reconstruction; assignment of labels after Kuhn (1955)", kind="model",
        scales=("nominal", "ordinal", "numeric"), default_for=("harm",),
    ),
)  # fmt: skip
