"""Executors: ways of running named tasks, all with the same results.

`tasks` runs a task and says what crosses the wire, `chunking` decides how large tasks are, `shared_files` publishes
what they share. `serial` runs them here, `processes` in worker processes of this computer. What executors with workers
have in common is `pool`, which hands out work by a `ledger`; `launch` starts processes, which begin with
`worker_bootstrap`.
"""
