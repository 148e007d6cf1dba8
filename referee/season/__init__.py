"""Many matches: recordings reviewed in parallel, a club's library, backups, deletion."""
