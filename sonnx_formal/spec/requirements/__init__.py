"""Requirements of the source documents, findings about them, and what was left out.

All of it is text in TOML files beside this module, which are read strictly: a file an operator or a
document.
"""
