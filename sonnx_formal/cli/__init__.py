"""The commands, a file each: from what a user asks for, to the job, to what is printed.

Each file is named after its command and calls it `command`.
"""
