"""The error that a user sees: input that cannot be used, explained in one sentence."""


class UnusableInput(Exception):
    """Input from the world (file, option, picture) that cannot be used.

    The text is one sentence: the file, what was expected, what was found. The command line prints it
    and exits with status 2; nothing half-written stays behind.
    """


class FolderInUse(UnusableInput):
    """A folder in which another process is at work: it may be free later."""


def prefix(name: str) -> str:
    """The start of an error's sentence: the file `name` and a colon, or nothing where no file is known."""
    return f"{name}: " if name else ""
