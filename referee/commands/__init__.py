"""The subcommands of `cueref`, one file each; `referee.cli.SUMMARIES` lists them."""
