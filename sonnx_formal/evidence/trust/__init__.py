"""The trusted base: all that is believed without a proof, computed, and compared with the ledger.

`scan` reads Why3 files, `standard_library` and `drivers` what of Why3's own files is used,
`tools` this machine; `ledger` is what is written down, `comparison` the difference.
"""
