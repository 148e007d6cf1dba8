"""Rule cases: adapters from case lines to a game's facts, the runner, and which clauses cases reach."""
