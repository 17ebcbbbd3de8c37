"""What every part stands on: errors, exit codes, progress, processes, files."""
