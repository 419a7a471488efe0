"""``evosdc compile``."""

import click

from evosdc.cli.options import json_option


@click.command("compile")
@click.option("--anew", is_flag=True, help="Also what has machine code that is up to date.")
@click.option("--processes", type=click.IntRange(min=1), help="How many at a time; by default, one a processor.")
@json_option
def compile_kernels(anew: bool, processes: int | None, as_json: bool) -> None:
    """Compile all kernels now, on all processors, so that the next run need not.

    The installation has done so. It is of use on a computer with other processors, such as a node of a cluster, and
    after an upgrade of numba. Where it is stopped, what was compiled stays, and the next call goes on.
    """
    import json

    from rich.console import Console
    from rich.progress import Progress

    from evosdc.cli.signals import asked_to_stop, stop_if_asked
    from evosdc.compilation.ahead import compile_listed
    from evosdc.errors import ExecutorError

    with Progress(console=Console(stderr=True), disable=as_json, transient=True) as progress:
        task = progress.add_task("compiling kernels", total=None)

        def told(done: int, total: int) -> None:
            stop_if_asked()
            progress.update(task, completed=done, total=total)

        try:
            found = compile_listed(processes=processes, told=told, anew=anew)
        except (KeyboardInterrupt, ExecutorError) as error:
            # A signal to the whole group may end the processes that compile before this one has heard of it.
            if isinstance(error, KeyboardInterrupt) or asked_to_stop() is not None:
                progress.stop()
                click.echo("What was compiled stays; `evosdc compile` goes on with what is left.", err=True)
            raise
    for line in found.failed:
        click.echo(f"not compiled: {line}", err=True)
    if as_json:
        click.echo(json.dumps({"kernels": found.kernels, "compiled": found.compiled, "failed": list(found.failed)}))
    else:
        click.echo(f"{found.kernels} kernels, {found.compiled} of them compiled now, in {found.seconds:.0f} s")
