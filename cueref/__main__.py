"""`python -m cueref`: the same as the `cueref` command."""

from referee.cli import main

main()
