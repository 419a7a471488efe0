"""Executors: ways of running named tasks, all with the same results.

`chunk` runs a task, `chunking` decides how large tasks are, `context` publishes what they share. `serial` runs them
here; `processes` and `scoop` share `pool` and start their workers by `launch`, which end with this process by
`lifeline`.
"""
