"""``evosdc choose``."""

from pathlib import Path

import click

from evosdc.cli.export import MemberCommand
from evosdc.cli.options import PATH, command_line, takes_options
from evosdc.options.runs import ChooseOptions


@click.command(cls=MemberCommand)
@click.argument("run_dir", type=PATH)
@click.argument("member")
@takes_options(ChooseOptions)
def choose(run_dir: Path, member: str, options: ChooseOptions) -> None:
    """Make MEMBER of the Pareto front the best file, in a run folder of its own.

    The protected file, its verdict, second opinion, recipe, report and page for users are then those of the member.
    MEMBER is its number in front.csv, 0 for the least loss; or best, the run's own file; knee, balanced, il=20,
    il=20,dr=15. Nothing is searched again; the run stays as it is.
    """
    from evosdc.cli.display import display
    from evosdc.cli.ending import conclude, reported
    from evosdc.cli.run import leave_by
    from evosdc.experiment.members import choose_member, named_member
    from evosdc.plugins.registry import default_registry

    which, output = named_member(member), options.output
    with display(options.as_json) as shown:
        result = choose_member(run_dir, which, output, default_registry(), shown, command_line())
        report = reported(output, shown)
    conclude(output, result, report, options.as_json)
    leave_by(result, options.as_json)
