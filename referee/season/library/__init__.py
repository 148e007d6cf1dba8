"""A club's matches in one database: SQLite by default, PostgreSQL by its address."""
