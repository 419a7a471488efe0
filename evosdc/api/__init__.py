"""The functions of the Python side, and what they give back; `evosdc` has their names."""
