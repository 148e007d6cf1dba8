"""Who may do what on the pages: roles, accounts, sessions, pauses after wrong guesses. No web framework."""
