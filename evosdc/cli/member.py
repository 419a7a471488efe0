"""``evosdc member``."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import click

from evosdc.cli.export import MemberCommand
from evosdc.cli.options import PATH, takes_options
from evosdc.options.runs import MemberOptions


@click.command(cls=MemberCommand)
@click.argument("run_dir", type=PATH)
@click.argument("member")
@takes_options(MemberOptions)
def member(run_dir: Path, member: str, options: MemberOptions) -> None:
    """Tell of MEMBER of the Pareto front what the report tells of the best file; writes nothing.

    MEMBER is its number in front.csv, 0 for the least loss; or best, the run's own file; knee, balanced, il=20,
    il=20,dr=15.
    """
    from evosdc.cli.results import print_json
    from evosdc.cli.signals import stop_if_asked
    from evosdc.cli.text import say
    from evosdc.experiment.members import member_findings, named_member
    from evosdc.plugins.registry import default_registry

    which = named_member(member)
    told = member_findings(
        run_dir, which, default_registry(), options.judge, answered=lambda done, total: stop_if_asked()
    )
    if options.as_json:
        print_json(told)
        return
    for sentence in _sentences(told):
        say(sentence)


def _sentences(told: Mapping[str, Any]) -> Iterator[str]:
    from evosdc.assess.intruder import measured_by
    from evosdc.experiment.members import in_words

    scores = ", ".join(f"{name} {value:.3f}" for name, value in told["scores"].items())
    named = in_words(told["member"])
    yield f"{named[0].upper()}{named[1:]} ({told['origin']}): {scores}."
    for entry in told["cross_tables"]:
        yield f"{entry['attribute']}: {entry['kept']:.1f} % of the records keep their value."
    if (found := told["records"]) is not None:
        yield (
            f"An informed intruder is expected to re-identify {found['expected']:.0f} of {found['records']} people "
            f"({found['percent']:.2f} %, by {measured_by(found)}); "
            f"without protection {found['original_percent']:.2f} %."
        )
        if found.get("at_risk"):
            records = [str(one["record"]) for one in found["at_risk"]]
            more = found["likely"] - len(records)
            yield f"Likelier found than not: records {', '.join(records)}{f' and {more} more' if more > 0 else ''}."
    tables = told["analyses"].get("tables", ())
    if tables:
        yield f"{sum(bool(entry['holds']) for entry in tables)} of {len(tables)} tables hold."
    if "second_opinion" in told:
        yield str(told["second_opinion"]["verdict"])
