"""Requirements of the source documents, findings about them, and what was left out, as TOML."""
