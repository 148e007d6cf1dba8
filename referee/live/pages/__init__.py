"""Web pages of a live table: console, television, phone, club, and the spoken calls."""
