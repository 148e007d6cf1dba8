"""Six-red snooker: snooker's rules with its own options."""
