"""The subcommands of `cueref`, one file each; registered in `referee.cli`."""
