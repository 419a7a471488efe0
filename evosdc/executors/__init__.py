"""Executors: ways of running named tasks, all with the same results.

`tasks` runs a task, says what crosses the wire and how large tasks are; `shared_files` publishes what they share.
`serial` runs them here, `processes` in worker processes of this computer. What executors with workers have in common is
`pool`; `launch` starts processes, which begin with `worker_bootstrap`.
"""
