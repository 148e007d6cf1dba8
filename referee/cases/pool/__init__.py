"""Case adapters of the pool games: case fields to facts, rulings to `expect` values."""
