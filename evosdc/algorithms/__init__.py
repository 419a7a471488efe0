"""Search algorithms: parent-child replacement, the generational algorithm with elitism, and the steady-state one."""
