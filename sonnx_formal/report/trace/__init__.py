"""The trace: from each requirement to its goals, vectors and tests, and back; checked both ways."""
