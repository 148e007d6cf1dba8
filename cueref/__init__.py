"""cueref as a library."""

from referee import __version__

__all__ = ["__version__"]
