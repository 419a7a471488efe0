"""Executors: ways of running named tasks, all with the same results.

`chunk` runs a task, `chunking` decides how large tasks are, `shared_files` publishes what they share. `serial` runs
them here, `processes` in worker processes of this computer. What executors with workers have in common is `pool`,
which hands out work by a `ledger`; workers are started by `launch` and end with this process by `lifeline`.
"""
