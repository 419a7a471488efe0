"""``evosdc large``, whose commands are imported when one is asked for."""

from evosdc.cli.options import Later

large = Later("large", "evosdc_large.commands:large", "Files beyond memory: risk, measures, masking of Parquet.")
