"""The subcommands of `cueref`, one file each; `referee.cli.COMMANDS` lists them."""
