"""The assessment of a file, in figures and words: masking, measures, risk, judges, utility, the verdict."""
