"""`python -m referee`: the same as the `cueref` command."""

from referee.cli import main

main()
