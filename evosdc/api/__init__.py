"""The functions of the Python interface, and their results; `evosdc` exports their names."""
