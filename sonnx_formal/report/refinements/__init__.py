"""The theorems on how the systems compare, as a page to read: taken from the formal sources."""
