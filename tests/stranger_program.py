"""Run by test_stranger.py with the stranger's distribution on the path: use all that it offers, print what came out."""

from __future__ import annotations

import json

import click
from click.testing import CliRunner

from evosdc.plugins.registry import Registry
from evosdc.secret import Purpose, stream
from evosdc.testing import sample_microdata


def main() -> None:
    registry = Registry.load()
    microdata = sample_microdata("ordinary")
    original = microdata.original
    masked = registry.build("masking-method", "scramble", {"share": 0.5}).mask(original, stream(1, Purpose.MASK))
    fitted = registry.build("measure", "share-changed", {}).fit(original)
    genotype = registry.build("genotype", "suppressions", {"share": 0.25}, microdata)
    genome = genotype.random(stream(1, Purpose.INIT, 0, 0))
    fitness = registry.build("fitness", "product", {})
    cli = click.Group("evosdc")
    problems = registry.add_commands(cli)
    result = {"best": {"fitness": 12.5}}
    registry.announce("evosdc_run_finished", run={"title": "Trial"}, result=result)
    print(
        json.dumps(
            {
                "problems": [str(p) for p in (*registry.problems, *problems) if "stranger" in str(p)],
                "plugins": {p.name: [p.distribution, p.version, p.offers] for p in registry.plugins},
                "provider": registry.provider("masking-method", "scramble"),
                "unchanged": fitted.score(original),
                "masked": fitted.score(masked),
                "suppressed": genotype.describe(genome)["suppressed"],
                "missing": int((genotype.decode(genome, stream(1, Purpose.EVALUATE, 0)).codes == -1).sum()),
                "objectives": fitness.combine({"il": 20.0, "dr": 50.0}),
                "greeting": CliRunner().invoke(cli, ["greet", "Ada"]).output,
                "result": result,
            }
        )
    )


if __name__ == "__main__":
    main()
