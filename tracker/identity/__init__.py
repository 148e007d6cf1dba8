"""Which piece a ball is: its name, the evidence for it, and its name again after a ball was out of sight."""
