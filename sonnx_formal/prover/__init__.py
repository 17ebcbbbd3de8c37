"""The prover driver: Why3 makes the tasks, this package has them proved and keeps the evidence.

Data flows one way: `sources` (files) -> `tasks` (goals as SMT-LIB) -> `plan` (what to try, in
which order) -> `schedule` (runs it) -> `summary` and `certificate` (what came of it).
"""
