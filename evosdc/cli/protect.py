"""``evosdc protect``."""

from pathlib import Path

import click

from evosdc.cli.options import (
    PATH,
    computing_options,
    formulas_option,
    goal_options,
    json_option,
    listed,
    order_option,
    report_option,
    schema_option,
    seconds_of,
)


@click.command()
@click.argument("data")
@schema_option
@goal_options
@click.option(
    "--time", "seconds", callback=seconds_of, metavar="60s",
    help="Be done with everything after this time, from the start of the program to the report, instead of ending the "
    "search by stall. What follows the search has 30 % of it at most, of a very large file half.",
)  # fmt: skip
@click.option(
    "--generations",
    type=click.IntRange(min=1),
    metavar="N",
    help="Stop the search after so many at most. Unlike --time, the same command then gives the same file anywhere.",
)
@click.option(
    "--tune/--no-tune",
    "tuned",
    default=True,
    show_default=True,
    help="Begin with masking methods at their best parameters, found in a fifth of the time; else with a portfolio.",
)
@click.option(
    "--explainable",
    is_flag=True,
    help="Publish a file that a protection plan makes, which can be explained and repeated; see docs/recipes.md.",
)
@click.option(
    "--truthful",
    is_flag=True,
    help="Publish true values alone, coarser than those of DATA or absent: groups of 11, 5 or 3 people by --audience, "
    "or as --require asks.",
)
@click.option(
    "--second-opinion/--no-second-opinion",
    "second_opinion",
    default=True,
    show_default=True,
    help="Ask judges that the search did not use about the result; takes some seconds more.",
)
@click.option(
    "--structural-zeros/--no-structural-zeros",
    "zeros",
    default=True,
    show_default=True,
    help="Keep combinations that never occur in DATA, though 5 records or more are expected, from occurring.",
)
@click.option("--population", type=PATH, help="A file of the population, for required privacy models that compare.")
@click.option(
    "--choose",
    metavar="CHOICE",
    help="Which member of the front is published: knee, balanced, il=20, il=20,dr=15; default: the best by --fitness.",
)
@formulas_option
@order_option
@computing_options
@click.option("-o", "--output", type=PATH, metavar="DIR", help="New run folder; default: below runs/.")
@report_option
@click.option("--quiet", is_flag=True, help="No progress.")
@json_option
def protect(
    data: str,
    schema: Path | None,
    names: str | None,
    seconds: float | None,
    fitness: str | None,
    audience: str | None,
    bound: float | None,
    il: str | None,
    dr: str | None,
    require: tuple[str, ...],
    generations: int | None,
    tuned: bool,
    explainable: bool,
    truthful: bool,
    second_opinion: bool,
    zeros: bool,
    population: Path | None,
    choose: str | None,
    neutralise: bool,
    shuffle: bool,
    key_file: Path | None,
    seed: int | None,
    executor: str,
    workers: int | None,
    output: Path | None,
    pages: bool,
    quiet: bool,
    as_json: bool,
) -> None:
    """Protect DATA, a file or the name of a registered data set, with good defaults.

    Looks for the file of least loss in which no more people are found than --audience allows: finds the best parameters
    of every masking method, evolves the masked files, asks judges that the search did not use, and writes the best
    file, the front and a report. Exit status 1 where the file does not fulfil what was
    required; with --require publishable also where the verdict has conditions, which --require "publishable on
    conditions" accepts.
    """
    from evosdc.cli.inputs import data_of
    from evosdc.cli.run import carry_out, leave_by
    from evosdc.engine.choice import choice_of
    from evosdc.experiment.build.protection import protection
    from evosdc.plugins.registry import default_registry
    from evosdc.secret import chosen_seed

    experiment = protection(
        data_of(data, schema, names, neutralise, shuffle, population),
        default_registry(),
        fitness=fitness or "",
        audience=audience or "",
        bound=bound,
        il=listed(il) or (),
        dr=listed(dr) or (),
        require=require,
        structural_zeros=zeros,
        seconds=seconds,
        seed=seed,
        executor={"name": executor} | ({"workers": workers} if workers else {}),
        tuned=tuned,
        second_opinion=second_opinion,
        explainable=explainable,
        truthful=truthful,
        generations=generations,
        choose=choice_of(choose) if choose else None,
    )
    drawn = chosen_seed(seed, key_file)
    leave_by(carry_out(experiment, output, quiet, as_json, pages, drawn), as_json)
