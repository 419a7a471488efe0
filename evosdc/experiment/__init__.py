"""From an experiment file to a run: reading it, building what it names, carrying it out, and studies of many runs."""
