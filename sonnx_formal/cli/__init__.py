"""The commands: from what a user asks for, to the job, to what is printed."""
