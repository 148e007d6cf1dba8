"""The one error family that a user sees: input that cannot be used, said in one clear sentence."""


class UnusableInput(Exception):
    """Input from the world (file, option, picture) that cannot be used.

    The text is one sentence: the file, what was expected, what was found. The command line prints it
    and exits with status 2; nothing half-written stays behind.
    """
