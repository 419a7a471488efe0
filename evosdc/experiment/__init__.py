"""From an experiment file to a validated model, runs and run folders."""
