"""From an experiment file to a run: reading it, building its parts, carrying it out, and studies of many runs."""
