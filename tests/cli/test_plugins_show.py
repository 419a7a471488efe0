"""What `evosdc plugins show` says of parameters."""

from evosdc.cli.plugins import described_parameters
from evosdc.plugins.registry import default_registry


def test_a_table_with_a_default_is_not_required(evosdc):
    for name in ("islands", "memetic"):
        lines = evosdc("plugins", "show", name).out.splitlines()
        (inner,) = [line for line in lines if line.startswith("  parameter inner:")]
        assert inner.endswith("default {'name': 'parent-child'}")


def test_only_what_has_no_default_is_required():
    registry = default_registry()
    told = 0
    for kind in ("algorithm", "genotype", "masking-method", "measure", "privacy-model", "fitness", "executor"):
        for name in registry.names(kind):
            params = getattr(registry.implementation(kind, name), "Params", None)
            wanted = {
                field.alias or key
                for key, field in (params.model_fields if params else {}).items()
                if field.is_required()
            }
            described = described_parameters(kind, name)
            assert {key for key, text in described.items() if text.endswith("required")} == wanted, name
            told += len(described)
    assert told > 100
