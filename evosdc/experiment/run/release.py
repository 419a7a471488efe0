"""What a run says of the file that it publishes: ``release.json``, and the verdict in ``result.json``."""

from collections.abc import Mapping, Sequence
from time import monotonic
from typing import Any

from evosdc.assess.background import further_knowledge, unchanged_together
from evosdc.assess.classes import cross_tables
from evosdc.assess.data_check import given_away_sentences
from evosdc.assess.intruder import bound_of, found_by_value, two_way_of
from evosdc.assess.unchanged import unchanged_columns
from evosdc.assess.utility import analyses, corrections
from evosdc.assess.verdict import Evidence, publication
from evosdc.experiment.build.assembly import Assembly
from evosdc.experiment.build.safeguards import aims_among
from evosdc.experiment.run.intruders import found_in, safer_member
from evosdc.experiment.run.order import order_sentences
from evosdc.experiment.run.provenance import digest
from evosdc.model import Individual
from evosdc.model.individual import INFEASIBILITY
from evosdc.printing import NO_TIME
from evosdc.runs.layout import RELEASE, RunFolder
from evosdc.secret import public
from evosdc.table.determination import determinations
from evosdc.table.distinct_values import distinct_values
from evosdc.table.table import Rows, Table


def write_release(
    folder: RunFolder,
    assembly: Assembly,
    masked: Table,
    document: Mapping[str, Any],
    risk: Mapping[str, Any],
    exchanged: Sequence[str],
    omitted: Rows | None = None,
    front: Sequence[Individual] = (),
    seconds: float | None = None,
) -> dict[str, Any]:
    """Write ``release.json`` and return the verdict.

    Parameters
    ----------
    folder : RunFolder
    assembly : Assembly
    masked : Table
        The protected attributes as they are published.
    document : mapping
        The result so far.
    risk : mapping
        Of `privacy_findings`.
    exchanged : sequence of str
        Sentences on exchanged labels.
    omitted : ndarray of intp, optional
        Positions of records that are not published.
    front : sequence of Individual
        Among which a file is looked for in which fewer people are found, where too many are in this one.
    seconds : float, optional
        That may take.
    """
    microdata, whole = assembly.microdata, assembly.source.table
    dropped = document["dropped_identifiers"]
    original, published = whole.without(omitted), whole.with_columns(masked).without(omitted)
    shown = masked.without(omitted)
    measured = any(name in document["best"]["scores"] for name in assembly.registry.defaults("measure", "identity"))
    # The intruder is asked anew only where other judges are: that costs about as much as an evaluation.
    asked = measured or bool(document.get("verdict"))
    began = monotonic()
    of_file = document["best"].get("of_file", document["best"])["scores"] if omitted is None else None
    found = found_in(assembly, original, shown, document["identity"], of_file) if asked else None
    cost = monotonic() - began
    away = determinations(whole, microdata.protect)
    unchanged = [
        column.to_json() for column in unchanged_columns(whole, microdata.protect, dropped, document["changed"], away)
    ]
    same = [column["attribute"] for column in unchanged]
    by_masked = found.percent if found is not None else 0.0
    together = unchanged_together(original, published, microdata.protect, same, by_masked)
    further = further_knowledge(original, shown, microdata.protect, same, assembly.registry)
    analysed = analyses(original, published, microdata.protect) if len(shown) else {}
    folder.write_json(
        RELEASE,
        {
            "published": digest(folder.file(document["best"]["file"])),
            "cross_tables": cross_tables(original, published, microdata.protect) if len(shown) else [],
            "analyses": analysed,
            "corrections": corrections(original, published, analysed["tables"]) if analysed else [],
            "published_unchanged": unchanged,
            "records": found.to_json() if found is not None else None,
            "omitted": 0 if omitted is None else len(omitted),
            "codebook": _codebook(published, dropped, assembly.source.carried),
            "meanings": _meanings(assembly, document),
        },
    )
    required = document["requirements"]
    verdict = document.get("verdict") or {}
    summary = found.to_json() if found is not None else _of_model(risk, len(shown))
    told = {key: value for key, value in summary.items() if key != "at_risk"} if summary is not None else None
    fitness, identity = document["best"]["fitness"], document["identity"]
    texts = [str(entry["requirement"]) for entry in required if not entry["own"]]
    own = [str(entry["requirement"]) for entry in required if entry["own"]]
    bound, bound_by = bound_of(
        texts, str((told or {}).get("measure", "")), assembly.registry, assembly.experiment.accepted
    )
    above = found is not None and found.percent > bound
    safer = safer_member(assembly, front, bound, seconds, cost) if above else None
    opinion = (document.get("second_opinion") or {}).get("best") or {}
    unheard = [*(opinion.get("not_applicable") or {}).values()]
    evidence = Evidence(
        intruder=told,
        requirements=required,
        own_limits=own,
        aims=aims_among(assembly.experiment.constraints, assembly.registry, assembly.experiment.goal),
        bound=bound,
        bound_by=bound_by,
        two_way=two_way_of(assembly.registry),
        safer=safer,
        holds=verdict.get("holds"),
        contradiction=str(verdict.get("text", "")).removeprefix("Does not hold: "),
        contradicting=_contradicting(opinion.get("judges") or {}),
        answered=len(opinion.get("judges") or ()),
        unasked=unheard.count(NO_TIME),
        lacking=len(unheard) - unheard.count(NO_TIME),
        used=list((document.get("second_opinion") or {}).get("used_by_the_search") or ()),
        analyses=analysed,
        unchanged=unchanged,
        together=together.to_json() if together is not None else None,
        further=[one.to_json() for one in further],
        by_value=found_by_value(original, published, found.known) if found is not None else None,
        changed=sum(document["changed"].values()),
        cells=len(masked) * len(document["changed"]),
        idle=identity is not None and len(fitness) == 1 and _order(document["best"]) >= _order(identity),
        exchanged=exchanged,
        given_away=[
            *given_away_sentences([d for d in away if document["changed"].get(d.masked)]),
            *order_sentences(assembly),
        ],
        public_seed=public(assembly.seed) is not None,
        above_limit=((document.get("limit") or {}).get("above") or {}).get("best"),
    )
    return publication(evidence)


def _order(told: Mapping[str, Any]) -> tuple[float, float]:
    """Return what the better of two files has less of: how far it is from its constraints, then its one objective."""
    return told["scores"].get(INFEASIBILITY, 0.0), told["fitness"][0]


def _of_model(risk: Mapping[str, Any], records: int) -> dict[str, Any] | None:
    """Return what a privacy model expects to be found in a generalised file, whose values are coarse but true."""
    sides = [risk.get("published") or {}, risk.get("original") or {}]
    for name, figures in sides[0].items():
        if isinstance(figures, dict) and "expected_reidentifications" in figures and records:
            expected = float(figures["expected_reidentifications"])
            before = float((sides[1].get(name) or {}).get("expected_reidentifications", 0.0))
            return {
                "measure": name, "percent": 100.0 * expected / records, "original_percent": 100.0 * before / records,
                "expected": expected, "records": records, "known": list(risk.get("quasi_identifiers") or ()),
            }  # fmt: skip
    return None


def _contradicting(judges: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """Return the judges of linkage that find more than is claimed: measures that a search can be kept below a bound."""
    return [name for name, one in judges.items() if one["exceeds"] and one["family"] == "linkage"]


def _codebook(published: Table, dropped: Sequence[str], carried: Mapping[str, str]) -> list[dict[str, Any]]:
    """Return what users of the published file may be told of its columns: nothing that is not in it.

    Values of columns that are carried in another form are not in it: they have the numbers of records in the original.
    """
    listed: list[dict[str, Any]] = []
    for attribute in published.schema.attributes:
        if attribute.name in dropped:
            continue
        if attribute.name in carried:
            listed.append({"attribute": attribute.name, "role": str(attribute.role), "told": carried[attribute.name]})
            continue
        column = published.column(attribute.name)
        present = set(distinct_values(column).tolist()) if attribute.categorical else set()
        listed.append(
            {
                "attribute": attribute.name,
                "role": str(attribute.role),
                "scale": str(attribute.scale),
                "decimals": attribute.decimals,
                "categories": [label for code, label in enumerate(attribute.categories) if code in present],
                "missing": published.missing_in(attribute),
            }
        )
    return listed


def _meanings(assembly: Assembly, document: Mapping[str, Any]) -> dict[str, str]:
    """Return each measure and judge of the result in one sentence."""
    registry = assembly.registry
    asked = ((document.get("second_opinion") or {}).get("best") or {}).get("judges") or {}
    known = set(registry.names("measure"))
    names = [name for name in (*document["best"]["scores"], *asked) if name in known]
    meanings = {name: registry.spec("measure", name).summary for name in dict.fromkeys(names)}
    fixed = {
        "il": "Information loss: the mean of the measures of loss.",
        "dr": "Disclosure risk: what the measures of risk come to together.",
    }
    return meanings | {name: text for name, text in fixed.items() if name in document["best"]["scores"]}
