"""Many matches: recordings reviewed on several processes or machines, a club's matches in one place."""
