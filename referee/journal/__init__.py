"""The append-only journal of a match (SQLite)."""
