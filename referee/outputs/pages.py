"""The environment in which pages are made from the templates of this package; everything is escaped."""

from __future__ import annotations

from functools import cache

from jinja2 import Environment, PackageLoader


@cache
def environment() -> Environment:
    """Jinja's environment, made once a process."""
    return Environment(
        loader=PackageLoader("referee.outputs"), autoescape=True, trim_blocks=True, lstrip_blocks=True
    )
