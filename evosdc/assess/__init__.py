"""What is said of a file, with its words beside its facts: masking, measures, risk, judges, utility, the verdict."""
