"""The definitions as programs: extracted to OCaml by Why3, compiled, and run."""
