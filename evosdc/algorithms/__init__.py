"""Search algorithms: parent-child replacement and the generational algorithm with elitism."""
