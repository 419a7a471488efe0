"""Independent attacks on a certified file, and whether they agree with its proof.

Each person, or each household, falls by a coin into one of two halves. The members' half gets a file made the same way;
judges attack the people of both halves with it. What they reach of members beyond others is what the file tells of its
people, and the proof bounds it: no attack whatever distinguishes a file with a unit from one without it by more than
their total variation distance. All of this is for the custodian: it reads the original, which the published file is
made without, and its figures are outside the proof.
"""

from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evosdc.assess.judge import of_members
from evosdc.errors import InputError
from evosdc.plugins.registry import default_registry
from evosdc.printing import NO_TIME
from evosdc.runs.layout import RunFolder
from evosdc.secret import Purpose, Seed, as_key, judging_seed, stream
from evosdc.table.schema import Role
from evosdc.table.table import Rows, Table, assign_known
from evosdc_certified import measurement
from evosdc_certified.certificate import total_variation
from evosdc_certified.evolution import evolved, guesses, lay_out
from evosdc_certified.tables import PrivateTables

ERRORS = 3.0  # standard errors beyond which a finding above the proof's bound is no accident of the people drawn
SHARE = 0.3  # of the time of a file, where it is limited: for the half's file and the judges
SECONDS = 60.0  # for each of these two where it is not

CUSTODIAN = (
    "For this the original was read a second time, after the file was made, and nothing of the file depends on it. "
    "The figures are for the custodian: the proof does not cover them."
)


def attacked(
    original: Table,
    workload: measurement.Workload,
    tables: PrivateTables,
    schema: Path,  # that of the certified file
    moves: int | None,
    seconds: float | None,
    drawn: Seed,
) -> dict[str, Any]:
    """Return what judges reach of half of the people by a file made of them, beyond the others."""
    began = monotonic()
    end = began + (2.0 * SECONDS if seconds is None else seconds)
    households = original.schema.with_role(Role.HOUSEHOLD)
    home = households[0] if households and tables.budget.unit == "household" else None
    rows = halves(original, home, stream(drawn, Purpose.JUDGE, 31))
    names = tables.domain.names
    try:
        answers = guesses(np.random.default_rng(), deadline=began + (end - began) / 4.0)
        half = measurement.measure(
            original.take(rows[0]), tables.domain, tables.budget, workload, answers, household=home
        )
        with TemporaryDirectory(prefix="evosdc-") as path:
            folder, halved = RunFolder(Path(path)), None if moves is None else max(1, moves // 2)
            own = lay_out(folder, half, schema, as_key(drawn).derived(Purpose.JUDGE, 32))
            search, _ = evolved(folder, half, len(rows[0]), halved, max(1.0, (end - began) / 2.0), own)
        members, others = (assign_known(original.take(part).select(names), names) for part in rows)
        records = search.best.table.select(names)
        published = Table(members.schema, records.codes, records.numbers)
        found = of_members(
            members, others, published, names, default_registry(), judging_seed(drawn), lambda: end - monotonic()
        )
    except InputError as error:
        found = {"not_checked": f"given {error.faults[0].given}; wanted {error.faults[0].wanted}"}
    return second_opinion(found | {"seconds": round(monotonic() - began, 1)}, tables)


def halves(table: Table, home: str | None, rng: np.random.Generator) -> tuple[Rows, Rows]:
    """Return the positions of two halves of the records; those of a household fall into the same one."""
    units: NDArray[np.intp] = np.arange(len(table), dtype=np.intp)
    if home is not None:
        units = np.unique(table.column(home), return_inverse=True)[1].astype(np.intp)
    # By a coin each, whatever the others got: the two halves then differ by one unit as the files of the proof do.
    first = (rng.random(units.max(initial=0) + 1) < 0.5)[units]
    return np.flatnonzero(first), np.flatnonzero(~first)


def second_opinion(found: Mapping[str, Any], tables: PrivateTables) -> dict[str, Any]:
    """Return the findings of judges beside the proof, as ``result.json`` has them."""
    judges: Mapping[str, Mapping[str, Any]] = found.get("judges") or {}
    lacking: Mapping[str, str] = found.get("not_applicable") or {}
    # Others of the judges state shares without an error, which nothing can be compared with.
    by_members = default_registry().defaults("measure", "members")
    counted = {name: judges[name] for name in by_members if name in judges}
    allowed = 100.0 * total_variation(tables.budget)
    beyond = {name: one["value"] - one["chance"] for name, one in counted.items()}
    against = [name for name, one in counted.items() if beyond[name] > allowed + ERRORS * one["error"]]
    noticed = [name for name, one in counted.items() if one["low"] > one["chance"]]
    holds = None if not counted else not against
    if holds is None:
        why = found.get("not_checked") or next(iter(lacking.values()), "no judge answered")
        text = f"Not checked by independent attacks: {why}. Later: `evosdc certify RUN --original FILE -o OTHER`."
    else:
        most = max(counted, key=lambda name: beyond[name])
        late = list(lacking.values()).count(NO_TIME)
        text = (
            f"Independent attacks on members and others {'agree' if holds else 'do not agree'} with the proof: of "
            f"{len(counted)} the most beyond chance is {beyond[most]:+.1f} points (± {counted[most]['error']:.1f}) by "
            f"{most}, and the proof allows {allowed:.1f}; {len(noticed) or 'none'} of the 95 % intervals exclude"
            f"{'s' * (len(noticed) < 2)} chance.{f' {late} judges had no time to answer.' if late else ''}"
        )
    return {
        "holds": holds, "text": text, "asked": len(judges) + len(lacking), "answered": len(judges), "allowed": allowed,
        "against": against, "custodian": CUSTODIAN, "members": dict(found),
    }  # fmt: skip
