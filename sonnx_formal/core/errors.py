"""The one kind of error that ends a command: something that the user can put right."""


class UserError(Exception):
    """A message that says what is wrong and the way out; the command ends with exit status 2."""
