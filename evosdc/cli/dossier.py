"""``evosdc dossier``."""

from pathlib import Path

import click

from evosdc.cli.options import PATH, takes_options
from evosdc.options.runs import DossierOptions


@click.command()
@click.argument("run_dir", type=PATH, metavar="RUN")
@takes_options(DossierOptions)
def dossier(run_dir: Path, options: DossierOptions) -> None:
    """Write the dossier of a release as one page for screen and paper: what it rests on, and who signs it.

    Purpose, recipients, environment, attackers, identifiers, thresholds with reasons, methods, tests by attack, a
    protocol for people who try to re-identify, utility, suppressions, earlier releases, review and sign-off; and which
    section serves ISO/IEC 27559, ICO, UKAN, HIPAA, EMA 0070 and NIST SP 800-188. A question without an answer stays
    visible.
    """
    from evosdc.cli.inputs import require_apart
    from evosdc.cli.results import print_json
    from evosdc.cli.text import say
    from evosdc.files.atomic import require_unused
    from evosdc.report.dossier import write_dossier
    from evosdc.runs.layout import require_run

    release, output = options.release, options.output
    require_run(run_dir)
    if output is not None:
        require_apart(output, release, pages=True)
        require_unused(output, replace=options.force)
    page, form, answers = write_dossier(run_dir, release, output)
    if options.as_json:
        document = {"dossier": str(page), "release": str(form), "open_questions": answers.open_questions}
        print_json(document)
        return
    say(f"Dossier: {page}")
    if answers.open_questions:
        say(f"{answers.open_questions} questions are not answered. Answer them in {form} and type the command again.")
