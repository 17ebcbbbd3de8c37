"""The honest gaps: what is not shown, computed from the documents. No option switches one off.

Each module yields the ids of gaps with what they are about; their texts are in `tables/gaps.toml`.
"""
