"""Case adapters of snooker and six-red: case fields to facts, rulings to `expect` values."""
