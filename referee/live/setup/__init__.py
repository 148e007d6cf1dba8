"""Sets up a table: guided set-up in the browser, settings file, checks of the machine."""
