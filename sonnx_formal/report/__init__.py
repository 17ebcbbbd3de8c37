"""The evidence report: `evidence.json` from what the other commands wrote, and all else from it."""
