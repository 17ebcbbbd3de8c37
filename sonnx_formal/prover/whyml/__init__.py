"""The text of a Why3 file as far as tools that read or edit sources need it."""
