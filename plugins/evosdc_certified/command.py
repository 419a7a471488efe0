"""``evosdc certify``."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from evosdc_certified.options import CertifyOptions


def certify(options: CertifyOptions) -> None:
    """Write a certified file, and print its verdict."""
    from evosdc.cli.display import display
    from evosdc.cli.inputs import is_dataset, open_source
    from evosdc.cli.text import print_json
    from evosdc.runs.layout import free_folder
    from evosdc_certified.certify import certified, interrupted

    given: Any = options.data
    public: Any = options.schema_file
    if is_dataset(options.data):
        # Whatever its schema lists was published with it.
        given = open_source(options.data, options.schema_file, options.reading).table
        public = given.schema
    begun = Path(options.data)
    folder = options.output or (begun if interrupted(begun) else free_folder(Path("runs"), "certified"))
    with display(options.quiet or options.as_json) as shown:
        made = certified(
            given, public, options.model_copy(update={"output": folder}),
            lambda text: shown.step("certifying", text, 0, standing=text),
        )  # fmt: skip
    if options.as_json:
        print_json(made.result | {"folder": str(folder)})
    else:
        _show(made.result, folder)
    if not made.verdict["publishable"]:
        raise SystemExit(1)


def _show(result: Mapping[str, Any], folder: Path) -> None:
    from evosdc.cli.text import say, warn
    from evosdc.runs.layout import FOR_USERS, REPORT

    verdict, opinion, misfit = result["verdict"], result["second_opinion"], result["misfit"]
    say(f"Verdict: {verdict['headline'].upper()}")
    for sentence in (*verdict["reasons"], *verdict["conditions"]):
        say(sentence)
    if opinion["holds"] is not False:
        say(opinion["text"])
    if opinion["answered"]:
        say(opinion["custodian"])
    public = [sentence.split(":")[0] for sentence in result["privacy"]["public"]]
    say(f"Taken as public; check each in the report: {'; '.join(public)}.")
    say(
        f"{result['records']} records. Their tables differ from the noisy ones by {misfit['file']:.0f}; the original "
        f"is expected at {misfit['expected_of_the_original']:.0f}."
    )
    warn(result["notes"])
    if len(result["front"]) > 1:
        say("What each epsilon gives; 50 where a file differs from the most precise tables as the original does:")
        for row in result["front"]:
            say(f"  epsilon {row['epsilon']:g}: {row['verdict']}, {row['private-tables']:.1f}")
    say(f"The file: {folder / result['best']['file']}")
    if verdict["publishable"]:
        say(f"For its users: {folder / FOR_USERS}")
    say(f"The report: {folder / REPORT}")
