"""From the names in an experiment to objects: data, problem, algorithm and starting files."""
