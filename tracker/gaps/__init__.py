"""Images that were lost, repeated or unusable, and how balls keep their names across them."""
