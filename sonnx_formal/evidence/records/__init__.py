"""Slow results about tasks: found out one by one, and kept in files that are committed."""
